"""The hosted checkout page of a running sandbox, as the customer's browser meets it."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.sandbox.hosted.wire import SHOP, URLS, checkout_body
from tests.sandbox.pages.soundness import assert_sound
from tests.sandbox.pages.visitor import Page, Visitor
from wallet_gateway.protocol.checkout import CheckoutRequest
from wallet_gateway.sandbox.hosted.checkout_summary import CartView, CheckoutView, checkout_view
from wallet_gateway.sandbox.pages.localization import LANGUAGES

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


def amounts_of(view: CheckoutView) -> list[str]:
    cart = view.cart
    assert isinstance(cart, CartView)
    assert cart.shipping is not None
    rows = [amount for line in cart.lines for amount in (line.unit, line.total)]
    rows += [line.discount.amount for line in cart.lines if line.discount]
    rows += [line.tax.amount for line in cart.lines if line.tax]
    rows += [discount.amount for discount in cart.discounts]
    return [view.amount, cart.subtotal, cart.shipping.amount, cart.tax, *rows]


def test_there_is_one_button_for_every_outcome(visitor: Visitor) -> None:
    page = visitor.get(visitor.start_checkout())
    assert list(buttons(page)) == ["success", "return", "cancelled", "pending", "refused", "error"]
    assert len(set(buttons(page).values())) == len(OUTCOMES)


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


def test_going_back_to_the_shop_decides_nothing(visitor: Visitor) -> None:
    link = visitor.start_checkout()
    for _ in range(2):
        assert visitor.post(link, {"outcome": "return"}).headers["Location"] == URLS["returnUrl"]
    assert visitor.get(link).status == 200
    assert visitor.post(link, {"outcome": "success"}).headers["Location"] == URLS["successUrl"]


def test_a_link_past_its_time_says_so_and_until_when_it_was_valid(visitor: Visitor) -> None:
    link = visitor.start_checkout(redirectUrlTimeout=300)
    until = visitor.get(link).markup.one("time").text
    visitor.control.advance_clock(300)
    for page in (visitor.get(link), visitor.post(link, {"outcome": "success"})):
        assert page.status == 410
        assert page.markup.one("h1").text == "This payment link has expired"
        assert f"It was valid until {until}. Nothing was charged." in page.text
        assert_sound(page)


def test_a_link_is_usable_to_its_last_minute(visitor: Visitor) -> None:
    link = visitor.start_checkout(redirectUrlTimeout=300)
    visitor.control.advance_clock(240)
    assert visitor.post(link, {"outcome": "success"}).status == 303


def test_a_used_up_link_leads_back_to_the_shop(visitor: Visitor) -> None:
    link = visitor.start_checkout()
    visitor.post(link, {"outcome": "success"})
    assert URLS["returnUrl"] in [a.attributes["href"] for a in visitor.get(link).markup.all("a")]


@pytest.mark.parametrize("token", ["nothing", "a" * 500, "%00", "%F0%9F%98%80"])
def test_an_unknown_link_says_so(visitor: Visitor, token: str) -> None:
    page = visitor.get(f"/checkout/{token}/")
    assert page.status == 404
    assert page.markup.one("h1").text == "There is no such payment link"
    assert_sound(page)


def test_an_unknown_link_speaks_the_browsers_language(visitor: Visitor) -> None:
    page = visitor.get("/checkout/nothing/", Accept_Language="de-AT,en;q=0.5")
    assert page.markup.one("h1").text == "Diesen Zahlungslink gibt es nicht"


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


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_other_methods_decide_nothing(visitor: Visitor, method: str) -> None:
    link = visitor.start_checkout()
    assert visitor.get(link, method=method).status == 405
    assert visitor.get(link).status == 200


def test_asking_for_the_head_decides_nothing(visitor: Visitor) -> None:
    link = visitor.start_checkout()
    assert visitor.get(link, method="HEAD").status == 200
    assert visitor.get(link).status == 200


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("currency", ["EUR", "JPY", "KWD"])
def test_every_amount_stands_on_the_page_to_the_last_unit(
    visitor: Visitor, language: str, currency: str
) -> None:
    body = checkout_body(currency, language=language)
    link = visitor.api("/api/v5/checkout", body)["redirectUrl"]
    page = visitor.get(link)
    view = checkout_view(CheckoutRequest.from_wire(body), language=language)
    isolated = [bdi.text for bdi in page.markup.all("bdi")]
    for amount in amounts_of(view):
        assert any(amount in text for text in isolated), amount
    assert page.markup.one("data").attributes["value"] == body["amount"]
    assert view.amount in buttons(page)["success"]
    assert_sound(page)


def test_an_authorization_is_not_sold_as_a_payment(visitor: Visitor) -> None:
    link = visitor.start_checkout(amount="10.00", changes={"type": "ecom.preAuthorization"})
    page = visitor.get(link)
    assert buttons(page)["success"] == "Authorize €10.00"
    assert "The amount is only reserved now. The shop charges it later." in page.text
    assert visitor.post(link, {"outcome": "success"}).headers["Location"] == URLS["successUrl"]


def test_without_script_the_page_says_until_when_it_is_valid(visitor: Visitor) -> None:
    page = visitor.get(visitor.start_checkout(redirectUrlTimeout=600))
    (timer,) = [e for e in page.markup.elements if "data-countdown" in e.attributes]
    assert 590 <= int(timer.attributes["data-seconds-left"] or 0) <= 600
    stamp = page.markup.one("time")
    assert stamp.text == f"{(stamp.attributes['datetime'] or '')[11:16]} UTC"
    assert f"Valid until {stamp.text}" in page.text


def test_time_runs_on_the_sandboxs_clock(visitor: Visitor) -> None:
    link = visitor.start_checkout(redirectUrlTimeout=600)
    visitor.control.advance_clock(500)
    (timer,) = [e for e in visitor.get(link).markup.elements if "data-countdown" in e.attributes]
    assert 90 <= int(timer.attributes["data-seconds-left"] or 0) <= 100


def test_a_link_without_end_says_so(visitor: Visitor) -> None:
    link = visitor.start_checkout(redirectUrlTimeout=0)
    visitor.control.advance_clock(10_000_000)
    page = visitor.get(link)
    assert "This link does not expire" in page.text
    assert "data-countdown" not in page.html


def test_the_page_may_send_its_form_to_the_shop_and_nowhere_else(visitor: Visitor) -> None:
    other = {**URLS, "cancelUrl": "https://help.example:444/cancelled?x=1"}
    page = visitor.get(visitor.start_checkout(changes={"redirectDetails": other}))
    assert page.policy["form-action"] == f"'self' {SHOP} https://help.example:444"
    assert page.headers["Referrer-Policy"] == "no-referrer"


def test_the_test_buttons_are_told_from_the_payers(visitor: Visitor) -> None:
    page = visitor.get(visitor.start_checkout())
    assert "Sandbox" in page.markup.with_id("tests-heading").text
    assert "A real payment page has no such buttons." in page.text
    primary = [b for b in page.markup.all("button") if "primary" in (b.attributes["class"] or "").split()]
    assert [b.attributes["value"] for b in primary] == ["success"]


def test_a_special_amount_goes_its_own_way_when_paid_by_hand(visitor: Visitor) -> None:
    link = visitor.start_checkout(amount="6660.01")
    assert visitor.post(link, {"outcome": "success"}).headers["Location"] == URLS["refusedUrl"]


def test_an_address_beyond_ascii_is_sent_as_a_browser_wants_it(visitor: Visitor) -> None:
    path = "/zahlung/größe/?artikel=Öl"
    urls = {**URLS, "successUrl": f"{SHOP}{path}"}
    link = visitor.start_checkout(changes={"redirectDetails": urls})
    location = visitor.post(link, {"outcome": "success"}).headers["Location"]
    assert location == f"{SHOP}{quote(path, safe='/?=')}"
