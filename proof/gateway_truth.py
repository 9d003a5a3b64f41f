"""What the gateway has carried out, asked for by its own status query, against what our rows allow for.

Nothing may have happened there that we do not at least count with, and nothing may stand
in our books as done that has not happened there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from wallet_gateway.client.gateway import Gateway
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.evidence import KINDS, minor_units
from wallet_gateway.domain.states import (
    OPENING_KINDS,
    OrderState,
    Reversal,
    TransactionKind,
    TransactionOrigin,
    TransactionState,
)
from wallet_gateway.models import Discrepancy, GatewayTransaction, MigratedDeposit, Payment, PaymentOrder
from wallet_gateway.payments.status import type_of
from wallet_gateway.protocol.status import StatusRecord
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.invariants import require

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
_BOOKABLE = {K.CAPTURE, K.REFUND}
"""What was carried out a second time can be booked, beside the first."""
MOVES_MONEY = {"authorization", "capture", "refund", "reversal", "detached_refund", "checkout"}
"""What the sandbox calls the requests that are sent once."""
_NAMED = "a difference names what the gateway has carried out twice"


def _known(counter: str) -> str:
    return f"{counter} is what the gateway carried out"


class GatewayTruth:
    """How much of each transaction of an order the gateway has approved, in minor units, at one instant.

    With ``may_double`` the gateway may have carried out twice what was sent once. Then the sums of its
    payment are compared only after the last question, and of a capture or refund only;
    ``check_doubles_named`` requires a discrepancy for each, which a person sees.
    """

    def __init__(self, order: PaymentOrder, gateway: Gateway, *, may_double: bool = False) -> None:
        self._order = order
        self._payments: list[Payment] = list(order.payments.all())
        rows = (
            GatewayTransaction.objects.filter(payment__order=order).order_by("pk").select_related("payment")
        )
        self._transactions = [row for row in rows if row.attempt_no]
        self._booked_elsewhere = [row for row in rows if row.origin == TransactionOrigin.ELSEWHERE]
        filed = {payment.pk: _under(payment.reference, gateway) for payment in self._payments}
        records = {row.reference: _approved(row, gateway) for row in self._transactions}
        for row in self._transactions:
            records[row.reference] = records[row.reference] or _attributed(row, filed[row.payment_id or 0])
        self._doubled = _doubled(self._transactions, records, may_double=may_double)
        self._doubled_payments = {row.payment_id for row in self._doubled}
        self._unbookable = {row.payment_id for row in self._doubled if row.kind not in _BOOKABLE}
        self._approved = {reference: _sum(found) for reference, found in records.items()}
        ours = {record.id for found in records.values() for record in found}
        self._portal = {
            pk: _made_elsewhere(one for one in found if one.id not in ours) for pk, found in filed.items()
        }

    @property
    def doubles(self) -> list[str]:
        """What the gateway has carried out twice, by kind and reference."""
        return [str(row) for row in self._doubled]

    def check_doubles_named(self) -> None:
        """Make sure that a difference names each request that the gateway has carried out twice."""
        for row in self._doubled:
            require(_is_named(row), _NAMED, row)

    def check_allowed_for(self) -> None:
        """Make sure that we count with what has happened, and have the gateway's word for what we booked."""
        for transaction in self._transactions:
            self._check(transaction)
        for payment in self._payments:
            if not payment.is_frozen and payment.pk not in self._doubled_payments:
                self._check_within(payment)
        self._check_order()

    def check_known(self) -> None:
        """Make sure that after enough questions our sums are the gateway's, unless a person was called.

        A second capture or refund is among them once a person has accepted the first.
        """
        for payment in self._payments:
            if payment.is_frozen or payment.pk in self._unbookable:
                continue
            require(payment.authorized == self._sum(payment, *OPENING_KINDS), _known("authorized"), payment)
            if payment.type != "sale":
                captured = payment.captured + self._excess(payment, K.CAPTURE)
                require(captured == self._all(payment, K.CAPTURE), _known("captured"), payment)
            refunded = payment.refunded + self._excess(payment, K.REFUND)
            require(refunded == self._all(payment, K.REFUND), _known("refunded"), payment)
            require(
                (payment.reversal == Reversal.DONE) == bool(self._all(payment, K.REVERSAL)),
                _known("reversal"),
                payment,
            )
        taken = sum(
            self._sum(payment, *OPENING_KINDS) - self._given_back(payment) for payment in self._payments
        )
        told = {OrderState.OVERPAID, OrderState.FROZEN}
        require(
            taken <= self._order.amount_minor or self._order.state in told or self._doubled,
            "paid once, or a person is told",
            self._order,
        )

    def _check(self, transaction: GatewayTransaction) -> None:
        there = self._approved[transaction.reference]
        if transaction in self._doubled:
            return
        require(
            there <= transaction.amount_minor,
            f"no more than asked for is carried out, {there}",
            transaction,
        )
        allowed = _PAGE_MAY_BE_PAID if transaction.kind == K.CHECKOUT else _MAY_BE_DONE
        require(
            not there or transaction.state in allowed,
            f"what was carried out can be {transaction.state} here",
            transaction,
        )
        require(
            (transaction.approved_minor or 0) in {0, there},
            "what is approved here was carried out there",
            transaction,
        )

    def _check_within(self, payment: Payment) -> None:
        if payment.type != "sale":
            possible = payment.captured + payment.capture_reserved - self._booked(payment, K.CAPTURE)
            require(
                self._sum(payment, K.CAPTURE) <= possible, "each capture there is counted with here", payment
            )
        possible = payment.refunded + payment.refund_reserved - self._booked(payment, K.REFUND)
        require(self._sum(payment, K.REFUND) <= possible, "each refund there is counted with here", payment)
        require(
            not self._sum(payment, K.REVERSAL) or payment.reversal != Reversal.NONE,
            "a reversal there is counted with here",
            payment,
        )
        for kind in (K.CAPTURE, K.REFUND, K.REVERSAL):
            require(
                self._booked(payment, kind) <= self._portal[payment.pk][kind],
                f"what is booked as {kind} made elsewhere was made there",
                payment,
            )

    def _check_order(self) -> None:
        cards = [payment for payment in self._payments if self._sum(payment, K.AUTHORIZATION)]
        # A gateway that answers an error, carries the request out and does not show it yet is believed: its
        # late record freezes the payment, which tells a person.
        charged = [one for one in cards if not (one.is_frozen or self._all(one, K.REVERSAL))]
        require(len(charged) <= 1, "an order is charged to one card, or a person is told", charged)
        if self._order.state not in _WITHOUT_MONEY | {OrderState.FROZEN}:
            require(
                any(self._sum(payment, *OPENING_KINDS) for payment in self._payments),
                "paid there what is paid here",
                self._order,
            )

    def _sum(self, payment: Payment, *kinds: TransactionKind) -> int:
        mine = (i for i in self._transactions if i.payment_id == payment.pk and i.kind in kinds)
        return sum(self._approved[transaction.reference] for transaction in mine)

    def _all(self, payment: Payment, *kinds: TransactionKind) -> int:
        """What was done through us and in the portal."""
        return self._sum(payment, *kinds) + sum(self._portal[payment.pk][kind] for kind in kinds)

    def _booked(self, payment: Payment, kind: TransactionKind) -> int:
        mine = (row for row in self._booked_elsewhere if row.payment_id == payment.pk and row.kind == kind)
        return sum((row.approved_minor or 0) - row.excess_minor for row in mine)

    def _excess(self, payment: Payment, kind: TransactionKind) -> int:
        """What was carried out beyond the payment's limits, which its sums do not contain."""
        rows = (*self._transactions, *self._booked_elsewhere)
        return sum(row.excess_minor for row in rows if row.payment_id == payment.pk and row.kind == kind)

    def _given_back(self, payment: Payment) -> int:
        return self._all(payment, K.REFUND, K.REVERSAL)


