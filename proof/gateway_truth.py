"""What the gateway has carried out, asked for by its own status query, against what our rows allow for.

Nothing may have happened there that we do not at least count with, and nothing may stand
in our books as done that has not happened there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

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


class _Truth:
    """How much of some rows the gateway has approved, in minor units, at one instant."""

    def __init__(
        self, rows: list[GatewayTransaction], records: Mapping[str, list[StatusRecord]], *, may_double: bool
    ) -> None:
        self._rows = rows
        self._doubled = [row for row in rows if len(records[row.reference]) > 1]
        for row in () if may_double else self._doubled:
            require(may_double, f"carried out once, not {len(records[row.reference])} times", row)
        self._approved = {
            reference: sum(minor_units(record) or 0 for record in found)
            for reference, found in records.items()
        }

    @property
    def doubles(self) -> list[str]:
        """What the gateway has carried out twice, by kind and reference."""
        return [str(row) for row in self._doubled]

    def check_doubles_named(self) -> None:
        """Make sure that a difference names each request that the gateway has carried out twice."""
        for row in self._doubled:
            named = Discrepancy.objects.filter(transaction=row, kind=DiscrepancyKind.EXECUTED_TWICE)
            require(named.exists(), "a difference names what the gateway has carried out twice", row)

    def _check_rows(self) -> None:
        for row in self._rows:
            there, is_doubled = self._approved[row.reference], row in self._doubled
            allowed = _PAGE_MAY_BE_PAID if row.kind == K.CHECKOUT else _MAY_BE_DONE
            within = is_doubled or there <= row.amount_minor
            require(within, f"no more than asked for is carried out, {there}", row)
            is_possible = not there or row.state in allowed or (is_doubled and row.deposit_id is None)
            require(is_possible, f"what was carried out can be {row.state} here", row)
            is_known = is_doubled or (row.approved_minor or 0) in {0, there}
            require(is_known, "what is approved here was carried out there", row)


class GatewayTruth(_Truth):
    """What the gateway has approved of an order.

    With ``may_double`` the gateway may have carried out twice what was sent once. Then the sums of its
    payment are compared only after the last question, and of a capture or refund only;
    ``check_doubles_named`` requires a discrepancy for each, which a person sees.
    """

    def __init__(self, order: PaymentOrder, gateway: Gateway, *, may_double: bool = False) -> None:
        self._order, self._payments = order, list(order.payments.all())
        every = list(
            GatewayTransaction.objects.filter(payment__order=order).order_by("pk").select_related("payment")
        )
        rows = [row for row in every if row.attempt_no]
        self._booked_elsewhere = [row for row in every if row.origin == TransactionOrigin.ELSEWHERE]
        filed = {payment.pk: approved_under(payment.reference, gateway) for payment in self._payments}
        records = {}
        for row in rows:
            # One whose answer was lost is looked for under the payment's reference, too: a person at the
            # provider's may have done it instead.
            attributed = [one for one in filed[row.payment_id or 0] if one.id == row.record_id]
            records[row.reference] = _of_type(row, approved_under(row.reference, gateway)) or _of_type(
                row, attributed
            )
        super().__init__(rows, records, may_double=may_double)
        self._unbookable = {row.payment_id for row in self._doubled if row.kind not in _BOOKABLE}
        ours = {record.id for found in records.values() for record in found}
        self._portal: dict[int, Counter[TransactionKind]] = {pk: Counter() for pk in filed}
        for pk, found in filed.items():
            # What was done in the portal is filed under the payment's own reference.
            for record in found:
                kind = KINDS.get(record.type.lower())
                if kind is not None and record.id not in ours:
                    self._portal[pk][kind] += minor_units(record) or 0

    def check_allowed_for(self) -> None:
        """Make sure that we count with what has happened, and have the gateway's word for what we booked."""
        self._check_rows()
        doubled = {row.payment_id for row in self._doubled}
        for payment in self._payments:
            if not payment.is_frozen and payment.pk not in doubled:
                self._check_within(payment)
        cards = [payment for payment in self._payments if self._sum(payment, K.AUTHORIZATION)]
        # A gateway that answers an error, carries the request out and does not show it yet is believed: its
        # late record freezes the payment, which tells a person.
        charged = [one for one in cards if not (one.is_frozen or self._all(one, K.REVERSAL))]
        require(len(charged) <= 1, "an order is charged to one card, or a person is told", charged)
        if self._order.state not in _WITHOUT_MONEY | {OrderState.FROZEN}:
            paid = any(self._sum(payment, *OPENING_KINDS) for payment in self._payments)
            require(paid, "paid there what is paid here", self._order)

    def check_known(self) -> None:
        """Make sure that after enough questions our sums are the gateway's, unless a person was called.

        A second capture or refund is among them once a person has accepted the first.
        """
        for payment in self._payments:
            if payment.is_frozen or payment.pk in self._unbookable:
                continue
            opened = self._sum(payment, *OPENING_KINDS)
            require(payment.authorized == opened, _known("authorized"), payment)
            if payment.type != "sale":
                captured = payment.captured + self._excess(payment, K.CAPTURE)
                require(captured == self._all(payment, K.CAPTURE), _known("captured"), payment)
            refunded = payment.refunded + self._excess(payment, K.REFUND)
            require(refunded == self._all(payment, K.REFUND), _known("refunded"), payment)
            is_reversed = bool(self._all(payment, K.REVERSAL))
            require((payment.reversal == Reversal.DONE) == is_reversed, _known("reversal"), payment)
        taken = sum(
            self._sum(payment, *OPENING_KINDS) - self._all(payment, K.REFUND, K.REVERSAL)
            for payment in self._payments
        )
        is_told = self._order.state in {OrderState.OVERPAID, OrderState.FROZEN} or self._doubled
        is_right = taken <= self._order.amount_minor or is_told
        require(is_right, "paid once, or a person is told", self._order)

    def _check_within(self, payment: Payment) -> None:
        booked = {kind: self._booked(payment, kind) for kind in (K.CAPTURE, K.REFUND, K.REVERSAL)}
        if payment.type != "sale":
            possible = payment.captured + payment.capture_reserved - booked[K.CAPTURE]
            is_counted = self._sum(payment, K.CAPTURE) <= possible
            require(is_counted, "each capture there is counted with here", payment)
        possible = payment.refunded + payment.refund_reserved - booked[K.REFUND]
        is_counted = self._sum(payment, K.REFUND) <= possible
        require(is_counted, "each refund there is counted with here", payment)
        is_counted = not self._sum(payment, K.REVERSAL) or payment.reversal != Reversal.NONE
        require(is_counted, "a reversal there is counted with here", payment)
        for kind, minor in booked.items():
            was_made = minor <= self._portal[payment.pk][kind]
            require(was_made, f"what is booked as {kind} made elsewhere was made there", payment)

    def _sum(self, payment: Payment, *kinds: TransactionKind) -> int:
        mine = (row for row in self._rows if row.payment_id == payment.pk and row.kind in kinds)
        return sum(self._approved[row.reference] for row in mine)

    def _all(self, payment: Payment, *kinds: TransactionKind) -> int:
        """What was done through us and in the portal."""
        return self._sum(payment, *kinds) + sum(self._portal[payment.pk][kind] for kind in kinds)

    def _booked(self, payment: Payment, kind: TransactionKind) -> int:
        mine = (row for row in self._booked_elsewhere if row.payment_id == payment.pk and row.kind == kind)
        return sum((row.approved_minor or 0) - row.excess_minor for row in mine)

    def _excess(self, payment: Payment, kind: TransactionKind) -> int:
        """What was carried out beyond the payment's limits, which its sums do not contain."""
        rows = (*self._rows, *self._booked_elsewhere)
        return sum(row.excess_minor for row in rows if row.payment_id == payment.pk and row.kind == kind)


