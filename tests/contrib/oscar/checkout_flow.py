"""Paying in oscar's checkout: one order, confirmed once it is paid, and recorded once."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import connections
from django.test import Client
from django.urls import reverse
from oscar.apps.checkout.views import PaymentDetailsView
from oscar.core.loading import get_class, get_model
from oscar.test.factories import create_voucher

from tests.contrib.oscar.shop import (
    EMAIL_BACKEND,
    PAID_BOOKS,
    Order,
    books,
    check_out,
    come_as_a_guest,
    create_event,
    fill_the_basket,
    pay,
    place_an_order,
    say_where_to_ship,
    to_pay,
)
from wallet_gateway.contrib.oscar import receivers
from wallet_gateway.models import PaymentOrder, SentMail

if TYPE_CHECKING:
    from pytest_django.fixtures import Settings

    from wallet_gateway.testing.control import SandboxControl

pytest_plugins = ["tests.contrib.oscar.fixtures"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.filterwarnings("ignore:update is not implemented in this backend"),  # of the simple search
]


# The checkout


def test_a_guest_pays_and_the_order_moves_on(client: Client, shop: SandboxControl) -> None:
    answer = place_an_order(client)
    order = Order.objects.get()
    assert (order.status, mail.outbox) == ("Pending", []), "nothing is confirmed before it is paid"
    assert answer["Location"] == to_pay().payments.get().redirect_url
    thanks = pay(client, shop)["Location"]
    assert thanks == reverse("checkout:thank-you")
    assert client.get(thanks).context["order"] == order
    order.refresh_from_db()
    assert order.status == "Being processed"
    assert books() == PAID_BOOKS
    (sent,) = mail.outbox
    assert sent.to == ["robin@example.com"]
    assert order.number in sent.body
    assert f"/accounts/order-status/{order.number}/" in sent.body


def test_oscars_placeholder_for_payment_details_is_passed_over(client: Client) -> None:
    come_as_a_guest(client)
    say_where_to_ship(client)
    assert client.get(reverse("checkout:payment-details"))["Location"] == reverse("checkout:preview")


def test_a_shops_own_page_for_payment_details_is_shown(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The class has the module of the one that it extends; a shop asks for a gift card in a fork of its own.
    monkeypatch.setattr(
        get_class("checkout.views", "PaymentDetailsView"), "__module__", "myshop.checkout.views"
    )
    come_as_a_guest(client)
    say_where_to_ship(client)
    assert client.get(reverse("checkout:payment-details")).status_code == 200


def test_goods_customer_and_address_are_sent_to_the_gateway(client: Client) -> None:
    place_an_order(client)
    content = to_pay().content
    assert content["amount"] == "25.00"
    (line,) = content["shoppingCartDetails"]["itemDetails"]
    assert (line["productName"], line["productQuantity"], line["unitAmount"]) == ("Mug", 2, "12.50")
    assert content["checkoutDetails"]["cardholderEmail"] == "robin@example.com"
    assert content["addressDetails"]["billingAddress"] == {
        "street": "Lerchenweg",
        "houseNumber": "7",
        "city": "Hamburg",
        "zipPostalCode": "20095",
        "countryCode": "DEU",
    }


@pytest.mark.parametrize(("line", "sent"), [("7 High Street", "7"), ("High Street", None)])
def test_an_address_without_house_number_is_not_sent(client: Client, line: str, sent: str | None) -> None:
    place_an_order(client, line1=line)
    address = to_pay().content.get("addressDetails", {}).get("billingAddress", {})
    assert address.get("houseNumber") == sent


def test_a_voucher_is_a_discount(client: Client) -> None:
    create_voucher()
    fill_the_basket(client)
    client.post(reverse("basket:vouchers-add"), {"code": "test"})
    client.post(reverse("checkout:index"), {"username": "robin@example.com", "options": "anonymous"})
    check_out(client)
    content = to_pay().content
    assert content["amount"] == "20.00"
    (discount,) = content["shoppingCartDetails"]["discountDetails"]
    assert discount["discountAmount"] == "5.00"


def test_who_cancels_can_pay_again_and_nothing_is_confirmed_before(
    client: Client, shop: SandboxControl
) -> None:
    place_an_order(client)
    again = reverse("wallet_gateway:checkout", args=[to_pay().token])
    assert again in pay(client, shop, "cancelled").content.decode()
    assert (Order.objects.get().status, mail.outbox) == ("Pending", [])
    client.post(again)
    pay(client, shop)
    assert Order.objects.get().status == "Being processed"


def test_a_gateway_that_does_not_answer_leaves_an_order_that_can_be_paid_later(
    client: Client, shop: SandboxControl
) -> None:
    shop.fault("checkout", "status_before", status=503, times=1)
    answer = place_an_order(client)
    assert answer["Location"] == reverse("wallet_gateway:pay", args=[to_pay().token])
    assert "Pay with your wallet" in client.get(answer["Location"]).content.decode()


def test_what_costs_nothing_is_confirmed_at_once(client: Client) -> None:
    answer = place_an_order(client, price="0.00")
    assert answer["Location"] == reverse("checkout:thank-you")
    assert not PaymentOrder.objects.exists()
    assert len(mail.outbox) == 1


def test_what_another_source_pays_is_left_to_it(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def by_invoice(view: Any, number: object, total: Any, **kwargs: object) -> None:  # noqa: ANN401
        kind, _ = get_model("payment", "SourceType").objects.get_or_create(name="Invoice")
        source = get_model("payment", "Source")(
            source_type=kind, amount_allocated=allocated or total.incl_tax
        )
        view.add_payment_source(source)

    monkeypatch.setattr(PaymentDetailsView, "handle_payment", by_invoice)
    allocated: Decimal | None = None
    assert place_an_order(client)["Location"] == reverse("checkout:thank-you")
    assert not PaymentOrder.objects.exists()
    Order.objects.all().delete()
    allocated = Decimal("5.00")
    place_an_order(client)
    assert str(to_pay().amount) == "20.00 EUR"


def test_a_customer_who_closed_the_window_pays_from_the_history(client: Client, shop: SandboxControl) -> None:
    client.force_login(User.objects.create_user("ada", "ada@example.com", "secret"), EMAIL_BACKEND)
    fill_the_basket(client)
    check_out(client)
    history = reverse("customer:order", args=[Order.objects.get().number])
    button = reverse("wallet_gateway:checkout", args=[to_pay().token])
    assert button in client.get(history).content.decode()
    client.post(button)
    pay(client, shop)
    assert button not in client.get(history).content.decode()


def test_an_order_that_the_gateway_must_not_have_is_not_placed(client: Client, settings: Settings) -> None:
    given = settings.WALLET_GATEWAY
    default = given["GATEWAYS"]["default"] | {"CURRENCIES": ["CHF"]}
    settings.WALLET_GATEWAY = given | {"GATEWAYS": {"default": default}}
    answer = place_an_order(client)
    assert "A problem occurred while placing this order" in answer.content.decode()
    assert not Order.objects.exists()
    assert client.get(reverse("basket:summary")).context["basket"].num_items == 2


def test_requests_in_a_transaction_are_no_hindrance(
    client: Client, clerk: Client, shop: SandboxControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(connections.settings["default"], "ATOMIC_REQUESTS", True)
    place_an_order(client)
    pay(client, shop)
    assert create_event(clerk, "Refunded", "3.00") == "Payment event created"
    assert books()[2] == (Decimal(25), Decimal(25), Decimal(3))


# What is reported


def test_an_event_that_is_delivered_twice_is_recorded_once(paid: Any) -> None:  # noqa: ANN401
    paid.set_status("Complete")
    receivers.confirm(order=to_pay())
    paid.refresh_from_db()
    assert (paid.status, paid.notes.count()) == ("Complete", 0), "an order is never put back"
    assert books() == PAID_BOOKS
    assert len(mail.outbox) == 1


def test_a_mail_that_could_not_be_sent_is_sent_later(
    client: Client, shop: SandboxControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("oscar.apps.communication.utils.EmailMultiAlternatives.send", lambda _: 1 / 0)
        place_an_order(client)
        pay(client, shop)
    assert (books(), mail.outbox) == (PAID_BOOKS, []), "the money is recorded whatever becomes of the mail"
    receivers.confirm(order=to_pay())
    assert len(mail.outbox) == 1
    assert SentMail.objects.count() == 1
