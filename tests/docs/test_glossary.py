"""Every term that the code gives a reader is in the glossary: models, states, signals and settings."""

from __future__ import annotations

import re

from django.apps import apps
from django.dispatch import Signal

from tests.docs.pages import ROOT
from wallet_gateway import signals
from wallet_gateway.conf import gateway_rules, rules, wallet_rules
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import OrderState, PaymentState, TransactionKind, TransactionState

TEXT = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
ROWS = [
    (term, meaning)
    for term, meaning in re.findall(r"^\| (.+?) \| (.+) \|$", TEXT, flags=re.MULTILINE)
    if term != "term"
]
TERMS = {term.strip("`") for term, _ in ROWS}


def test_every_model_has_an_entry() -> None:
    models = {model.__name__ for model in apps.get_app_config("wallet_gateway").get_models()}
    assert models
    assert models - TERMS == set()


def test_every_state_and_kind_has_an_entry() -> None:
    named = {
        str(member)
        for names in (OrderState, PaymentState, TransactionState, TransactionKind, DiscrepancyKind)
        for member in names
    }
    assert named - TERMS == set()


def test_every_signal_has_an_entry() -> None:
    named = {name for name, value in vars(signals).items() if isinstance(value, Signal)}
    assert named
    assert named - TERMS == set()


def test_every_setting_has_an_entry() -> None:
    named = {*rules.SHOP, *gateway_rules.REQUIRED, *gateway_rules.OPTIONAL, "WALLET"}
    named |= {*wallet_rules.WALLET_REQUIRED, *wallet_rules.WALLET_OPTIONAL}
    assert named - TERMS == set()


def test_no_entry_is_of_a_name_that_is_gone() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "wallet_gateway").rglob("*.py"))
    names = [term.strip("`") for term, _ in ROWS if term.startswith("`")]
    assert not [name for name in names if not re.search(rf"\b{name}\b", source)]


def test_terms_are_in_alphabetical_order_and_each_stands_once() -> None:
    terms = [re.sub(r"[^a-z0-9]+", " ", term.lower()).strip() for term, _ in ROWS]
    assert terms == sorted(terms)
    assert len({term for term, _ in ROWS}) == len(ROWS)


def test_a_meaning_is_one_sentence() -> None:
    assert not [
        term for term, meaning in ROWS if not meaning.endswith(".") or re.search(r"[.!?] [A-Z]", meaning)
    ]
