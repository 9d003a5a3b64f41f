"""What `tests.contrib.test_bridges` runs in the shop with django-payments, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.db.models import Manager, QuerySet
from payments import PaymentError, PaymentStatus, RedirectNeeded
from payments.signals import status_changed

from tests.contrib.django_payments.models import Payment
from tests.contrib.django_payments.shop import a_payment, pay, stored
from wallet_gateway import payments as wallet
from wallet_gateway.contrib.django_payments import receivers
from wallet_gateway.contrib.django_payments.provider import WalletProvider
from wallet_gateway.models import PaymentOrder

if TYPE_CHECKING:
    from django.test import Client

    from wallet_gateway.testing.control import SandboxControl

pytest_plugins = ["tests.contrib.django_payments.fixtures"]
pytestmark = pytest.mark.django_db(transaction=True)


def test_a_customer_pays_and_sees_the_shops_own_page(
    client: Client, gateway: SandboxControl, changes: list[str]
) -> None:
    payment = a_payment()
    assert pay(client, gateway, payment)["Location"] == payment.get_process_url()
    assert client.get(payment.get_process_url())["Location"] == payment.get_success_url()
    assert stored(payment) == (PaymentStatus.CONFIRMED, Decimal("25.00"))
    assert changes == [PaymentStatus.INPUT, PaymentStatus.CONFIRMED]


def test_goods_customer_and_address_are_sent_to_the_gateway(client: Client) -> None:
    payment = a_payment(
        billing_first_name="Robin",
        billing_email="robin@example.com",
        billing_address_1="Lerchenweg 7",
        billing_city="Hamburg",
        billing_postcode="20095",
        billing_country_code="DE",
    )
    client.get(f"/pay/{payment.pk}/")
    content = wallet.get_order(payment.token).content
    assert content["shoppingCartDetails"]["shippingDetails"]["shippingAmount"] == "5.00"
    assert content["checkoutDetails"]["cardholderEmail"] == "robin@example.com"
    address = content["addressDetails"]["billingAddress"]
    assert (address["street"], address["houseNumber"], address["countryCode"]) == ("Lerchenweg", "7", "DEU")


def test_a_refused_customer_may_pay_again(
    client: Client, gateway: SandboxControl, changes: list[str]
) -> None:
    payment = a_payment()
    pay(client, gateway, payment, "refused")
    assert stored(payment) == (PaymentStatus.REJECTED, Decimal(0))
    assert client.get(payment.get_process_url())["Location"] == payment.get_failure_url()
    pay(client, gateway, payment)
    assert stored(payment) == (PaymentStatus.CONFIRMED, Decimal("25.00"))
    assert changes[1:] == [PaymentStatus.REJECTED, PaymentStatus.CONFIRMED]


def test_a_payment_that_the_shops_own_manager_leaves_out_is_brought_in_step(
    paid: Payment, monkeypatch: pytest.MonkeyPatch
) -> None:
    Payment.objects.update(status=PaymentStatus.WAITING)
    none = Manager.from_queryset(QuerySet)()
    none.model = Payment
    monkeypatch.setattr(none, "get_queryset", lambda: QuerySet(Payment).none())
    monkeypatch.setitem(Payment._meta.__dict__, "default_manager", none)
    receivers.follow(order=wallet.get_order(paid.token))
    assert Payment.objects.get().status == PaymentStatus.CONFIRMED


def test_the_address_of_the_success_page_pays_nothing(client: Client) -> None:
    payment = a_payment()
    for _visit in range(2):
        assert client.get(payment.get_process_url())["Location"] == payment.get_failure_url()
        client.get(f"/pay/{payment.pk}/")
    assert stored(payment) == (PaymentStatus.INPUT, Decimal(0))


def test_another_amount_is_another_order(client: Client) -> None:
    payment = a_payment()
    client.get(f"/pay/{payment.pk}/")
    payment.total = Decimal("30.00")
    with pytest.raises(wallet.errors.IdempotencyConflict):
        payment.get_form()


def test_a_refund_is_subtracted_once(paid: Payment, changes: list[str]) -> None:
    paid.refund(Decimal("5.00"))
    assert (paid.captured_amount, stored(paid)) == (
        Decimal("20.00"),
        (PaymentStatus.CONFIRMED, Decimal("20.00")),
    )
    paid.refund()
    assert stored(paid) == (PaymentStatus.REFUNDED, Decimal("0.00"))
    assert changes == [PaymentStatus.REFUNDED]


def test_a_refund_made_elsewhere_is_subtracted_too(paid: Payment) -> None:
    wallet.refund(wallet.get_order(paid.token), Decimal("5.00"))
    assert stored(paid)[1] == Decimal("20.00")
    # The row that this process has read before is older.
    paid.refund(Decimal("1.00"))
    assert stored(paid)[1] == Decimal("19.00")


def test_a_refund_whose_answer_is_lost_is_subtracted_when_it_is_known(
    paid: Payment, gateway: SandboxControl
) -> None:
    gateway.fault("refund", "drop_after", times=1)
    with pytest.raises(PaymentError, match="not known yet"):
        paid.refund(Decimal("5.00"))
    assert stored(paid)[1] == Decimal("25.00")
    wallet.reconcile(wallet.get_order(paid.token), everything=True)
    assert stored(paid)[1] == Decimal("20.00")


def test_a_refund_that_the_gateway_declines_changes_nothing(paid: Payment, gateway: SandboxControl) -> None:
    gateway.fault("refund", "errored", times=1)
    with pytest.raises(PaymentError):
        paid.refund(Decimal("5.00"))
    assert stored(paid) == (PaymentStatus.CONFIRMED, Decimal("25.00"))


def test_more_than_is_left_is_refused(paid: Payment) -> None:
    wallet.refund(wallet.get_order(paid.token), Decimal("24.00"))
    with pytest.raises(PaymentError, match="left to refund"):
        paid.refund(Decimal("5.00"))


def test_a_reserved_amount_is_captured(reserved: Payment, changes: list[str]) -> None:
    assert stored(reserved) == (PaymentStatus.PREAUTH, Decimal(0))
    reserved.capture(Decimal("10.00"))
    assert stored(reserved) == (PaymentStatus.CONFIRMED, Decimal("10.00"))
    assert reserved.captured_amount == Decimal("10.00")
    wallet.capture(wallet.get_order(reserved.token))
    assert stored(reserved) == (PaymentStatus.CONFIRMED, Decimal("25.00"))
    assert changes == [PaymentStatus.CONFIRMED]


def test_a_reserved_amount_is_released(reserved: Payment) -> None:
    reserved.release()
    assert stored(reserved) == (PaymentStatus.REFUNDED, Decimal(0))
    assert wallet.get_order(reserved.token).state == "REVERSED"


def test_a_cancelled_payment_opens_no_page(client: Client, changes: list[str]) -> None:
    payment = a_payment()
    client.get(f"/pay/{payment.pk}/")
    payment.refresh_from_db()
    payment.cancel()
    assert stored(payment) == (PaymentStatus.CANCELLED, Decimal(0))
    order = wallet.get_order(payment.token)
    assert (order.state, order.cancelled_by) == ("CANCELLED", "django-payments")
    assert client.get(f"/pay/{payment.pk}/")["Location"] == f"/wallet/pay/{order.token}/"
    assert order.payments.count() == 1
    assert changes == [PaymentStatus.INPUT, PaymentStatus.CANCELLED, PaymentStatus.CANCELLED]


def test_goods_are_free_only_when_the_open_page_has_ended(
    client: Client, pass_time: Callable[..., None]
) -> None:
    payment = a_payment()
    client.get(f"/pay/{payment.pk}/")
    payment.refresh_from_db()
    payment.cancel()
    assert not wallet.get_order(payment.token).is_released
    pass_time(minutes=45)
    assert wallet.get_order(payment.token).is_released
    assert stored(payment)[0] == PaymentStatus.CANCELLED


def test_a_late_payment_stays_cancelled_until_a_person_has_decided(
    client: Client, gateway: SandboxControl
) -> None:
    payment = a_payment()
    client.get(f"/pay/{payment.pk}/")
    payment.refresh_from_db()
    payment.cancel()
    attempt = wallet.get_order(payment.token).payments.get()
    client.get(gateway.complete_checkout(attempt.reference, "success"))
    assert wallet.get_order(payment.token).state == "FROZEN"
    assert stored(payment)[0] == PaymentStatus.CANCELLED
    wallet.refund(wallet.get_order(payment.token))
    assert stored(payment) == (PaymentStatus.REFUNDED, Decimal(0))


def test_an_order_that_holds_money_is_not_cancelled(paid: Payment) -> None:
    Payment.objects.update(status=PaymentStatus.INPUT)  # as this process has read it before it was paid
    paid.refresh_from_db()
    with pytest.raises(PaymentError, match="Refund it"):
        paid.cancel()
    assert wallet.get_order(paid.token).is_paid


def test_an_order_that_nobody_pays_in_time_is_cancelled(
    monkeypatch: pytest.MonkeyPatch, client: Client, pass_time: Callable[..., None], changes: list[str]
) -> None:
    details = WalletProvider.order_details

    def in_time(provider: WalletProvider, payment: Payment) -> dict[str, Any]:
        return details(provider, payment) | {"payable_until": payment.created + timedelta(minutes=20)}

    monkeypatch.setattr(WalletProvider, "order_details", in_time)
    payment = a_payment()
    client.get(f"/pay/{payment.pk}/")
    pass_time(minutes=45)
    assert stored(payment)[0] == PaymentStatus.CANCELLED
    assert wallet.get_order(payment.token).is_released
    assert changes[-1] == PaymentStatus.CANCELLED


def test_a_shop_that_fails_to_take_the_status_is_told_again(client: Client, gateway: SandboxControl) -> None:
    def fail(**_rest: object) -> None:
        raise ConnectionError("the shop's own receiver")

    payment = a_payment()
    client.get(f"/pay/{payment.pk}/")
    status_changed.connect(fail)
    try:
        pay(client, gateway, payment)
    finally:
        status_changed.disconnect(fail)
    assert stored(payment)[0] == PaymentStatus.INPUT
    receivers.follow(order=PaymentOrder.objects.get())
    assert stored(payment)[0] == PaymentStatus.CONFIRMED


def test_a_notification_is_refused(client: Client) -> None:
    assert client.post("/payments/process/wallet/").status_code == 404


def test_the_provider_without_the_app_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apps, "is_installed", lambda name: False)
    with pytest.raises(ImproperlyConfigured, match="INSTALLED_APPS"):
        WalletProvider()


def test_the_guide_is_followed(paid: Payment, follow: Callable[..., None]) -> None:
    follow("docs/how-to/django-payments.md", payment=paid, Payment=Payment)


def test_a_payment_keeps_its_order_when_its_variant_moves_to_another_gateway(
    client: Client,
    gateway: SandboxControl,
    settings: Any,  # noqa: ANN401
) -> None:
    payment = a_payment()
    client.get(f"/pay/{payment.pk}/")
    gateways = settings.WALLET_GATEWAY["GATEWAYS"]
    second = gateways["default"] | {"NUMBERING": "second"}
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"GATEWAYS": gateways | {"second": second}}
    with pytest.raises(RedirectNeeded):
        WalletProvider(gateway="second").get_form(payment)
    assert PaymentOrder.objects.get().gateway == "default"
    wallet.create_order(reference=payment.token, currency="EUR", amount=Decimal("25.00"), gateway="second")
    with pytest.raises(wallet.errors.InvalidInput, match=r"gateways that number .*default, second"):
        receivers.order_of(payment)
