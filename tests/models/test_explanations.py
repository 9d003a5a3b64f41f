"""A stored explanation is a code with parameters, and every reader gets its sentence in their language."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.utils.translation import override

from tests.models.rows import a_transaction
from tests.tables import every
from wallet_gateway.client.errors import NotSentReason, UnknownReason
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.models.explanations import (
    REASONS,
    SENTENCES,
    explanation_columns,
    explanation_text,
    sentence_for,
)

LANGUAGES = ("de", "fr", "es", "ar")
C = ExplanationCode
RECORD = {"type": "'chargeback'", "id": "'g1'", "fault": "id: is missing"}
SAMPLES: dict[str, Any] = {
    "given": "7.50",
    "excess": "2.50",
    "requested": "10.00",
    "currency": "EUR",
    "record": "g1",
    "ids": "g1, g2",
    "type": "ecom.refund",
    "count": 1,
    "records": [RECORD],
    "limit": 128,
    "wallet_limit": "SESSIONS",
    "allowed": 30,
    "state": "EXPIRED",
    "reported": "PENDING",
    "host": "'evil.example'",
    "scheme": "http",
    "reason": "timeout",
    "error_code": "4100001",
    "http_status": 422,
    "maximum": "40.00",
    "deposit": "50.00",
    "refunded": "10.00",
    "differences": [{"code": "no_record", "params": {}}],
}
WITH_SENTENCE = [code for code in C if code is not C.COMMENT]


def test_every_code_has_its_sentence() -> None:
    assert set(SENTENCES) == set(C)
    assert all(str(SENTENCES[code]) for code in WITH_SENTENCE)


@every("code", WITH_SENTENCE, ids=str)
def test_a_sentence_is_translated_and_loses_no_value(code: ExplanationCode) -> None:
    names = set(re.findall(r"%\((\w+)\)s", str(SENTENCES[code])))
    with override("en"):
        english = sentence_for(code, SAMPLES)
    for language in LANGUAGES:
        with override(language):
            assert set(re.findall(r"%\((\w+)\)s", str(SENTENCES[code]))) == names
            shown = sentence_for(code, SAMPLES)
        assert shown != english, f"{code} is not translated into {language}"
        assert "?" not in shown
        assert "%" not in shown


@every("reason", sorted({*NotSentReason, *UnknownReason}), ids=str)
def test_every_reason_of_a_failed_call_has_translated_words(reason: str) -> None:
    english = str(REASONS[reason])
    for language in LANGUAGES:
        with override(language):
            assert str(REASONS[reason]) != english, f"{reason} is not translated into {language}"


def test_the_other_partys_words_follow_as_they_are() -> None:
    why = explain(C.ERRORED, said="Insufficient funds")
    assert explanation_text(why) == "The gateway reports Errored: Insufficient funds"
    with override("de"):
        assert explanation_text(why).endswith(": Insufficient funds")


def test_a_row_of_another_version_is_shown_as_far_as_it_is_known() -> None:
    assert sentence_for("of_a_later_version", {}) == "of_a_later_version"
    assert sentence_for(C.RECORD_TAKEN, {}) == "The gateway's record ? belongs to another transaction"
    assert sentence_for(C.NOT_SENT, {"reason": "later"}) == "Nothing was sent (later)"


@every("value", [5, None, "x", ["x"], [5], {}, [{}], [{"code": "100 %", "params": {"a": 1}}]], ids=repr)
@every("name", ["records", "differences", "state", "reason", "said"])
def test_a_parameter_of_another_shape_breaks_no_page(name: str, value: object) -> None:
    for code in C:
        assert "\n" not in sentence_for(code, {**SAMPLES, name: value})


def test_the_fingerprint_depends_on_values_and_not_on_words() -> None:
    one, same = explain(C.EXECUTED_TWICE, ids="g1, g2"), explain(C.EXECUTED_TWICE, ids="g1, g2")
    with override("de"):
        assert one.fingerprint == same.fingerprint
    assert one.fingerprint != explain(C.EXECUTED_TWICE, ids="g1, g2, g3").fingerprint
    assert one.fingerprint != explain(C.RECORD_TAKEN, ids="g1, g2").fingerprint
    assert one.fingerprint != explain(C.EXECUTED_TWICE, ids="g1, g2", said="x").fingerprint


@pytest.mark.every_database
@pytest.mark.django_db
@pytest.mark.parametrize("said", ["a\0b", "half \ud800 pair", "“Ä” % %(x)s \u202e 😀", "x" * 5000])
def test_whatever_is_said_is_stored_and_read_back(said: str) -> None:
    why = explain(C.REFUSED, error_code=said, http_status=400, said=said)
    a_transaction(**explanation_columns(why))
    row = GatewayTransaction.objects.get()
    assert (row.explanation_code, row.explanation_params) == ("refused", why.stored_params)
    assert row.explanation == explanation_text(why)
    assert len(row.explanation_params["said"]) <= 500
