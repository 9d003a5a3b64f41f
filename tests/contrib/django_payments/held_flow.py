"""Payments that somebody else than the bridge holds, and saves later: nothing older is written back."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from django.db.models.signals import pre_save
from payments import PaymentStatus, RedirectNeeded
from payments.signals import status_changed

from tests.contrib.django_payments.models import Payment
from tests.contrib.django_payments.shop import a_payment, stored
from wallet_gateway import payments as wallet
from wallet_gateway.contrib.django_payments.provider import WalletProvider

if TYPE_CHECKING:
    from django.test import Client

    from wallet_gateway.testing.control import SandboxControl

pytest_plugins = ["tests.contrib.django_payments.fixtures"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def diary() -> Iterator[None]:
    """The shop's own receiver, which writes each status into a column of the payment."""

    def write(instance: Payment, **_rest: object) -> None:
        instance.description += f"{instance.status};"
        instance.save()

    status_changed.connect(write)
    yield
    status_changed.disconnect(write)


def diary_of(payment: Payment) -> str:
    return str(Payment.objects.get(pk=payment.pk).description)


@pytest.mark.usefixtures("diary")
def test_what_the_shop_writes_when_it_hears_of_a_refund_stays(paid: Payment) -> None:
    before = diary_of(paid)
    paid.refund(Decimal("25.00"))
    assert diary_of(paid) == paid.description == f"{before}refunded;"
    assert stored(paid) == (PaymentStatus.REFUNDED, Decimal(0))


@pytest.mark.usefixtures("diary")
def test_what_the_shop_has_changed_and_not_saved_yet_is_saved_with_the_refund(paid: Payment) -> None:
    paid.billing_city = "Berlin"
    paid.attrs.reason = "broken"
    paid.refund(Decimal("5.00"))
    row = Payment.objects.get()
    assert (row.billing_city, row.attrs.reason, row.captured_amount) == ("Berlin", "broken", Decimal("20.00"))


def test_a_refund_of_a_payment_that_is_read_in_part_is_subtracted_once(paid: Payment) -> None:
    Payment.objects.defer("captured_amount", "description").get().refund(Decimal("5.00"))
    assert stored(paid) == (PaymentStatus.CONFIRMED, Decimal("20.00"))
    part = Payment.objects.defer("description").get()
    part.refund(Decimal("1.00"))
    assert "description" in part.get_deferred_fields()
    assert stored(paid)[1] == Decimal("19.00")


@pytest.mark.parametrize(
    ("other", "left"),
    [
        ("3.00", (PaymentStatus.CONFIRMED, Decimal("17.00"))),
        ("20.00", (PaymentStatus.REFUNDED, Decimal(0))),
    ],
)
def test_of_two_refunds_at_once_none_is_undone(paid: Payment, other: str, left: tuple[str, Decimal]) -> None:
    def refund_too(instance: Payment, update_fields: object, **_rest: object) -> None:
        if instance is paid and update_fields is None:
            pre_save.disconnect(refund_too)
            wallet.refund(wallet.get_order(paid.token), Decimal(other))

    pre_save.connect(refund_too)
    paid.refund(Decimal("5.00"))
    assert stored(paid) == (paid.status, paid.captured_amount) == left


def test_a_refund_by_the_provider_alone_is_not_added_by_a_later_save(paid: Payment) -> None:
    assert WalletProvider().refund(paid, Decimal("5.00")) == Decimal("5.00")
    paid.save()
    assert stored(paid)[1] == Decimal("20.00")


def test_a_payment_whose_row_was_deleted_is_not_refunded(paid: Payment) -> None:
    Payment.objects.get().delete()
    with pytest.raises(Payment.DoesNotExist):
        paid.refund(Decimal("5.00"))
    assert wallet.order_summary(wallet.get_order(paid.token)).refunded.minor_units == 0


def test_a_customer_who_comes_with_an_older_page_does_not_undo_a_cancellation() -> None:
    payment = a_payment()
    Payment.objects.get().cancel()
    with pytest.raises(RedirectNeeded):
        payment.get_form()
    assert stored(payment)[0] == payment.status == PaymentStatus.CANCELLED


def test_a_late_payment_is_captured_although_its_status_stays(
    client: Client, gateway: SandboxControl
) -> None:
    payment = a_payment()
    client.get(f"/pay/{payment.pk}/")
    payment.refresh_from_db()
    payment.cancel()
    attempt = wallet.get_order(payment.token).payments.get()
    client.get(gateway.complete_checkout(attempt.reference, "success"))
    assert stored(payment) == (PaymentStatus.CANCELLED, Decimal("25.00"))


# Payments that were deleted


def test_money_for_a_payment_that_was_deleted_is_an_error_in_the_log(
    client: Client, gateway: SandboxControl, caplog: pytest.LogCaptureFixture
) -> None:
    payment = a_payment()
    client.get(f"/pay/{payment.pk}/")
    Payment.objects.all().delete()
    order = wallet.get_order(payment.token)
    client.get(gateway.complete_checkout(order.payments.get().reference, "success"))
    (said,) = [line for line in caplog.records if line.name == "wallet_gateway.bridges"]
    assert said.levelname == "ERROR"
    assert payment.token in said.getMessage()
    assert not order.outbox_events.filter(delivered_at=None).exists()
