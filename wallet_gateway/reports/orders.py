"""The summary of one order: its totals, and its history in order of time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import (
    LifecycleEvent,
    OrderState,
    TransactionKind,
    TransactionOrigin,
    TransactionState,
)
from wallet_gateway.domain.totals import order_totals
from wallet_gateway.models import (
    Approval,
    ApprovalState,
    Discrepancy,
    GatewayTransaction,
    Payment,
    PaymentOrder,
    TransactionEvent,
    TransactionEventKind,
)
from wallet_gateway.models.labels import label_of
from wallet_gateway.models.transaction_events import BY_PEOPLE
from wallet_gateway.models.wallet import WalletEvent
from wallet_gateway.protocol.money import Money
from wallet_gateway.reports.approvals import approvals_of
from wallet_gateway.reports.differences import differences_of, made_elsewhere
from wallet_gateway.reports.unused_sessions import OF_THE_PAGE, as_loaded, is_idle, shown_often


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderSummary:
    """The totals of one order."""

    reference: str
    """The shop's reference of the order."""
    state: OrderState
    """The order's state."""
    currency: str
    """ISO 4217: "EUR"."""
    amount: Money
    """What the order comes to."""
    authorized: Money
    """What was approved in all."""
    captured: Money
    """What was taken in all."""
    refunded: Money
    """What was given back in all."""
    reserved: Money
    """Captures and refunds in progress, whose outcome is not known yet."""
    open_attempt: Payment | None
    """The attempt whose payment page may still be decided."""


def order_summary(order: PaymentOrder) -> OrderSummary:
    """Return the totals of an order's payments."""
    totals = order_totals(payment.totals for payment in order.payments.all())

    def money(minor: int) -> Money:
        return Money.from_minor_units(minor, order.currency)

    return OrderSummary(
        reference=order.reference,
        state=OrderState(order.state),
        currency=order.currency,
        amount=order.amount,
        authorized=money(totals.authorized),
        captured=money(totals.captured),
        refunded=money(totals.refunded),
        reserved=money(totals.reserved),
        open_attempt=_open_attempt(order),
    )


def _open_attempt(order: PaymentOrder) -> Payment | None:
    rows = GatewayTransaction.objects.filter(
        payment__order=order, kind=TransactionKind.CHECKOUT, state=TransactionState.OPEN
    )
    transaction = rows.select_related("payment__order").order_by("-pk").first()
    if transaction is None or transaction.payment is None:
        return None
    transaction.payment.opening = transaction
    return transaction.payment


class TimelineKind(StrEnum):
    """The subject of a timeline entry."""

    ORDERED = "ORDERED"
    STARTED = "STARTED"
    UPDATED = "UPDATED"
    DECIDED = "DECIDED"
    REPORTED = "REPORTED"
    """Reported by the customer's browser, which is not trusted."""
    DIFFERENCE = "DIFFERENCE"
    """Found at the gateway, and not in our records."""


