"""What the gateway has carried out, asked for by its own status query, against what our rows allow for.

No test lives here. Nothing may have happened there that we do not at least count with, and nothing may stand
in our books as done that has not happened there.
"""

from __future__ import annotations

from collections import Counter

from wallet_gateway.client.gateway import Gateway
from wallet_gateway.domain.elsewhere import KINDS
from wallet_gateway.domain.lifecycle import (
    OPENING_KINDS,
    OrderState,
    TransactionKind,
    TransactionOrigin,
    TransactionState,
)
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.operations.polling.status_query import type_of
from wallet_gateway.testing.control import SandboxControl

S, K = TransactionState, TransactionKind

_MAY_BE_DONE = {S.SENDING, S.UNKNOWN, S.AWAITING_3DS, S.PENDING, S.APPROVED, S.ANOMALY}
# A page can be paid in its last second, or with another card, and one whose address was lost is still a page.
_PAGE_MAY_BE_PAID = _MAY_BE_DONE | {S.OPEN, S.REJECTED, S.EXPIRED, S.ABANDONED}
_WITHOUT_MONEY = {
    OrderState.CANCELLED,
    OrderState.OPEN,
    OrderState.PENDING,
    OrderState.FAILED,
    OrderState.EXPIRED,
}
_MOVES_MONEY = {"authorization", "capture", "refund", "reversal", "checkout"}


class GatewayTruth:
    """How much of each transaction of an order the gateway has approved, in minor units, at one instant."""

    def __init__(self, order: PaymentOrder, gateway: Gateway) -> None:
        self._order = order
        self._payments: list[Payment] = list(order.payments.all())
        rows = (
            GatewayTransaction.objects.filter(payment__order=order).order_by("pk").select_related("payment")
        )
        self._transactions = [row for row in rows if row.attempt_no]
        self._booked_elsewhere = [row for row in rows if row.origin == TransactionOrigin.ELSEWHERE]
        self._approved = {
            transaction.reference: _approved(transaction, gateway) for transaction in self._transactions
        }
        self._portal = {payment.pk: _made_elsewhere(payment, gateway) for payment in self._payments}

    def check_allowed_for(self) -> None:
        """Make sure that we count with what has happened, and have the gateway's word for what we booked."""
        for transaction in self._transactions:
            self._check(transaction)
        for payment in self._payments:
            if not payment.is_frozen:
                self._check_within(payment)
        self._check_order()

    def check_known(self) -> None:
        """Make sure that after enough questions our sums are the gateway's, unless a person was called."""
        for payment in self._payments:
            if payment.is_frozen:
                continue
            assert payment.authorized == self._sum(payment, *OPENING_KINDS), payment
            if payment.type != "sale":
                assert payment.captured == self._all(payment, K.CAPTURE), payment
            assert payment.refunded == self._all(payment, K.REFUND), payment
            assert (payment.reversal == Reversal.DONE) == bool(self._all(payment, K.REVERSAL)), payment
        taken = sum(
            self._sum(payment, *OPENING_KINDS) - self._given_back(payment) for payment in self._payments
        )
        told = {OrderState.OVERPAID, OrderState.FROZEN}
        assert taken <= self._order.amount_minor or self._order.state in told, self._order

    def _check(self, transaction: GatewayTransaction) -> None:
        there = self._approved[transaction.reference]
        assert there <= transaction.amount_minor, (
            f"{transaction}: {there} there, {transaction.amount_minor} asked for"
        )
        allowed = _PAGE_MAY_BE_PAID if transaction.kind == K.CHECKOUT else _MAY_BE_DONE
        assert not there or transaction.state in allowed, (
            f"{transaction} is {transaction.state} here and approved there"
        )
        assert (transaction.approved_minor or 0) in {0, there}, (
            f"{transaction} is approved here, and not there"
        )

    def _check_within(self, payment: Payment) -> None:
        if payment.type != "sale":
            possible = payment.captured + payment.capture_reserved - self._booked(payment, K.CAPTURE)
            assert self._sum(payment, K.CAPTURE) <= possible, payment
        possible = payment.refunded + payment.refund_reserved - self._booked(payment, K.REFUND)
        assert self._sum(payment, K.REFUND) <= possible, payment
        assert not self._sum(payment, K.REVERSAL) or payment.reversal != Reversal.NONE, payment
        for kind in (K.CAPTURE, K.REFUND, K.REVERSAL):
            assert self._booked(payment, kind) <= self._portal[payment.pk][kind], (
                f"{payment}: booked as {kind} elsewhere what nobody did"
            )

    def _check_order(self) -> None:
        cards = [payment for payment in self._payments if self._sum(payment, K.AUTHORIZATION)]
        charged = [payment for payment in cards if not self._all(payment, K.REVERSAL)]
        assert len(charged) <= 1, f"charged to several cards: {charged}"
        if self._order.state not in _WITHOUT_MONEY | {OrderState.FROZEN}:
            assert any(self._sum(payment, *OPENING_KINDS) for payment in self._payments), self._order

    def _sum(self, payment: Payment, *kinds: TransactionKind) -> int:
        mine = (i for i in self._transactions if i.payment_id == payment.pk and i.kind in kinds)
        return sum(self._approved[transaction.reference] for transaction in mine)

    def _all(self, payment: Payment, *kinds: TransactionKind) -> int:
        """What was done through us and in the portal."""
        return self._sum(payment, *kinds) + sum(self._portal[payment.pk][kind] for kind in kinds)

    def _booked(self, payment: Payment, kind: TransactionKind) -> int:
        mine = (row for row in self._booked_elsewhere if row.payment_id == payment.pk and row.kind == kind)
        return sum((row.approved_minor or 0) - row.excess_minor for row in mine)

    def _given_back(self, payment: Payment) -> int:
        return self._all(payment, K.REFUND, K.REVERSAL)


def _made_elsewhere(payment: Payment, gateway: Gateway) -> Counter[TransactionKind]:
    """What was done in the portal, which files it under the payment's own reference."""
    done: Counter[TransactionKind] = Counter()
    for record in gateway.status(payment.reference).message.records:
        kind = KINDS.get(record.type.lower())
        if kind is not None and record.state == "Approved":
            done[kind] += record.money.minor_units
    return done


def _approved(transaction: GatewayTransaction, gateway: Gateway) -> int:
    there = gateway.status(transaction.reference).message.records
    own = [record for record in there if record.type.lower() == type_of(transaction)]
    records = [record for record in own if record.state == "Approved"]
    assert len(records) <= 1, f"{transaction} was carried out {len(records)} times"
    return sum(record.money.minor_units for record in records)


def check_sent_once(control: SandboxControl) -> None:
    """Make sure that no request that moves money came to the gateway a second time."""
    sent = Counter(
        entry["body"]["clientSystemTransactionId"]
        for entry in control.journal()
        if entry["operation"] in _MOVES_MONEY
    )
    assert not sent or max(sent.values()) == 1, sent
