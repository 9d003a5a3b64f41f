"""The forms of confirm pages: strict amounts with a plain word for each mistake, reasons and notes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet_gateway.admin.forms import DecisionForm, OperationForm, ReasonForm
from wallet_gateway.admin.operation_registry import CAPTURE
from wallet_gateway.protocol.money import Money

LEFT = Money.parse("20.00", "EUR")


@given(st.text(max_size=40))
def test_any_text_is_an_amount_within_what_is_left_or_a_plain_word(text: str) -> None:
    form = OperationForm({"amount": text, "reason": "shipped"}, operation=CAPTURE, available=LEFT)

    if form.is_valid():
        assert 0 < form.asked.minor_units <= 2000
    else:
        assert list(form.errors) == ["amount"]


@pytest.mark.parametrize("comment", ["x" * 401, "a\x00b"])
def test_a_note_that_cannot_be_kept_is_refused(comment: str) -> None:
    form = OperationForm(
        {"amount": "1.00", "reason": "shipped", "comment": comment}, operation=CAPTURE, available=LEFT
    )
    assert "comment" in form.errors


def test_the_forms_of_decisions_say_beside_a_field_what_is_refused() -> None:
    decision = DecisionForm({"decision": "DID_NOT_HAPPEN", "reason": "seen"}, may_accept=False)
    decision.refuse("too early")
    assert decision.errors["decision"] == ["too early"]
    reason = ReasonForm({"reason": "seen"})
    reason.refuse("closed already")
    assert reason.errors["reason"] == ["closed already"]