class DepositTruth(_Truth):
    """How much of a deposit of an earlier provider the gateway has given back; it may have done so twice."""

    def __init__(self, deposit: MigratedDeposit, gateway: Gateway) -> None:
        self._deposit = deposit
        rows = list(deposit.transactions.filter(attempt_no__gt=0).order_by("pk"))
        records = {row.reference: _of_type(row, approved_under(row.reference, gateway)) for row in rows}
        super().__init__(rows, records, may_double=True)

    def check_known(self) -> None:
        """Make sure that after enough questions our sum is the gateway's, unless a person was called."""
        self.check_doubles_named()
        self._check_rows()
        is_known = self._deposit.refunded == sum(self._approved.values())
        is_told = self._deposit.is_frozen or self._doubled
        require(is_known or is_told, _known("refunded"), self._deposit)


def _known(counter: str) -> str:
    return f"{counter} is what the gateway carried out"


def approved_under(reference: str, gateway: Gateway) -> list[StatusRecord]:
    """Return what the gateway has approved under a reference."""
    return [record for record in gateway.status(reference).message.records if record.is_approved]


def _of_type(row: GatewayTransaction, records: list[StatusRecord]) -> list[StatusRecord]:
    return [record for record in records if record.type.lower() == type_of(row)]


def requests_of(control: SandboxControl) -> list[tuple[str, str]]:
    """Return operation and reference of each request that moves money, as the gateway's journal has them."""
    return [
        (entry["operation"], str(entry["body"]["clientSystemTransactionId"]))
        for entry in control.journal()
        # What came without its whole body is no request: its sender died.
        if entry["operation"] in MOVES_MONEY and entry["body"]
    ]


def check_sent_once(control: SandboxControl) -> None:
    """Make sure that no request that moves money came to the gateway a second time."""
    sent = Counter(reference for _, reference in requests_of(control))
    require(not sent or max(sent.values()) == 1, "what moves money is sent once", sent.most_common(3))