def _made_elsewhere(records: Iterable[StatusRecord]) -> Counter[TransactionKind]:
    """What was done in the portal, which files it under the payment's own reference."""
    done: Counter[TransactionKind] = Counter()
    for record in records:
        kind = KINDS.get(record.type.lower())
        if kind is not None:
            done[kind] += minor_units(record) or 0
    return done


def _under(reference: str, gateway: Gateway) -> list[StatusRecord]:
    """Return what the gateway has approved under a reference."""
    return [record for record in gateway.status(reference).message.records if record.is_approved]


def _approved(transaction: GatewayTransaction, gateway: Gateway) -> list[StatusRecord]:
    """Return the approved records of a transaction, each execution once."""
    there = _under(transaction.reference, gateway)
    return [record for record in there if record.type.lower() == type_of(transaction)]


def _attributed(transaction: GatewayTransaction, filed: list[StatusRecord]) -> list[StatusRecord]:
    """Return the record under the payment's reference that our books have as this transaction's.

    One whose answer was lost is looked for there, too: a person at the provider's may have done it instead.
    """
    of_type = [record for record in filed if record.type.lower() == type_of(transaction)]
    return [record for record in of_type if record.id == transaction.record_id]


def _sum(records: list[StatusRecord]) -> int:
    return sum(minor_units(record) or 0 for record in records)