Subject = GatewayTransaction | TransactionEvent | Approval | Discrepancy
"""The rows that a timeline tells about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEntry:
    """One entry of the timeline."""

    occurred_at: datetime
    """When it happened, in UTC."""
    kind: TimelineKind
    """What it is about."""
    text: str | Promise
    """What happened, in the active language."""
    amount: Money | None
    """The amount it is about; None without one."""
    reference: str
    """The reference of the entry's transaction; the shop's own reference for the order itself."""
    detail: str = ""
    """More about it, such as a gateway's code or a person's note."""
    reason_code: str = ""
    """Why it was requested, one of `ReasonCode`; empty if no reason was given."""
    by: str = ""
    """Who did it; empty for a program without a name."""
    subject: Subject | None = None
    """The row behind the entry, with the redacted bodies of requests and responses."""


_STARTED = {
    TransactionKind.CHECKOUT: _("Payment page requested"),
    TransactionKind.AUTHORIZATION: _("Wallet button shown"),
    TransactionKind.CAPTURE: _("Capture requested"),
    TransactionKind.REFUND: _("Refund requested"),
    TransactionKind.REVERSAL: _("Reversal requested"),
    TransactionKind.DETACHED_REFUND: _("Detached refund requested"),
}
_MADE_ELSEWHERE = {
    TransactionKind.CAPTURE: _("Capture made elsewhere"),
    TransactionKind.REFUND: _("Refund made elsewhere"),
    TransactionKind.REVERSAL: _("Reversal made elsewhere"),
}
_APPROVED = {
    TransactionKind.CHECKOUT: _("Payment approved"),
    TransactionKind.AUTHORIZATION: _("Payment approved"),
    TransactionKind.CAPTURE: _("Capture approved"),
    TransactionKind.REFUND: _("Refund approved"),
    TransactionKind.REVERSAL: _("Reversal approved"),
    TransactionKind.DETACHED_REFUND: _("Detached refund approved"),
}
_UPDATED = {
    TransactionState.NOT_SENT: _("Gateway not reached, nothing was sent"),
    TransactionState.UNKNOWN: _("Outcome unknown, the gateway is being asked"),
    TransactionState.OPEN: _("Payment page opened"),
    TransactionState.AWAITING_3DS: _("Customer sent to 3-D Secure"),
    TransactionState.PENDING: _("Pending at the gateway"),
    TransactionState.REJECTED: _("Not approved"),
    TransactionState.EXPIRED: _("Payment page expired unpaid"),
    TransactionState.ABANDONED: _("Given up"),
    TransactionState.ANOMALY: _("Contradiction found, a person must decide"),
}


_NOTHING_NEW = {
    TransactionEventKind.ANSWER: _("Answer received that changed nothing"),
    TransactionEventKind.FAULT: _("No usable answer"),
    TransactionEventKind.RECORDS: _("Gateway asked, nothing new"),
    TransactionEventKind.DECISION: _("Decision recorded"),
    TransactionEventKind.LEASE_ENDED: _("Sender went silent"),
    TransactionEventKind.LIMIT_REACHED: _("Wallet button closed"),
}
_OF_THE_ORDER = BY_PEOPLE | {TransactionEventKind.LIMIT_REACHED}
"""Events that concern the whole order, also where they stand at a button that is not shown by itself."""
_REPORTED = {
    **OF_THE_PAGE,
    WalletEvent.RESULT: _("Wallet result received"),
    WalletEvent.ERROR: _("Wallet reported an error"),
    WalletEvent.CLOSED: _("Wallet sheet closed"),
}


def order_timeline(order: PaymentOrder, *, everything: bool = False) -> tuple[TimelineEntry, ...]:
    """Return an order's history, the oldest first. Two SQL statements, however long the history is.

    Unused buttons are one entry, at the time of the last one: each page reload may show a new button.
    `everything` is for staff: it adds events that changed no state, how the button loaded in the browser and,
    with a statement each, the approval requests and the discrepancies.
    """
    rows = GatewayTransaction.objects.filter(payment__order=order).select_related("wallet")
    transactions = list(rows.order_by("pk"))
    events = (
        TransactionEvent.objects.filter(transaction__payment__order=order)
        .select_related("transaction")
        .order_by("pk")
    )
    idle = [transaction for transaction in transactions if is_idle(transaction)]
    several = {transaction.pk for transaction in idle} if len(idle) > 1 else set()
    told = [transaction for transaction in transactions if transaction.pk not in several]
    reported = (entry for transaction in told for entry in _reported(transaction, everything=everything))
    entries = [
        _ordered(order),
        *_cancelled(order),
        *map(_started, told),
        *([_shown(idle, everything=everything)] if several else ()),
        *reported,
        *_updated((row for row in events if _is_told(row, several)), everything=everything),
        *(entry for request in (approvals_of(order) if everything else ()) for entry in _asked(request)),
        *(entry for row in (differences_of(order) if everything else ()) for entry in _differed(row)),
    ]
    return tuple(sorted(entries, key=lambda entry: entry.occurred_at))


def _is_told(row: TransactionEvent, several: Collection[int]) -> bool:
    return row.transaction_id not in several or row.kind in _OF_THE_ORDER


def _ordered(order: PaymentOrder) -> TimelineEntry:
    return TimelineEntry(
        occurred_at=order.created_at,
        kind=TimelineKind.ORDERED,
        text=_("Order created"),
        amount=order.amount,
        reference=order.reference,
    )


def _cancelled(order: PaymentOrder) -> Iterator[TimelineEntry]:
    """Yield that the order was cancelled, and released."""
    if order.cancelled_at is None:
        return
    cancelled = TimelineEntry(
        occurred_at=order.cancelled_at,
        kind=TimelineKind.DECIDED if order.cancelled_by else TimelineKind.UPDATED,
        text=_("Order cancelled") if order.cancelled_by else _("Order cancelled, the time to pay was over"),
        amount=None,
        reference=order.reference,
        detail=order.cancellation_note,
        by=order.cancelled_by,
    )
    yield cancelled
    if order.released_at is not None:
        text = _("Goods released, nothing that was begun can pay the order any more")
        yield replace(
            cancelled,
            occurred_at=order.released_at,
            kind=TimelineKind.UPDATED,
            text=text,
            detail="",
            by="",
        )


def _started(transaction: GatewayTransaction) -> TimelineEntry:
    texts = _MADE_ELSEWHERE if transaction.origin == TransactionOrigin.ELSEWHERE else _STARTED
    kind = TransactionKind(transaction.kind)
    return TimelineEntry(
        occurred_at=transaction.created_at,
        kind=TimelineKind.STARTED,
        text=texts.get(kind, label_of(kind)),
        amount=transaction.amount,
        reference=transaction.reference,
        detail=transaction.comment,
        reason_code=transaction.reason_code,
        by=transaction.created_by,
        subject=transaction,
    )


def _shown(buttons: Sequence[GatewayTransaction], *, everything: bool) -> TimelineEntry:
    last = _started(buttons[-1])
    detail = as_loaded(buttons) if everything else ""
    return replace(last, text=shown_often(len(buttons)), detail=detail, subject=None)


def _reported(transaction: GatewayTransaction, *, everything: bool) -> Iterator[TimelineEntry]:
    """Yield the browser's reports, which are not confirmed by the gateway."""
    for event in transaction.wallet.events if hasattr(transaction, "wallet") else ():
        what = WalletEvent(event["event"])
        if what in OF_THE_PAGE and not everything:
            continue
        yield TimelineEntry(
            occurred_at=datetime.fromisoformat(event["at"]),
            kind=TimelineKind.REPORTED,
            text=_REPORTED[what],
            amount=None,
            reference=transaction.reference,
            detail=event["detail"],
        )


