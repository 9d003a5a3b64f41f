"""Slips in templates: a tag says which one it was and what to pass, a filter writes nothing for nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.template import Context, Template

from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.templatetags.arguments import WrongArgument

pytestmark = pytest.mark.django_db

NAME_IT = "Pass what `payments.create_order` returned to the template's context, by this name."
GET_IT = "Pass what `payments.create_order` or `payments.get_order(reference)` returns."


@dataclass
class ShopOrder:
    """The shop's own order."""

    reference: str = "SHOP-1"


OWN = {"order": ShopOrder()}
NO_MONEY = 'Pass `order.amount`, or `Money(amount, "EUR")`: it has a currency.'
SLIPS: list[tuple[str, dict[str, Any], str, str]] = [
    # What is written, with which names, what the tag needs, what it was given and the advice
    ("{% wallet_checkout order %}", OWN, "a PaymentOrder", f"was given a value of type ShopOrder. {GET_IT}"),
    ("{% wallet_checkout oder %}", {}, "a PaymentOrder", f"s variable is undefined or empty. {NAME_IT}"),
    ("{% wallet_checkout order %}", {"order": None}, "a PaymentOrder", f"it was given None. {NAME_IT}"),
    ('{% wallet_checkout "SHOP-1" %}', {}, "a PaymentOrder", f"it was given 'SHOP-1'. {GET_IT}"),
    ("{% wallet_checkout order %}", {"order": Payment()}, "a PaymentOrder", "Payment. Pass `payment.order`."),
    ("{% wallet_button order %}", OWN, "a PaymentOrder", f"was given a value of type ShopOrder. {GET_IT}"),
    ("{% wallet_button order.missing %}", OWN, "a PaymentOrder", f"undefined or empty. {NAME_IT}"),
    ('{% wallet_stylesheet "page" %}', {}, '"button" or "pages"', "it was given 'page'."),
    ("{% wallet_script name %}", {}, '"page" or "pending"', "its variable is undefined or empty."),
    ("{{ …|wallet_amount }}", {"…": Decimal("9.99")}, "a Money", f"a value of type Decimal. {NO_MONEY}"),
    ("{{ …|wallet_deduction }}", {"…": 5}, "a Money", f"a value of type int. {NO_MONEY}"),
    ("{{ …|wallet_date }}", {"…": "2026-05-11"}, "a date", "'2026-05-11'. Pass a date or a datetime."),
    (
        "{{ …|wallet_datetime }}",
        {"…": date(2026, 5, 11)},
        "a datetime",
        "a value of type date. Pass a datetime, or write a day with `wallet_date`.",
    ),
]


def drawn(source: str, **names: Any) -> str:
    """Return what a template of the shop writes."""
    return Template("{% load wallet_gateway %}" + source).render(Context(names))


@every(("source", "names", "needs", "given"), SLIPS)
def test_a_slip_is_told_with_a_sentence(source: str, names: dict[str, Any], needs: str, given: str) -> None:
    with pytest.raises(WrongArgument) as refused:
        drawn(source.replace("…", "value"), **{name.replace("…", "value"): of for name, of in names.items()})
    tag = re.sub(r"(wallet_\w+) [^}]*%", r"\1 %", source)
    assert str(refused.value).startswith(f"{tag} needs {needs}, but it")
    assert str(refused.value).endswith(given)


@pytest.mark.parametrize("name", ["wallet_amount", "wallet_deduction", "wallet_date", "wallet_datetime"])
def test_a_filter_of_an_undefined_variable_writes_nothing_and_a_line_in_the_log(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert drawn("{{ order.missing|" + name + " }}", order=PaymentOrder()) == ""
    assert caplog.messages == [f"{{{{ …|{name} }}}} wrote nothing: its variable is undefined or empty"]
    caplog.clear()
    assert drawn("{{ nothing|" + name + " }}", nothing=None) == ""
    assert caplog.messages == []


def test_a_gateway_that_is_unknown_has_no_scripts_and_a_line_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert drawn('{% wallet_scripts gateway="second" %}') == ""
    assert "WALLET_GATEWAY['GATEWAYS'] has no 'second'; it has: default" in caplog.text


def test_what_is_right_is_drawn() -> None:
    order = payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal("12.50"))
    page = drawn("{% wallet_checkout order %}{{ order.amount|wallet_amount }}", order=order)
    assert page.count("12.50") == 2