def _doubled(
    rows: Iterable[GatewayTransaction], records: Mapping[str, list[StatusRecord]], *, may_double: bool
) -> list[GatewayTransaction]:
    """Return what was carried out more than once; raise ``BooksDisagree`` where that may not be."""
    doubled = [row for row in rows if len(records[row.reference]) > 1]
    for row in () if may_double else doubled:
        require(may_double, f"carried out once, not {len(records[row.reference])} times", row)
    return doubled


def _is_named(row: GatewayTransaction) -> bool:
    return Discrepancy.objects.filter(transaction=row, kind=DiscrepancyKind.EXECUTED_TWICE).exists()


class DepositTruth:
    """How much of a deposit of an earlier provider the gateway has given back; it may have done so twice."""

    def __init__(self, deposit: MigratedDeposit, gateway: Gateway) -> None:
        self._deposit = deposit
        rows = list(deposit.transactions.filter(attempt_no__gt=0).order_by("pk"))
        records = {row.reference: _approved(row, gateway) for row in rows}
        self._rows = rows
        self._doubled = _doubled(rows, records, may_double=True)
        self._approved = {reference: _sum(found) for reference, found in records.items()}

    @property
    def doubles(self) -> list[str]:
        """What the gateway has carried out twice, by kind and reference."""
        return [str(row) for row in self._doubled]

    def check_known(self) -> None:
        """Make sure that after enough questions our sum is the gateway's, unless a person was called."""
        for row in self._doubled:
            require(_is_named(row), _NAMED, row)
        for row in self._rows:
            there = self._approved[row.reference]
            require(not there or row.state in _MAY_BE_DONE, f"what was carried out can be {row.state}", row)
            if row not in self._doubled:
                require((row.approved_minor or 0) in {0, there}, "approved here as there", row)
        if not self._deposit.is_frozen and not self._doubled:
            require(self._deposit.refunded == sum(self._approved.values()), _known("refunded"), self._deposit)


def check_sent_once(control: SandboxControl) -> None:
    """Make sure that no request that moves money came to the gateway a second time."""
    entries = [entry for entry in control.journal() if entry["operation"] in MOVES_MONEY]
    check_references_sent_once(Counter(entry["body"]["clientSystemTransactionId"] for entry in entries))


def check_references_sent_once(sent: Counter[str]) -> None:
    """Make sure that no reference was sent a second time."""
    require(not sent or max(sent.values()) == 1, "what moves money is sent once", sent.most_common(3))
