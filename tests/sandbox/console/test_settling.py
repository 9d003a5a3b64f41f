"""Settling and resetting in the console: a button does it once, and a second press changes nothing."""

from __future__ import annotations

import pytest

from tests.sandbox.console.pressing import controls, press
from tests.sandbox.console.reading import detail_of, follow, pay
from tests.sandbox.pages.soundness import assert_sound
from tests.sandbox.pages.visitor import Visitor


@pytest.mark.parametrize(
    ("outcome", "state"), [("success", "Approved"), ("refused", "Errored"), ("error", "Errored")]
)
def test_a_pending_payment_is_settled_with_a_button(visitor: Visitor, outcome: str, state: str) -> None:
    page = detail_of(visitor, pay(visitor, "pending"))
    (settle,) = [pressed for pressed in controls(page) if pressed.fields["outcome"] == outcome]
    answer = press(visitor, settle)
    assert answer.status == 303
    settled = visitor.get(answer.headers["Location"])
    assert settled.url == page.url
    assert f"10.00 EUR {state}" in settled.text
    assert "settle" not in [pressed.call for pressed in controls(settled)]


def test_a_second_press_changes_nothing_and_says_why(visitor: Visitor) -> None:
    page = detail_of(visitor, pay(visitor, "pending"))
    succeed, refuse, _fail = controls(page)
    press(visitor, succeed)
    answer = press(visitor, refuse)
    assert answer.status == 409
    assert "NotPending" in answer.text
    assert "10.00 EUR Approved" in follow(visitor, answer, "Back").text
    assert_sound(answer)


@pytest.mark.parametrize("outcome", ["", "pending", "return", "nonsense"])
def test_what_is_no_settlement_is_refused(visitor: Visitor, outcome: str) -> None:
    page = detail_of(visitor, pay(visitor, "pending"))
    settle = controls(page)[0]
    assert press(visitor, settle, outcome=outcome).status == 400
    assert "10.00 EUR Pending" in visitor.get(page.url).text


def test_resetting_takes_two_steps_and_forgets_everything(visitor: Visitor) -> None:
    pay(visitor)
    visitor.control.advance_clock(100)
    page = visitor.get("/")
    (button,) = [b for b in page.markup.all("button") if b.text == "Reset everything now"]
    assert "details" in button.path
    (reset,) = controls(page)
    assert press(visitor, reset).headers["Location"] == "/"
    text = visitor.get("/").text
    assert "No transaction yet." in text
    assert "as on this machine" in text