def _updated(rows: Iterable[TransactionEvent], *, everything: bool) -> Iterator[TimelineEntry]:
    for row in rows:
        if not (row.lifecycle_event or everything):
            continue
        yield TimelineEntry(
            occurred_at=row.occurred_at,
            kind=TimelineKind.DECIDED if row.kind in BY_PEOPLE else TimelineKind.UPDATED,
            text=_text_of(row),
            amount=row.transaction.approved_amount or row.transaction.amount,
            reference=row.transaction.reference,
            detail=row.explanation,
            by=row.created_by,
            subject=row,
        )


_ENDED = {
    ApprovalState.DECLINED: _("A second person did not agree"),
    ApprovalState.WITHDRAWN: _("Request withdrawn"),
    ApprovalState.EXPIRED: _("Nobody agreed in time"),
}


def _asked(request: Approval) -> Iterator[TimelineEntry]:
    """Yield an approval request; the approval itself is in the transaction events of the operation."""
    asked = TimelineEntry(
        occurred_at=request.created_at,
        kind=TimelineKind.DECIDED,
        text=_("Asked for, a second person has to agree"),
        amount=request.amount,
        reference=request.payment.reference if request.payment else "",
        detail=request.comment,
        reason_code=request.reason_code,
        by=request.created_by,
        subject=request,
    )
    yield asked
    text = _ENDED.get(ApprovalState(request.state))
    if text is not None and request.decided_at is not None:
        yield replace(
            asked,
            occurred_at=request.decided_at,
            text=text,
            detail=request.reason,
            reason_code="",
            by=request.decided_by,
            subject=None,
        )


def _differed(row: Discrepancy) -> Iterator[TimelineEntry]:
    """Yield that a discrepancy was found, and closed; one that was booked is told by its transaction."""
    if row.booked_as_id is not None and row.kind == DiscrepancyKind.MADE_ELSEWHERE:
        return
    elsewhere = made_elsewhere(row)
    found = TimelineEntry(
        occurred_at=row.found_at,
        kind=TimelineKind.DIFFERENCE,
        text=_MADE_ELSEWHERE[elsewhere.kind] if elsewhere else label_of(DiscrepancyKind(row.kind)),
        amount=elsewhere.amount if elsewhere else None,
        reference=row.transaction.reference if row.transaction else "",
        detail=str(_("Our totals do not contain it")) if elsewhere else row.explanation,
        subject=row,
    )
    yield found
    if row.closed_at is not None:
        yield replace(
            found,
            occurred_at=row.closed_at,
            kind=TimelineKind.DECIDED,
            text=_("Difference closed"),
            detail=row.reason,
            by=row.closed_by,
            subject=None,
        )


def _text_of(row: TransactionEvent) -> str | Promise:
    state = TransactionState(row.state_after)
    if row.kind == TransactionEventKind.APPROVAL:
        return _("Agreed to by a second person")
    is_unread = row.discrepancy_kind == DiscrepancyKind.RECORD_UNREADABLE
    if is_unread and row.lifecycle_event in {"", LifecycleEvent.HELD}:
        return _("Gateway asked, a record cannot be read")
    if not row.lifecycle_event:
        kind = TransactionEventKind(row.kind)
        return _NOTHING_NEW.get(kind, label_of(kind))
    if state is TransactionState.EXPIRED and row.transaction.kind == TransactionKind.AUTHORIZATION:
        return _("Wallet button ended, nothing was sent")
    if state is TransactionState.APPROVED:
        return _APPROVED.get(TransactionKind(row.transaction.kind), label_of(state))
    return _UPDATED.get(state, label_of(state))
