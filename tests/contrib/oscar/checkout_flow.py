"""Paying in oscar's checkout: set up by the guide, one order, confirmed once it is paid, recorded once."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse
from oscar.apps.checkout.views import PaymentDetailsView
from oscar.core.loading import get_class, get_model
from oscar.test.factories import create_voucher

from tests.contrib.oscar.shop import (
    EMAIL_BACKEND,
    PAID_BOOKS,
    Order,
    OscarRow,
    OscarShop,
    books,
    refunded,
    to_pay,
)
from tests.contrib.page_blocks import lines_of, templates_of
from wallet_gateway import payments
from wallet_gateway.contrib.oscar import checks, loading, receivers, sources
from wallet_gateway.contrib.oscar.checkout import WalletPaymentMixin
from wallet_gateway.models import PaymentOrder, SentMail

if TYPE_CHECKING:
    from pytest_django import Settings

pytest_plugins = ["tests.contrib.oscar.fixtures"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.filterwarnings("ignore:update is not implemented in this backend"),  # of the simple search
]
PAGE = "docs/how-to/oscar.md"


# The checkout


def test_a_guest_pays_and_the_order_moves_on(shop: OscarShop) -> None:
    answer = shop.place_an_order()
    order = Order.objects.get()
    assert (order.status, mail.outbox) == ("Pending", []), "nothing is confirmed before it is paid"
    assert answer["Location"] == to_pay().payments.get().redirect_url
    content = to_pay().content
    (line,) = content["shoppingCartDetails"]["itemDetails"]
    assert (line["productName"], line["productQuantity"], line["unitAmount"]) == ("Mug", 2, "12.50")
    assert (content["amount"], content["checkoutDetails"]["cardholderEmail"]) == (
        "25.00",
        "robin@example.com",
    )
    assert content["addressDetails"]["billingAddress"] == {
        "street": "Lerchenweg",
        "houseNumber": "7",
        "city": "Hamburg",
        "zipPostalCode": "20095",
        "countryCode": "DEU",
    }
    thanks = shop.pay()["Location"]
    assert thanks == reverse("checkout:thank-you")
    assert shop.client.get(thanks).context["order"] == order
    order.refresh_from_db()
    assert (order.status, books()) == ("Being processed", PAID_BOOKS)
    (sent,) = mail.outbox
    assert sent.to == ["robin@example.com"]
    assert order.number in sent.body
    assert f"/accounts/order-status/{order.number}/" in sent.body


def test_oscars_placeholder_for_payment_details_is_passed_over_and_a_shops_own_page_is_shown(
    shop: OscarShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.come_as_a_guest()
    shop.say_where_to_ship()
    assert shop.client.get(reverse("checkout:payment-details"))["Location"] == reverse("checkout:preview")
    # The class has the module of the one that it extends; a shop asks for a gift card in a fork of its own.
    view = get_class("checkout.views", "PaymentDetailsView")
    monkeypatch.setattr(view, "__module__", "myshop.checkout.views")
    assert shop.client.get(reverse("checkout:payment-details")).status_code == 200


def test_an_address_without_house_number_is_not_sent(shop: OscarShop) -> None:
    shop.place_an_order(line1="High Street")
    assert "addressDetails" not in to_pay().content


def test_a_voucher_is_a_discount(shop: OscarShop) -> None:
    create_voucher()
    shop.come_as_a_guest()
    shop.client.post(reverse("basket:vouchers-add"), {"code": "test"})
    shop.check_out()
    (discount,) = to_pay().content["shoppingCartDetails"]["discountDetails"]
    assert (to_pay().content["amount"], discount["discountAmount"]) == ("20.00", "5.00")


def test_who_cancels_can_pay_again_and_nothing_is_confirmed_before(shop: OscarShop) -> None:
    shop.place_an_order()
    again = reverse("wallet_gateway:checkout", args=[to_pay().token])
    assert again in shop.pay("cancelled").content.decode()
    assert (Order.objects.get().status, mail.outbox) == ("Pending", [])
    shop.client.post(again)
    shop.pay()
    assert Order.objects.get().status == "Being processed"


def test_a_gateway_that_does_not_answer_leaves_an_order_that_can_be_paid_later(shop: OscarShop) -> None:
    shop.gateway.fault("checkout", "status_before", status=503, times=1)
    answer = shop.place_an_order()
    assert answer["Location"] == reverse("wallet_gateway:pay", args=[to_pay().token])
    assert "Pay with your wallet" in shop.client.get(answer["Location"]).content.decode()


def test_what_costs_nothing_is_confirmed_at_once(shop: OscarShop) -> None:
    assert shop.place_an_order(price="0.00")["Location"] == reverse("checkout:thank-you")
    assert (PaymentOrder.objects.count(), len(mail.outbox)) == (0, 1)


def test_what_another_source_pays_is_left_to_it(shop: OscarShop, monkeypatch: pytest.MonkeyPatch) -> None:
    def by_invoice(view: OscarRow, number: object, total: OscarRow, **kwargs: object) -> None:
        kind, _ = get_model("payment", "SourceType").objects.get_or_create(name="Invoice")
        amount = allocated or total.incl_tax
        view.add_payment_source(get_model("payment", "Source")(source_type=kind, amount_allocated=amount))

    monkeypatch.setattr(PaymentDetailsView, "handle_payment", by_invoice)
    allocated: Decimal | None = None
    assert shop.place_an_order()["Location"] == reverse("checkout:thank-you")
    assert not PaymentOrder.objects.exists()
    Order.objects.all().delete()
    allocated = Decimal("5.00")
    shop.place_an_order()
    assert str(to_pay().amount) == "20.00 EUR"


def test_a_customer_who_closed_the_window_pays_from_the_history(shop: OscarShop) -> None:
    shop.client.force_login(User.objects.create_user("ada", "ada@example.com", "secret"), EMAIL_BACKEND)
    shop.fill_the_basket()
    shop.check_out()
    history = reverse("customer:order", args=[Order.objects.get().number])
    button = reverse("wallet_gateway:checkout", args=[to_pay().token])
    assert button in shop.client.get(history).content.decode()
    shop.client.post(button)
    shop.pay()
    assert button not in shop.client.get(history).content.decode()


def test_an_order_that_the_gateway_must_not_have_is_not_placed(shop: OscarShop) -> None:
    shop.set_gateway(CURRENCIES=["CHF"])
    answer = shop.place_an_order()
    assert "A problem occurred while placing this order" in answer.content.decode()
    assert not Order.objects.exists()
    assert shop.client.get(reverse("basket:summary")).context["basket"].num_items == 2


def test_requests_in_a_transaction_are_no_hindrance(shop: OscarShop) -> None:
    shop.answer_in_transactions()
    shop.sell()
    shop.create_event("Refunded", "3.00")
    assert refunded() == [Decimal(3)]


# What is reported


def test_an_event_that_is_delivered_twice_is_recorded_once(shop: OscarShop) -> None:
    paid = shop.sell()
    paid.set_status("Complete")
    receivers.confirm(order=to_pay())
    paid.refresh_from_db()
    assert (paid.status, paid.notes.count()) == ("Complete", 0), "an order is never put back"
    assert (books(), len(mail.outbox)) == (PAID_BOOKS, 1)


def test_a_mail_that_could_not_be_sent_is_sent_later(
    shop: OscarShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("oscar.apps.communication.utils.EmailMultiAlternatives.send", lambda _: 1 / 0)
        shop.sell()
    assert (books(), mail.outbox) == (PAID_BOOKS, []), "the money is recorded whatever becomes of the mail"
    receivers.confirm(order=to_pay())
    assert (len(mail.outbox), SentMail.objects.count()) == (1, 1)


# Another brand in the same project


@pytest.fixture
def outlet(settings: Settings, shop: OscarShop) -> None:
    """A second gateway that numbers its orders separately."""
    gateways = settings.WALLET_GATEWAY["GATEWAYS"]
    second = gateways["default"] | {"NUMBERING": "outlet"}
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"GATEWAYS": gateways | {"outlet": second}}


def test_an_order_of_another_brand_with_the_same_number_is_not_oscars(shop: OscarShop, outlet: None) -> None:
    shop.place_an_order()
    placed = Order.objects.get()
    theirs = payments.create_order(
        reference=placed.number, currency="EUR", amount=Decimal("9.00"), gateway="outlet"
    )
    shop.gateway.complete_checkout(payments.start_checkout(theirs).reference, "success")
    assert payments.reconcile(theirs).is_paid
    assert books() == ([], [], (Decimal(0), Decimal(0), Decimal(0)))
    assert mail.outbox == []

    ours = sources.order_to_pay(placed.sources.get())
    assert ours == payments.get_order(placed.number, gateway="default")
    placed.set_status("Cancelled")
    ours.refresh_from_db()
    theirs.refresh_from_db()
    assert (ours.is_cancelled, theirs.is_cancelled) == (True, False)


def test_oscars_orders_are_not_spread_over_two_numberings(
    shop: OscarShop, outlet: None, caplog: pytest.LogCaptureFixture
) -> None:
    shop.configure(
        order_details=lambda order, amount: {"currency": "EUR", "amount": amount, "gateway": "outlet"}
    )
    shop.place_an_order()
    # Oscar logs it, and tells the customer that something went wrong.
    assert "give the gateways 'default' and 'outlet' the same NUMBERING" in caplog.text
    assert not Order.objects.exists()
    assert not PaymentOrder.objects.exists()


# Settings


def test_the_guide_is_followed_in_less_than_fifteen_lines(
    shop: OscarShop, follow: Callable[..., None]
) -> None:
    shop.sell()
    follow(PAGE)
    written = "".join(lines_of(PAGE, file) for file in ("settings.py", "urls.py"))
    written += templates_of(PAGE)["oscar/checkout/preview.html"]
    assert len(written.splitlines()) < 15


def test_the_class_of_a_shop_that_has_forked_an_app_is_extended_once_where_the_app_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def load(found: type) -> type:
        monkeypatch.setattr(loading, "default_class_loader", lambda *_: [found])
        extended: type = loading.class_loader("checkout.views", ["PaymentDetailsView"], "oscar.apps")[0]
        return extended

    forked = type("Forked", (PaymentDetailsView,), {})
    assert issubclass(load(forked), forked)
    assert issubclass(load(forked), WalletPaymentMixin)
    assert load(forked) is load(forked)
    assert load(load(forked)) is load(forked)
    monkeypatch.setattr(apps, "is_installed", lambda name: False)
    with pytest.raises(ImproperlyConfigured, match="INSTALLED_APPS"):
        load(type("Another", (PaymentDetailsView,), {}))


def test_a_missing_setting_is_told_before_orders_are_placed_unpaid(
    shop: OscarShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert checks.check_shop() == []
    monkeypatch.setattr(checks, "get_class", lambda *_: PaymentDetailsView)
    shop.configure(paid_status="Being proccessed", cancelled_status="Canceled", minutes_to_pay=20)
    first, second, third = checks.check_shop()
    assert (first.id, second.id, third.id) == tuple(f"wallet_oscar.E00{n}" for n in (1, 2, 3))
    assert "OSCAR_DYNAMIC_CLASS_LOADER" in str(first.hint)
    assert "'Being proccessed'" in second.msg
    assert "'Canceled'" in third.msg
    shop.configure(minutes_to_pay=None)
    assert len(checks.check_shop()) == 2, "a shop without that status has no orders that end by themselves"
