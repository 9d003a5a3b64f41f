"""The hosted checkout page of a running sandbox, as the customer's browser meets it."""

from __future__ import annotations

import pytest

from tests.sandbox.hosted.wire import SHOP, URLS
from tests.sandbox.pages.soundness import assert_sound
from tests.sandbox.pages.visitor import Page, Visitor

OUTCOMES = {
    "success": "successUrl",
    "pending": "pendingUrl",
    "refused": "refusedUrl",
    "error": "errorUrl",
    "cancelled": "cancelUrl",
    "return": "returnUrl",
}
DECIDING = [outcome for outcome in OUTCOMES if outcome != "return"]


def buttons(page: Page) -> dict[str, str]:
    return {
        str(button.attributes["value"]): button.read
        for button in page.markup.all("button")
        if button.attributes.get("name") == "outcome"
    }


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_each_button_leads_to_its_url_of_the_shop(visitor: Visitor, outcome: str) -> None:
    link = visitor.start_checkout()
    assert outcome in buttons(visitor.get(link))
    answer = visitor.post(link, {"outcome": outcome})
    assert answer.status == 303
    assert answer.headers["Location"] == URLS[OUTCOMES[outcome]]
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("outcome", DECIDING)
def test_a_decided_link_is_used_up_and_says_so(visitor: Visitor, outcome: str) -> None:
    link = visitor.start_checkout()
    visitor.post(link, {"outcome": outcome})
    for page in (visitor.get(link), visitor.post(link, {"outcome": "success"})):
        assert page.status == 410
        assert page.markup.one("h1").text == "This payment link is used up"
        assert not page.markup.all("form")
        assert_sound(page)


def test_a_link_past_its_time_says_so_and_until_when_it_was_valid(visitor: Visitor) -> None:
    link = visitor.start_checkout(redirectUrlTimeout=300)
    until = visitor.get(link).markup.one("time").text
    visitor.control.advance_clock(300)
    for page in (visitor.get(link), visitor.post(link, {"outcome": "success"})):
        assert page.status == 410
        assert page.markup.one("h1").text == "This payment link has expired"
        assert f"It was valid until {until}. Nothing was charged." in page.text
        assert_sound(page)


@pytest.mark.parametrize("token", ["nothing", "a" * 500, "%00", "%F0%9F%98%80"])
def test_an_unknown_link_says_so(visitor: Visitor, token: str) -> None:
    page = visitor.get(f"/checkout/{token}/")
    assert page.status == 404
    assert page.markup.one("h1").text == "There is no such payment link"
    assert_sound(page)


@pytest.mark.parametrize("fields", [{}, {"outcome": ""}, {"outcome": "paid"}, {"outcome": "Success"}])
def test_no_button_no_decision(visitor: Visitor, fields: dict[str, str]) -> None:
    link = visitor.start_checkout()
    page = visitor.post(link, fields)
    assert page.status == 400
    assert "Nothing was decided. Choose one of the buttons." in page.text
    assert_sound(page)
    assert visitor.get(link).status == 200


def test_the_link_alone_is_the_right_to_decide(visitor: Visitor) -> None:
    link = visitor.start_checkout()
    assert visitor.get(link).headers["Set-Cookie"] is None
    assert visitor.post(link, {"outcome": "success"}, Origin="null").status == 303


def test_the_page_may_send_its_form_to_the_shop_and_nowhere_else(visitor: Visitor) -> None:
    other = {**URLS, "cancelUrl": "https://help.example:444/cancelled?x=1"}
    page = visitor.get(visitor.start_checkout(changes={"redirectDetails": other}))
    assert page.policy["form-action"] == f"'self' {SHOP} https://help.example:444"
    assert page.headers["Referrer-Policy"] == "no-referrer"
