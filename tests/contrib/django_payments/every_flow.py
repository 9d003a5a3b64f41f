"""What `tests.contrib.test_bridges` runs in the shop with django-payments, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.db.models import Manager, QuerySet
from django.db.models.signals import pre_save
from payments import PaymentError, PaymentStatus, RedirectNeeded

from tests.contrib.django_payments.models import Payment
from tests.contrib.django_payments.shop import Shop, a_payment, hearing, order_of, stored
from wallet_gateway import payments as wallet
from wallet_gateway.contrib.django_payments import receivers
from wallet_gateway.contrib.django_payments.provider import WalletProvider
from wallet_gateway.models import PaymentOrder

if TYPE_CHECKING:
    from django.test import Client
    from pytest_django import Settings

    from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db(transaction=True)
CONFIRMED, REFUNDED, CANCELLED = PaymentStatus.CONFIRMED, PaymentStatus.REFUNDED, PaymentStatus.CANCELLED


@pytest.fixture(autouse=True)
def shop(client: Client, wallet_sandbox: SandboxControl) -> Shop:
    return Shop(client, wallet_sandbox)


@pytest.fixture
def changes() -> Iterator[list[str]]:
    """The statuses that the shop was told."""
    told: list[str] = []
    with hearing(lambda payment: told.append(payment.status)):
        yield told


# Paying


def test_a_customer_pays_and_sees_the_shops_own_page(shop: Shop, changes: list[str]) -> None:
    payment = a_payment(
        billing_first_name="Robin",
        billing_email="robin@example.com",
        billing_address_1="Lerchenweg 7",
        billing_city="Hamburg",
        billing_postcode="20095",
        billing_country_code="DE",
    )
    assert shop.pay(payment)["Location"] == payment.get_process_url()
    assert shop.client.get(payment.get_process_url())["Location"] == payment.get_success_url()
    assert stored(payment) == (CONFIRMED, Decimal("25.00"))
    assert changes == [PaymentStatus.INPUT, CONFIRMED]
    content = order_of(payment).content
    assert content["shoppingCartDetails"]["shippingDetails"]["shippingAmount"] == "5.00"
    assert content["checkoutDetails"]["cardholderEmail"] == "robin@example.com"
    address = content["addressDetails"]["billingAddress"]
    assert (address["street"], address["houseNumber"], address["countryCode"]) == ("Lerchenweg", "7", "DEU")


def test_a_refused_customer_may_pay_again(shop: Shop, changes: list[str]) -> None:
    payment = a_payment()
    shop.pay(payment, "refused")
    assert stored(payment) == (PaymentStatus.REJECTED, Decimal(0))
    assert shop.client.get(payment.get_process_url())["Location"] == payment.get_failure_url()
    shop.pay(payment)
    assert stored(payment) == (CONFIRMED, Decimal("25.00"))
    assert changes[1:] == [PaymentStatus.REJECTED, CONFIRMED]


def test_a_payment_that_the_shops_own_manager_leaves_out_is_brought_in_step(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid = shop.sell()
    Payment.objects.update(status=PaymentStatus.WAITING)
    none = Manager.from_queryset(QuerySet)()
    none.model = Payment
    monkeypatch.setattr(none, "get_queryset", lambda: QuerySet(Payment).none())
    monkeypatch.setitem(Payment._meta.__dict__, "default_manager", none)
    receivers.follow(order=order_of(paid))
    assert Payment.objects.get().status == CONFIRMED


def test_the_address_of_the_success_page_and_a_notification_pay_nothing(shop: Shop) -> None:
    payment = a_payment()
    for _visit in range(2):
        assert shop.client.get(payment.get_process_url())["Location"] == payment.get_failure_url()
        shop.visit(payment)
    assert shop.client.post("/payments/process/wallet/").status_code == 404
    assert stored(payment) == (PaymentStatus.INPUT, Decimal(0))


def test_another_amount_is_another_order(shop: Shop) -> None:
    payment = shop.begin()
    payment.total = Decimal("30.00")
    with pytest.raises(wallet.errors.IdempotencyConflict):
        payment.get_form()


def test_a_shop_that_fails_to_take_the_status_is_told_again(shop: Shop) -> None:
    def fail(_: Payment) -> None:
        raise ConnectionError("the shop's own receiver")

    payment = shop.begin()
    with hearing(fail):
        shop.pay(payment)
    assert stored(payment)[0] == PaymentStatus.INPUT
    receivers.follow(order=order_of(payment))
    assert stored(payment)[0] == CONFIRMED


# Refunds


def test_a_refund_is_subtracted_once_wherever_it_was_made(shop: Shop, changes: list[str]) -> None:
    paid = shop.sell()
    paid.refund(Decimal("5.00"))
    assert (paid.captured_amount, stored(paid)) == (Decimal("20.00"), (CONFIRMED, Decimal("20.00")))
    wallet.refund(order_of(paid), Decimal("2.00"))
    assert stored(paid)[1] == Decimal("18.00")
    # The row that this process has read before is older.
    paid.refund(Decimal("1.00"))
    assert stored(paid)[1] == Decimal("17.00")
    assert WalletProvider().refund(paid, Decimal("3.00")) == Decimal("3.00")
    paid.save()
    assert stored(paid)[1] == Decimal("14.00"), "a later save adds nothing"
    paid.refund()
    assert stored(paid) == (REFUNDED, Decimal("0.00"))
    assert changes[2:] == [REFUNDED]


def test_a_refund_whose_answer_is_lost_is_subtracted_when_it_is_known(shop: Shop) -> None:
    paid = shop.sell()
    shop.gateway.fault("refund", "drop_after", times=1)
    with pytest.raises(PaymentError, match="not known yet"):
        paid.refund(Decimal("5.00"))
    assert stored(paid)[1] == Decimal("25.00")
    wallet.reconcile(order_of(paid), everything=True)
    assert stored(paid)[1] == Decimal("20.00")


def test_a_refund_that_is_declined_or_too_much_changes_nothing(shop: Shop) -> None:
    paid = shop.sell()
    shop.gateway.fault("refund", "errored", times=1)
    with pytest.raises(PaymentError):
        paid.refund(Decimal("5.00"))
    assert stored(paid) == (CONFIRMED, Decimal("25.00"))
    wallet.refund(order_of(paid), Decimal("24.00"))
    with pytest.raises(PaymentError, match="left to refund"):
        paid.refund(Decimal("5.00"))
    assert stored(paid) == (CONFIRMED, Decimal("1.00"))


# What was reserved


def test_a_reserved_amount_is_captured(shop: Shop, changes: list[str]) -> None:
    reserved = shop.sell("reserving")
    assert stored(reserved) == (PaymentStatus.PREAUTH, Decimal(0))
    reserved.capture(Decimal("10.00"))
    assert stored(reserved) == (CONFIRMED, reserved.captured_amount) == (CONFIRMED, Decimal("10.00"))
    wallet.capture(order_of(reserved))
    assert stored(reserved) == (CONFIRMED, Decimal("25.00"))
    assert changes[2:] == [CONFIRMED]


def test_a_reserved_amount_is_released(shop: Shop) -> None:
    reserved = shop.sell("reserving")
    reserved.release()
    assert stored(reserved) == (REFUNDED, Decimal(0))
    assert order_of(reserved).state == "REVERSED"


# Cancellation


def test_a_cancelled_payment_opens_no_page_and_its_goods_are_free_when_the_open_one_has_ended(
    shop: Shop, changes: list[str], pass_time: Callable[..., None]
) -> None:
    payment = shop.begin()
    payment.cancel()
    assert stored(payment) == (CANCELLED, Decimal(0))
    order = order_of(payment)
    assert (order.state, order.cancelled_by, order.is_released) == ("CANCELLED", "django-payments", False)
    assert shop.visit(payment)["Location"] == f"/wallet/pay/{order.token}/"
    assert order.payments.count() == 1
    assert changes == [PaymentStatus.INPUT, CANCELLED, CANCELLED]
    pass_time(minutes=45)
    assert order_of(payment).is_released
    assert stored(payment)[0] == CANCELLED


def test_a_late_payment_stays_cancelled_until_a_person_has_decided(shop: Shop) -> None:
    payment = shop.begin()
    payment.cancel()
    shop.come_back(payment)
    assert order_of(payment).state == "FROZEN"
    assert stored(payment) == (CANCELLED, Decimal("25.00"))
    wallet.refund(order_of(payment))
    assert stored(payment) == (REFUNDED, Decimal(0))


def test_an_order_that_holds_money_is_not_cancelled(shop: Shop) -> None:
    paid = shop.sell()
    Payment.objects.update(status=PaymentStatus.INPUT)  # as this process has read it before it was paid
    paid.refresh_from_db()
    with pytest.raises(PaymentError, match="Refund it"):
        paid.cancel()
    assert order_of(paid).is_paid


def test_an_order_that_nobody_pays_in_time_is_cancelled(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, pass_time: Callable[..., None], changes: list[str]
) -> None:
    details = WalletProvider.order_details

    def in_time(provider: WalletProvider, payment: Payment) -> dict[str, Any]:
        return details(provider, payment) | {"payable_until": payment.created + timedelta(minutes=20)}

    monkeypatch.setattr(WalletProvider, "order_details", in_time)
    payment = shop.begin()
    pass_time(minutes=45)
    assert stored(payment)[0] == changes[-1] == CANCELLED
    assert order_of(payment).is_released


# Payments that somebody else than the bridge holds, and saves later: nothing older is written back


def test_what_the_shop_writes_and_saves_around_a_refund_stays(shop: Shop) -> None:
    def write(payment: Payment) -> None:
        payment.description += f"{payment.status};"
        payment.save()

    with hearing(write):
        paid = shop.sell()
        before = paid.description
        paid.billing_city = "Berlin"
        paid.attrs.reason = "broken"
        paid.refund(Decimal("5.00"))
        row = Payment.objects.get()
        assert (row.billing_city, row.attrs.reason, row.captured_amount) == ("Berlin", "broken", Decimal(20))
        paid.refund(Decimal("20.00"))
    assert Payment.objects.get().description == paid.description == f"{before}refunded;"
    assert stored(paid) == (REFUNDED, Decimal(0))


def test_a_refund_of_a_payment_that_is_read_in_part_is_subtracted_once(shop: Shop) -> None:
    paid = shop.sell()
    Payment.objects.defer("captured_amount", "description").get().refund(Decimal("5.00"))
    assert stored(paid) == (CONFIRMED, Decimal("20.00"))
    part = Payment.objects.defer("description").get()
    part.refund(Decimal("1.00"))
    assert "description" in part.get_deferred_fields()
    assert stored(paid)[1] == Decimal("19.00")


@pytest.mark.parametrize(
    ("other", "left"), [("3.00", (CONFIRMED, Decimal("17.00"))), ("20.00", (REFUNDED, Decimal(0)))]
)
def test_of_two_refunds_at_once_none_is_undone(shop: Shop, other: str, left: tuple[str, Decimal]) -> None:
    def refund_too(instance: Payment, update_fields: object, **_rest: object) -> None:
        if instance is paid and update_fields is None:
            pre_save.disconnect(refund_too)
            wallet.refund(order_of(paid), Decimal(other))

    paid = shop.sell()
    pre_save.connect(refund_too)
    paid.refund(Decimal("5.00"))
    assert stored(paid) == (paid.status, paid.captured_amount) == left


def test_a_customer_who_comes_with_an_older_page_does_not_undo_a_cancellation() -> None:
    payment = a_payment()
    Payment.objects.get().cancel()
    with pytest.raises(RedirectNeeded):
        payment.get_form()
    assert stored(payment)[0] == payment.status == CANCELLED


def test_a_payment_whose_row_was_deleted_is_not_refunded_and_money_for_it_is_an_error_in_the_log(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    paid, late = shop.sell(), shop.begin()
    Payment.objects.all().delete()
    with pytest.raises(Payment.DoesNotExist):
        paid.refund(Decimal("5.00"))
    assert wallet.order_summary(order_of(paid)).refunded.minor_units == 0
    shop.come_back(late)
    (said,) = [line for line in caplog.records if line.name == "wallet_gateway.bridges"]
    assert (said.levelname, late.token in said.getMessage()) == ("ERROR", True)
    assert not order_of(late).outbox_events.filter(delivered_at=None).exists()


# Setting up


def test_the_provider_without_the_app_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apps, "is_installed", lambda name: False)
    with pytest.raises(ImproperlyConfigured, match="INSTALLED_APPS"):
        WalletProvider()


def test_the_guide_is_followed(shop: Shop, follow: Callable[..., None]) -> None:
    follow("docs/how-to/django-payments.md", payment=shop.sell(), Payment=Payment)


def test_a_payment_keeps_its_order_when_its_variant_moves_to_another_gateway(
    shop: Shop, settings: Settings
) -> None:
    payment = shop.begin()
    gateways = settings.WALLET_GATEWAY["GATEWAYS"]
    second = gateways["default"] | {"NUMBERING": "second"}
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"GATEWAYS": gateways | {"second": second}}
    with pytest.raises(RedirectNeeded):
        WalletProvider(gateway="second").get_form(payment)
    assert PaymentOrder.objects.get().gateway == "default"
    wallet.create_order(reference=payment.token, currency="EUR", amount=Decimal("25.00"), gateway="second")
    with pytest.raises(wallet.errors.InvalidInput, match=r"gateways that number .*default, second"):
        receivers.order_of(payment)
