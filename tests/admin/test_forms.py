"""The forms of confirm pages: strict amounts with a plain word for each mistake, reasons and notes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet_gateway.admin.forms import DecisionForm, OperationForm, ReasonForm
from wallet_gateway.admin.operation_registry import CAPTURE, REVERSE
from wallet_gateway.protocol.money import Money

LEFT = Money.parse("20.00", "EUR")


@given(st.text(max_size=40))
def test_any_text_is_an_amount_within_what_is_left_or_a_plain_word(text: str) -> None:
    form = OperationForm({"amount": text, "reason": "shipped"}, operation=CAPTURE, available=LEFT)

    if form.is_valid():
        assert 0 < form.asked.minor_units <= 2000
    else:
        assert list(form.errors) == ["amount"]


def test_the_reason_is_kept_as_its_code_beside_the_persons_own_words() -> None:
    given = {"amount": "1.00", "reason": "shipped", "comment": " first parcel "}
    form = OperationForm(given, operation=CAPTURE, available=LEFT)
    assert form.is_valid()
    assert form.why == {"reason_code": "shipped", "comment": "first parcel"}


def test_a_reversal_takes_all_or_nothing() -> None:
    form = OperationForm({"reason": "cancelled"}, operation=REVERSE, available=LEFT)

    assert form.is_valid()
    assert form.asked == LEFT
    form.refuse("no")
    assert form.non_field_errors() == ["no"]


@pytest.mark.parametrize("comment", ["x" * 401, "a\x00b"])
def test_a_note_that_cannot_be_kept_is_refused(comment: str) -> None:
    form = OperationForm(
        {"amount": "1.00", "reason": "shipped", "comment": comment}, operation=CAPTURE, available=LEFT
    )
    assert "comment" in form.errors


def test_a_reason_that_is_not_offered_is_refused() -> None:
    form = OperationForm({"amount": "1.00", "reason": "returned"}, operation=CAPTURE, available=LEFT)
    assert "reason" in form.errors


def test_the_forms_of_decisions_say_beside_a_field_what_is_refused() -> None:
    decision = DecisionForm({"decision": "DID_NOT_HAPPEN", "reason": "seen"}, may_accept=False)
    decision.refuse("too early")
    assert decision.errors["decision"] == ["too early"]
    reason = ReasonForm({"reason": "seen"})
    reason.refuse("closed already")
    assert reason.errors["reason"] == ["closed already"]
