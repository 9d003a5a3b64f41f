"""From the cart to a paid order: what is refused, what placing an order stores, and who may see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.contrib.messages import get_messages
from django.urls import reverse

from example_project.shop.cart import Cart
from example_project.shop.models import Order
from example_project.shop.preferences import CHECKOUT_KEY
from example_project.shop.sheet_choices import for_order
from example_project.shop.states import STANDINGS, standing
from tests.example_project.conftest import ADDRESS
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.conf import gateway_settings
from wallet_gateway.domain.states import OrderState
from wallet_gateway.models import PaymentOrder

if TYPE_CHECKING:
    from django.test import Client
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer
    from pytest_django import Settings

    from tests.example_project.conftest import Visitor


@pytest.fixture
def shopper(visitor: Visitor) -> Visitor:
    visitor.add("harbour-mug", 2)
    visitor.give_address()
    return visitor


def text(answer: Answer) -> str:
    return answer.content.decode()


def test_a_double_click_places_one_order_of_which_the_wallet_is_told_everything(shopper: Visitor) -> None:
    parcel = {name.replace("billing-", "parcel-"): value for name, value in ADDRESS.items()}
    shopper.give_address(**parcel | {"billing-ship_elsewhere": "on", "parcel-street": "Elbe 1"})
    shopper.choose(code="THANKYOU")
    shown = shopper.review().context
    form = {"shipping": "post", "code": "THANKYOU", "action": "place", "total": shown["total_shown"]}
    form["order"] = shown["answers"].key
    answers = [shopper.client.post(reverse("shop:review"), form) for _click in range(2)]
    order = Order.objects.get()
    wallet_order = payments.get_order(order.number)

    assert {answer.headers["Location"] for answer in answers} == {order.get_absolute_url()}
    assert wallet_order.amount.to_wire() == "47.90"
    assert wallet_order.continue_url == reverse("shop:order-back", args=[order.number])
    assert wallet_order.order_number == order.number
    assert wallet_order.content["checkoutDetails"]["cardholderEmail"] == "robin@example.com"
    assert wallet_order.content["checkoutDetails"]["language"] == "en"
    addresses = wallet_order.content["addressDetails"]
    assert addresses["shippingAddress"]["street"] == order.shipping_address["street"] == "Elbe 1"
    assert addresses["billingAddress"]["street"] == "Lerchenweg"
    cart = wallet_order.cart
    assert cart is not None
    assert cart["discountDetails"] == [
        {"discountAmount": "5.00", "discountType": "storecredit", "discountName": "Thank-you credit"}
    ]
    assert cart["shippingDetails"]["shippingTaxAmount"] == "0.78"


@every("changed", [{"total": "1 EUR"}, {"total": ""}, {"shipping": "courier"}, {"code": "LARK10"}])
def test_nothing_is_ordered_at_a_sum_that_was_not_shown(shopper: Visitor, changed: dict[str, str]) -> None:
    answer = shopper.place(**changed)

    assert answer.headers["Location"] == reverse("shop:review")
    assert not Order.objects.exists()
    assert "The total has changed" in text(shopper.review())


def test_what_the_wallet_refuses_is_shown_by_field_and_nothing_is_stored(
    shopper: Visitor, client: Client
) -> None:
    session = client.session
    session[CHECKOUT_KEY]["address"]["billing"]["country_code"] = "DE"
    session.save()
    answer = shopper.place()

    assert answer.status_code == 422
    assert "billing_address.country_code" in text(answer)
    assert not Order.objects.exists()
    assert not PaymentOrder.objects.exists()


def test_what_is_wrong_in_cart_address_and_code_is_said_and_changes_nothing(
    visitor: Visitor, client: Client
) -> None:
    for quantity in ("", "x", "-1", "1.5", "100", "1e1"):
        answer = visitor.add("harbour-mug", quantity)
        assert not Cart(client.session).lines()
        words = "Please give a whole number from 0 to 99 as the quantity of Harbour mug."
        assert [str(told) for told in get_messages(answer.wsgi_request)][-1] == words
    visitor.add("harbour-mug", 2)
    visitor.add("lichen-ink", 9)
    assert [line.quantity for line in Cart(client.session).lines()] == [2, 3], "no more than there is"
    visitor.change("lichen-ink", 0)
    answer = visitor.give_address(**{"billing-street": "", "billing-ship_elsewhere": "on"})
    assert answer.status_code == 422
    assert {"street", "city", "country_code", "first_name"} <= set(answer.context["parcel"].errors)
    assert list(answer.context["billing"].errors) == ["street"]
    visitor.give_address()
    assert visitor.choose(code="SWALLOW").status_code == 422
    assert visitor.review().context["quote"].code is None
    for elsewhere in ("https://evil.example/", "//evil.example/", "javascript:alert(1)", ""):
        assert visitor.switch("JPY", next=elsewhere).headers["Location"] == "/"


# The order's page

PAYABLE = {"OPEN", "FAILED", "EXPIRED", "REVERSED"}


def test_the_page_says_the_state_and_offers_to_pay_only_when_it_may(visitor: Visitor, client: Client) -> None:
    order = visitor.order()
    for state, words in STANDINGS.items():
        PaymentOrder.objects.filter(reference=order.number).update(state=state)
        html = client.get(order.get_absolute_url()).content.decode()
        assert str(words.title) in html, state
        assert ("wallet-checkout__button" in html) is (state in PAYABLE), state
    assert set(STANDINGS) == set(OrderState)
    assert "do not pay again" in str(standing("TELEPORTED").text), "a state that nobody has heard of"


def test_an_order_is_found_by_its_key_and_by_nothing_else(visitor: Visitor, client: Client) -> None:
    order = visitor.order()
    assert len(order.key) >= 22
    for guess in (order.number, str(order.pk), order.key[:-1], order.key.swapcase()):
        assert client.get(reverse("shop:order", args=[guess])).status_code == 404


def test_the_way_back_from_the_payment_leads_to_the_order_only_who_has_seen_it(
    visitor: Visitor, client: Client
) -> None:
    order = visitor.order()
    back = reverse("shop:order-back", args=[order.number])
    client.get(order.get_absolute_url())
    assert client.get(back).headers["Location"] == order.get_absolute_url()
    client.cookies.clear()
    assert client.get(back).headers["Location"] == reverse("shop:shelf")


# The panel of the demo: what is chosen is kept with the order, and said to the wallet

CHOSEN = {
    "sheet-drawn_by_wallet": "on",
    "sheet-color": "white",
    "sheet-type": "book",
    "sheet-locale": "fr",
    "sheet-billing": "FULL",
    "sheet-shipping": "on",
    "sheet-prices_open": "on",
}
WRONG = ({"sheet-color": "pink"}, {"sheet-type": ""}, {"sheet-locale": "xx"}, {"sheet-billing": "MAX"})


def test_the_panel_is_kept_with_the_order_said_to_the_wallet_and_only_there_in_debug_mode(
    visitor: Visitor, client: Client, settings: Settings
) -> None:
    order = visitor.order()
    panel = reverse("shop:sheet", args=[order.key])
    assert client.post(panel, CHOSEN).status_code == 404
    settings.DEBUG = True
    before = Order.objects.get().sheet
    for wrong in WRONG:
        client.post(panel, CHOSEN | wrong)
        assert Order.objects.get().sheet == before
    assert client.post(panel, CHOSEN).headers["Location"] == order.get_absolute_url()
    usual = gateway_settings("default").wallet
    assert usual is not None
    chosen = for_order(payments.get_order(order.number), usual)
    assert (chosen.use_wallet_button, chosen.button_color, chosen.button_type) == (True, "white", "book")
    assert (chosen.button_locale, chosen.billing_address) == ("fr", "FULL")
    assert (chosen.email_required, chosen.shipping_address) == (False, True)
    assert chosen.callbacks == ("SHIPPING_ADDRESS", "SHIPPING_OPTION", "OFFER")
    # The next order begins with what was chosen last.
    page = client.get(visitor.order("first-light").get_absolute_url())
    assert page.context["sheet"].initial["color"] == "white"
