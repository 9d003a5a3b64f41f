"""The shop of these tests itself: its seams do what the other tests rely on."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.money.gateway import Killed, killing
from tests.money.shop import Shop
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_never_left_is_sent_by_the_sweep(shop: Shop) -> None:
    payment = shop.pay()
    with shop.cut_off():
        refund = payments.refund(payment.order, amount=Decimal("5.00"))
    assert (refund.state, shop.gateway.sent) == ("NOT_SENT", [])

    shop.until(refund.next_send_at)
    payments.sweep()

    refund.refresh_from_db()
    assert (refund.state, len(shop.gateway.sent)) == ("APPROVED", 1)


def test_a_killed_process_leaves_what_it_had_committed(shop: Shop) -> None:
    payment = shop.pay()
    shop.gateway.answers.append(killing)
    with pytest.raises(Killed):
        payments.refund(payment.order, amount=Decimal("5.00"))
    assert GatewayTransaction.objects.get(kind="REFUND").state == "SENDING"


def test_a_changed_setting_keeps_the_gateway_connected(shop: Shop) -> None:
    shop.configure(APPROVAL_LIMITS={"EUR": "5.00"})
    payment = shop.pay()
    with pytest.raises(payments.errors.AwaitingApproval):
        payments.refund(payment.order, amount=Decimal("6.00"), by="anna")


def test_a_deposit_is_refunded(shop: Shop) -> None:
    deposit = shop.deposit()
    refund = payments.refund_migrated(deposit.parent_transaction_id, amount=Decimal("5.00"), currency="EUR")
    assert refund.state == "APPROVED"
