"""From the cart to an order: addresses, the last look, and what placing an order stores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from example_project.shop.models import Order
from example_project.shop.preferences import CHECKOUT_KEY
from tests.example_project.conftest import ADDRESS
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder

if TYPE_CHECKING:
    from django.test import Client
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

    from tests.example_project.conftest import Visitor


@pytest.fixture
def shopper(visitor: Visitor) -> Visitor:
    visitor.add("harbour-mug", 2)
    visitor.give_address()
    return visitor


def text(answer: Answer) -> str:
    return answer.content.decode()


def test_a_fault_is_named_beside_its_field_and_on_top(visitor: Visitor) -> None:
    visitor.add("harbour-mug")
    answer = visitor.give_address(**{"billing-street": ""})

    assert answer.status_code == 422
    assert 'href="#id_billing-street"' in text(answer)
    assert 'id="id_billing-street_error"' in text(answer)
    assert 'aria-invalid="true"' in text(answer)
    # Said once, beside the field; the list on top leads there, has the focus and changes the title.
    assert text(answer).count("This field is required.") == 1
    assert 'class="faults" role="group" aria-labelledby="faults-heading" tabindex="-1" autofocus' in text(
        answer
    )
    assert "<title>Error: Address" in text(answer)


def test_the_parcels_address_is_checked_only_when_it_is_another(visitor: Visitor) -> None:
    visitor.add("harbour-mug")
    answer = visitor.give_address(**{"billing-ship_elsewhere": "on"})

    assert answer.status_code == 422
    assert set(answer.context["parcel"].errors) >= {"street", "city", "country_code", "first_name"}
    assert not answer.context["billing"].errors


def test_another_address_for_the_parcel_reaches_order_and_wallet(visitor: Visitor) -> None:
    visitor.add("harbour-mug")
    parcel = {name.replace("billing-", "parcel-"): value for name, value in ADDRESS.items()}
    visitor.give_address(**parcel | {"billing-ship_elsewhere": "on", "parcel-street": "Elbe 1"})
    visitor.place()
    order = Order.objects.get()

    assert order.shipping_address["street"] == "Elbe 1"
    content = PaymentOrder.objects.get(reference=order.number).content
    assert content["addressDetails"]["shippingAddress"]["street"] == "Elbe 1"
    assert content["addressDetails"]["billingAddress"]["street"] == "Lerchenweg"


def test_shipping_and_code_change_the_total(shopper: Visitor) -> None:
    before = shopper.review().context["quote"].total
    shopper.choose(shipping="courier", code="lark10")
    after = shopper.review().context["quote"]

    assert str(before) == "52.90"
    assert (str(after.shipping), str(after.discount), str(after.total)) == ("9.90", "4.80", "53.10")


def test_an_unknown_code_is_refused_and_nothing_changes(shopper: Visitor) -> None:
    answer = shopper.choose(code="SWALLOW")

    assert answer.status_code == 422
    assert "SWALLOW" in text(answer)
    assert shopper.review().context["quote"].code is None


def test_placing_an_order_tells_the_wallet_everything(shopper: Visitor) -> None:
    shopper.choose(code="THANKYOU")
    answer = shopper.place()
    order = Order.objects.get()
    wallet_order = payments.get_order(order.number)

    assert answer.headers["Location"] == order.get_absolute_url()
    assert wallet_order.amount.to_wire() == "47.90"
    assert wallet_order.continue_url == reverse("shop:order-back", args=[order.number])
    assert wallet_order.order_number == order.number
    assert wallet_order.content["checkoutDetails"]["cardholderEmail"] == "robin@example.com"
    assert wallet_order.content["checkoutDetails"]["language"] == "en"
    cart = wallet_order.cart
    assert cart is not None
    assert cart["discountDetails"] == [
        {"discountAmount": "5.00", "discountType": "storecredit", "discountName": "Thank-you credit"}
    ]
    assert cart["shippingDetails"]["shippingTaxAmount"] == "0.78"


def test_a_double_click_places_one_order_and_leads_to_it(shopper: Visitor) -> None:
    shown = shopper.review().context
    form = {"shipping": "post", "code": "", "action": "place", "total": shown["total_shown"]}
    form["order"] = shown["answers"].key
    first = shopper.client.post(reverse("shop:review"), form)
    second = shopper.client.post(reverse("shop:review"), form)

    assert Order.objects.count() == 1
    assert first.headers["Location"] == second.headers["Location"] == Order.objects.get().get_absolute_url()


def test_two_requests_at_the_same_moment_place_one_order(shopper: Visitor, client: Client) -> None:
    session = client.session
    before = dict(session)
    shopper.place()
    # As the second of two requests saw it that were both under way.
    session = client.session
    session.update(before)
    session.save()
    answer = shopper.place()

    assert Order.objects.count() == 1
    assert answer.headers["Location"] == Order.objects.get().get_absolute_url()


def test_a_number_begun_with_another_cart_is_not_used_again(shopper: Visitor, client: Client) -> None:
    number = client.session[CHECKOUT_KEY]["number"]
    payments.create_order(reference=number, currency="EUR", amount=payments.Money.parse("1.00", "EUR"))
    shopper.place()

    assert Order.objects.get().number != number


@pytest.mark.parametrize(
    "changed",
    [{"total": "1 EUR"}, {"total": ""}, {"shipping": "courier"}, {"code": "LARK10"}],
    ids=["another total", "no total", "another shipping", "another code"],
)
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


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ar"])
@pytest.mark.parametrize("currency", ["EUR", "JPY", "KWD"])
def test_the_wallet_is_told_the_language_and_the_products_names_in_it(
    visitor: Visitor, language: str, currency: str
) -> None:
    visitor.client.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    order = visitor.order("harbour-mug", currency=currency, code="LARK10")
    wallet_order = payments.get_order(order.number)
    cart = wallet_order.cart

    assert cart is not None
    assert wallet_order.language == language
    assert cart["itemDetails"][0]["productName"] == order.lines.get().product.names[language]
