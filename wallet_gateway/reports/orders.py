"""One order for people: its totals, and its history in order of time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import partial

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.states import (
    LifecycleEvent,
    OrderState,
    TransactionKind,
    TransactionOrigin,
    TransactionState,
    order_totals,
)
from wallet_gateway.error_reports import sensitive_variables
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
from wallet_gateway.models.fields import label_of
from wallet_gateway.models.transactions import BY_PEOPLE, WalletEvent
from wallet_gateway.protocol.money import Money
from wallet_gateway.reports.attempts import is_unused
from wallet_gateway.reports.work import made_elsewhere


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


@sensitive_variables()
def order_summary(order: PaymentOrder) -> OrderSummary:
    """Return the totals of an order's payments.

    :param order: any order.
    :returns: amounts authorized, captured, refunded and reserved, and the open attempt.
    """
    totals = order_totals(payment.totals for payment in order.payments.all())
    pages = GatewayTransaction.objects.filter(payment__order=order, kind=TransactionKind.CHECKOUT)
    open_pages = pages.filter(state=TransactionState.OPEN).select_related("payment__order")
    page = open_pages.order_by("-pk").first()

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
        open_attempt=page.opened_payment if page else None,
    )


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
    amount: Money | None = None
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


_STARTED_AND_APPROVED = {
    TransactionKind.CHECKOUT: (_("Payment page requested"), _("Payment approved")),
    TransactionKind.AUTHORIZATION: (_("Wallet button shown"), _("Payment approved")),
    TransactionKind.CAPTURE: (_("Capture requested"), _("Capture approved")),
    TransactionKind.REFUND: (_("Refund requested"), _("Refund approved")),
    TransactionKind.REVERSAL: (_("Reversal requested"), _("Reversal approved")),
    TransactionKind.DETACHED_REFUND: (_("Detached refund requested"), _("Detached refund approved")),
}
_MADE_ELSEWHERE = {
    TransactionKind.CAPTURE: _("Capture made elsewhere"),
    TransactionKind.REFUND: _("Refund made elsewhere"),
    TransactionKind.REVERSAL: _("Reversal made elsewhere"),
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
_LOADED = {
    WalletEvent.READY: _("Wallet button ready"),
    WalletEvent.UNAVAILABLE: _("Wallet not available in the browser"),
}
"""How a page loaded, which says nothing about what the customer did."""
_REPORTED = {
    **_LOADED,
    WalletEvent.RESULT: _("Wallet result received"),
    WalletEvent.ERROR: _("Wallet reported an error"),
    WalletEvent.CLOSED: _("Wallet sheet closed"),
}
_ENDED = {
    ApprovalState.DECLINED: _("A second person did not agree"),
    ApprovalState.WITHDRAWN: _("Request withdrawn"),
    ApprovalState.EXPIRED: _("Nobody agreed in time"),
}


@sensitive_variables()
def order_timeline(order: PaymentOrder, *, everything: bool = False) -> tuple[TimelineEntry, ...]:
    """Return an order's history, the oldest first.

    Unused buttons are one entry, at the time of the last one: each page reload may show a new button.

    :param order: any order.
    :param everything: for staff: adds events that changed no state, how the button loaded in the browser, the
        approval requests and the discrepancies.
    :returns: the entries; two SQL statements, with `everything` two more, however long the history is.
    """
    rows = GatewayTransaction.objects.filter(payment__order=order).select_related("wallet").order_by("pk")
    # Buttons that the customer did not use at all, as far as the browser reports.
    idle = [
        row
        for row in rows
        if is_unused(row) and all(event["event"] in _LOADED for event in row.wallet.events)
    ]
    summarized = {row.pk for row in idle} if len(idle) > 1 else set()
    shown = [row for row in rows if row.pk not in summarized]
    events = TransactionEvent.objects.filter(transaction__payment__order=order).select_related("transaction")
    entries = [*_ordered(order), *map(_started, shown)]
    if summarized:
        entries.append(_buttons_shown(idle, everything=everything))
    for row in shown:
        # The browser's reports, which are not confirmed by the gateway.
        for report in row.wallet.events if hasattr(row, "wallet") else ():
            what = WalletEvent(report["event"])
            if what not in _LOADED or everything:
                entries.append(
                    TimelineEntry(
                        occurred_at=datetime.fromisoformat(report["at"]),
                        kind=TimelineKind.REPORTED,
                        text=_REPORTED[what],
                        reference=row.reference,
                        detail=report["detail"],
                    )
                )
    for event in events.order_by("pk"):
        is_shown = event.transaction_id not in summarized or event.kind in _OF_THE_ORDER
        if is_shown and (event.lifecycle_event or everything):
            transaction = event.transaction
            entries.append(
                TimelineEntry(
                    occurred_at=event.occurred_at,
                    kind=TimelineKind.DECIDED if event.kind in BY_PEOPLE else TimelineKind.UPDATED,
                    text=_text_of(event),
                    amount=transaction.approved_amount or transaction.amount,
                    reference=transaction.reference,
                    detail=event.explanation,
                    by=event.created_by,
                    subject=event,
                )
            )
    if everything:
        requests = Approval.objects.filter(payment__order=order).select_related("payment").order_by("pk")
        for request in requests:
            entries += _requested(request)
        differences = Discrepancy.objects.filter(payment__order=order).order_by("pk")
        for difference in differences.select_related("payment", "transaction"):
            entries += _differed(difference)
    return tuple(sorted(entries, key=lambda entry: entry.occurred_at))


def _ordered(order: PaymentOrder) -> Iterator[TimelineEntry]:
    """Yield that the order was created, cancelled and released."""
    entry = partial(TimelineEntry, reference=order.reference)
    yield entry(
        occurred_at=order.created_at, kind=TimelineKind.ORDERED, text=_("Order created"), amount=order.amount
    )
    if order.cancelled_at is None:
        return
    by_time = _("Order cancelled, the time to pay was over")
    yield entry(
        occurred_at=order.cancelled_at,
        kind=TimelineKind.DECIDED if order.cancelled_by else TimelineKind.UPDATED,
        text=_("Order cancelled") if order.cancelled_by else by_time,
        detail=order.cancellation_note,
        by=order.cancelled_by,
    )
    if order.released_at is not None:
        text = _("Goods released, nothing that was begun can pay the order any more")
        yield entry(occurred_at=order.released_at, kind=TimelineKind.UPDATED, text=text)


def _started(transaction: GatewayTransaction) -> TimelineEntry:
    kind = TransactionKind(transaction.kind)
    text, _approved = _STARTED_AND_APPROVED.get(kind, (label_of(kind), ""))
    if transaction.origin == TransactionOrigin.ELSEWHERE:
        text = _MADE_ELSEWHERE.get(kind, text)
    return TimelineEntry(
        occurred_at=transaction.created_at,
        kind=TimelineKind.STARTED,
        text=text,
        amount=transaction.amount,
        reference=transaction.reference,
        detail=transaction.comment,
        reason_code=transaction.reason_code,
        by=transaction.created_by,
        subject=transaction,
    )


def _buttons_shown(buttons: list[GatewayTransaction], *, everything: bool) -> TimelineEntry:
    """Return the entry of several unused buttons, at the time of the last one."""
    counts = Counter(event["event"] for button in buttons for event in button.wallet.events)
    loaded = [f"{text}: {counts[event]}" for event, text in _LOADED.items() if counts[event]]
    # There are several, so the plural form is enough in every language.
    text = gettext("Wallet button shown (%(times)s times, this is the last)") % {"times": len(buttons)}
    detail = ", ".join(loaded) if everything else ""
    return replace(_started(buttons[-1]), text=text, detail=detail, subject=None)


def _text_of(event: TransactionEvent) -> str | Promise:
    state, kind = TransactionState(event.state_after), TransactionEventKind(event.kind)
    if kind is TransactionEventKind.APPROVAL:
        return _("Agreed to by a second person")
    is_unread = event.discrepancy_kind == DiscrepancyKind.RECORD_UNREADABLE
    if is_unread and event.lifecycle_event in {"", LifecycleEvent.HELD}:
        return _("Gateway asked, a record cannot be read")
    if not event.lifecycle_event:
        return _NOTHING_NEW.get(kind, label_of(kind))
    operation = TransactionKind(event.transaction.kind)
    if state is TransactionState.EXPIRED and operation is TransactionKind.AUTHORIZATION:
        return _("Wallet button ended, nothing was sent")
    if state is TransactionState.APPROVED:
        _started_text, text = _STARTED_AND_APPROVED.get(operation, ("", label_of(state)))
        return text
    return _UPDATED.get(state, label_of(state))


def _requested(request: Approval) -> Iterator[TimelineEntry]:
    """Yield an approval request; the approval itself is in the transaction events of the operation."""
    reference = request.payment.reference if request.payment else ""
    entry = partial(TimelineEntry, kind=TimelineKind.DECIDED, amount=request.amount, reference=reference)
    yield entry(
        occurred_at=request.created_at,
        text=_("Asked for, a second person has to agree"),
        detail=request.comment,
        reason_code=request.reason_code,
        by=request.created_by,
        subject=request,
    )
    text = _ENDED.get(ApprovalState(request.state))
    if text is not None and request.decided_at is not None:
        yield entry(occurred_at=request.decided_at, text=text, detail=request.reason, by=request.decided_by)


def _differed(row: Discrepancy) -> Iterator[TimelineEntry]:
    """Yield that a discrepancy was found, and closed; one that was booked is told by its transaction."""
    if row.booked_as_id is not None and row.kind == DiscrepancyKind.MADE_ELSEWHERE:
        return
    elsewhere = made_elsewhere(row)
    amount = elsewhere.amount if elsewhere else None
    reference = row.transaction.reference if row.transaction else ""
    entry = partial(TimelineEntry, amount=amount, reference=reference)
    yield entry(
        occurred_at=row.found_at,
        kind=TimelineKind.DIFFERENCE,
        text=_MADE_ELSEWHERE[elsewhere.kind] if elsewhere else label_of(DiscrepancyKind(row.kind)),
        detail=str(_("Our totals do not contain it")) if elsewhere else row.explanation,
        subject=row,
    )
    if row.closed_at is not None:
        kind, text = TimelineKind.DECIDED, _("Difference closed")
        yield entry(occurred_at=row.closed_at, kind=kind, text=text, detail=row.reason, by=row.closed_by)
