"""The words of states, kinds and explanations: each reader gets them in their language, with all values."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.apps import apps
from django.utils.translation import override

from tests.models.rows import a_transaction
from tests.support.tables import every
from wallet_gateway.client.errors import NotSentReason, UnknownReason
from wallet_gateway.domain.discrepancies import ExplanationCode, explain
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.models.fields import REASONS, SENTENCES, explanation_columns

C = ExplanationCode
COLUMNS: list[Any] = [
    field
    for model in apps.get_app_config("wallet_gateway").get_models()
    for field in model._meta.get_fields()
    if getattr(field, "choices", None)
]
SPELLED = {
    "AWAITING_3DS": "Awaiting 3-D Secure",
    "AGREED": "Agreed to",
    "APPROVAL": "Agreed to",
    "ASK": "Question to the gateway",
    "AWAITING_APPROVAL": "Waits for a second person",
    "PRICES": "Price requests",
    "SESSIONS": "Browsers",
}
"""Names that say more than the word of the code."""
SHARED = {("fr", "Capture"), ("de", "Shop")}
"""Words that a language has from English, or English from it."""
SAMPLES: dict[str, Any] = {
    "currency": "EUR",
    "record": "g1",
    "type": "ecom.refund",
    "count": 1,
    "records": [{"type": "'chargeback'", "id": "'g1'", "fault": "id: is missing"}],
    "limit": 128,
    "allowed": 30,
    "state": "EXPIRED",
    "reported": "PENDING",
    "reason": "timeout",
    "http_status": 422,
    "differences": [{"code": "no_record", "params": {}}],
}


def shown(code: str, **params: object) -> str:
    """Return the sentence that a row shows."""
    return GatewayTransaction(explanation_code=code, explanation_params=params).explanation


@every("language", ["de", "fr", "es", "ar"])
def test_no_choice_no_sentence_and_no_reason_is_left_in_english(language: str) -> None:
    """That a translation keeps its values is a claim about the catalogues."""
    names = [(column.name, *choice) for column in COLUMNS for choice in column.choices]
    words = [name for *_, name in names]
    words += [SENTENCES[code] for code in C if code is not C.COMMENT]
    words += [REASONS[reason] for reason in {*NotSentReason, *UnknownReason}]
    english = [str(word) for word in words]
    with override(language):
        left = [text for word, text in zip(words, english, strict=True) if str(word) == text]
    assert [text for text in left if (language, text) not in SHARED] == []
    assert "" not in english
    for column, value, name in names:
        # A pause is told in a clause and a reason in words of its own, everything else by its name.
        if column not in {"pause_code", "reason_code"}:
            assert str(name) == SPELLED.get(value, value.replace("_", " ").capitalize())


def test_a_sentence_fills_in_its_values_and_the_other_partys_words_follow_as_they_are() -> None:
    for code in C:
        values = dict.fromkeys(re.findall(r"%\((\w+)\)s", str(SENTENCES[code])), "7.50") | SAMPLES
        assert not {"?", "%"} & set(shown(code, **values)), code
    assert shown(C.ERRORED, said="Insufficient funds") == "The gateway reports Errored: Insufficient funds"
    with override("de"):
        assert shown(C.ERRORED, said="Insufficient funds").endswith(": Insufficient funds")
        assert "Abgelaufen" in shown(C.STATE_DIFFERS, state="EXPIRED", reported="PENDING")


def test_a_row_of_another_version_is_shown_as_far_as_it_is_known() -> None:
    assert shown("of_a_later_version") == "of_a_later_version"
    assert shown(C.RECORD_TAKEN) == "The gateway's record ? belongs to another transaction"
    assert shown(C.NOT_SENT, reason="later") == "Nothing was sent (later)"


@every("value", [5, None, "x", ["x"], [5], {}, [{}], [{"code": "100 %", "params": {"a": 1}}]], ids=repr)
@every("name", ["records", "differences", "state", "reason", "said"])
def test_a_parameter_of_another_shape_breaks_no_page(name: str, value: object) -> None:
    for code in C:
        assert "\n" not in shown(code, **{**SAMPLES, name: value})


@pytest.mark.every_database
@pytest.mark.django_db
@every("said", ["a\0b", "half \ud800 pair", "“Ä” % %(x)s \u202e 😀", "x" * 5000], ids=ascii)
def test_whatever_is_said_is_stored_and_read_back(said: str) -> None:
    why = explain(C.REFUSED, error_code=said, http_status=400, said=said)
    row = a_transaction(**explanation_columns(why))
    row.refresh_from_db()
    assert (row.explanation_code, row.explanation_params) == ("refused", why.stored_params)
    assert row.explanation == shown(C.REFUSED, **why.stored_params)
    assert len(row.explanation_params["said"]) <= 500
