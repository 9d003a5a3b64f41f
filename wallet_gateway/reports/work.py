"""What needs a person: the conditions that health, work queue and lists share, and the rows themselves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import Case, IntegerField, Min, Q, QuerySet, When, Window
from django.db.models.functions import RowNumber

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.elsewhere import OperationElsewhere, refusal_to_book
from wallet_gateway.domain.error_codes import NOT_BOOKABLE
from wallet_gateway.domain.evidence import KINDS
from wallet_gateway.domain.policy import CaptureWindow
from wallet_gateway.domain.polling_schedule import INSTANTS_ARE_LATE, SILENCE
from wallet_gateway.domain.states import (
    FINAL_STATES,
    OPENING_KINDS,
    PAYABLE_STATES,
    UNENDED_STATES,
    OrderState,
    TransactionKind,
    TransactionState,
)
from wallet_gateway.models import (
    Approval,
    ApprovalState,
    BatchState,
    Discrepancy,
    GatewayPause,
    GatewayTransaction,
    OperationBatch,
    PauseCode,
    Payment,
    PaymentOrder,
)
from wallet_gateway.models.maintenance import not_left_alone, with_money
from wallet_gateway.models.transactions import holding, holds, uncaptured
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.money import Money

# Transactions and orders

POLLED_STATES = (
    TransactionState.UNKNOWN,
    TransactionState.OPEN,
    TransactionState.AWAITING_3DS,
    TransactionState.PENDING,
)
"""States that only status queries, or a person, end."""
NOT_FINAL_STATES = tuple(sorted(set(TransactionState) - FINAL_STATES))
"""The states of `left_to_person` and `unattended`."""


def left_to_person() -> Q:
    """Return the condition of a transaction that is left to a person."""
    return Q(state__in=NOT_FINAL_STATES, needs_operator=True)


def unseen_refusals() -> Q:
    """Return the condition of an operation that was refused afterwards, which no person has seen yet."""
    # Not `isnull`: without statistics SQLite reads the whole table for it, and the index for a range.
    return Q(refusal_unseen_since__gt=datetime(1970, 1, 1, tzinfo=UTC))


def unattended(now: datetime) -> Q:
    """Return the condition of a transaction that waits without anybody. No row should match.

    It has not ended, is not left to a person, and has no next instant, or one that is long past: no sweep
    handled it, or each sweep failed to. A contradiction (`ANOMALY`) is always shown to people.
    """
    late = now - INSTANTS_ARE_LATE
    of_kind = (
        Q(kind=TransactionKind.CHECKOUT) & _none_or_late("expires_at", late)
        | Q(kind=TransactionKind.AUTHORIZATION, state_changed_at__lt=late)
        | ~Q(kind__in=OPENING_KINDS) & _none_or_late("next_send_at", late)
    )
    # Named first, the states are ranges of their index: few rows have not ended.
    return Q(state__in=NOT_FINAL_STATES, needs_operator=False) & (
        Q(state__in=POLLED_STATES) & _none_or_late("next_query_at", late)
        | Q(state=TransactionState.SENDING) & _none_or_late("leased_until", late)
        | Q(state=TransactionState.AWAITING_RESULT) & _none_or_late("expires_at", late)
        | Q(state=TransactionState.NOT_SENT) & of_kind
    )


def _none_or_late(column: str, late: datetime) -> Q:
    return Q(**{f"{column}__isnull": True}) | Q(**{f"{column}__lt": late})


def orphaned(aliases: Collection[str]) -> Q:
    """Return the condition of a transaction that has not ended at a gateway other than these."""
    return Q(state__in=sorted(UNENDED_STATES)) & ~Q(gateway__in=aliases)


def closed_buttons(now: datetime) -> Q:
    """Return the condition of an order that may be paid and whose wallet button a limit has closed.

    After a week it is no work any more: nobody tries to pay an older order.
    """
    in_time = Q(payable_until__isnull=True) | Q(payable_until__gt=now)
    return in_time & Q(wallet_closed_at__gt=now - timedelta(days=7), state__in=sorted(PAYABLE_STATES))


def unreleased(now: datetime) -> Q:
    """Return the condition of an order whose goods are not free long after its end. There must be none.

    No sweep has looked at it for an hour; or for a day no answer says whether a page of it was paid, as when
    the gateway refuses the query. What is pending or frozen waits for a person already.
    """
    ended = Q(cancelled_at__lt=now - SILENCE) | Q(payable_until__lt=now - SILENCE)
    without_money = (OrderState.CANCELLED, OrderState.EXPIRED, OrderState.FAILED, OrderState.OPEN)
    kept = Q(release_check_at__isnull=False, released_at__isnull=True, state__in=without_money)
    return Q(release_check_at__lt=now - INSTANTS_ARE_LATE) | kept & ended


# Authorizations


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiringAuthorization:
    """One authorization with an amount left to capture."""

    payment: Payment
    left: Money
    expires_at: datetime
    """Until when it is reliable; in the past once it may have expired."""


def expiring_authorizations(
    windows: Mapping[str, CaptureWindow], *, now: datetime, limit: int = 100, live: Collection[str] = ()
) -> tuple[ExpiringAuthorization, ...]:
    """Return the authorizations within their warning time, the most urgent first. One query per gateway.

    Tests of the `live` gateways are left out.
    """
    found = []
    for gateway, window in windows.items():
        rows = uncaptured(gateway, since=window.warns_from(now)).filter(not_left_alone(live))
        for transaction in rows[:limit]:
            payment, authorized_at = transaction.opened_payment, transaction.approved_at
            if authorized_at is not None:
                left = payment.authorized - payment.captured - payment.capture_reserved
                found.append(
                    ExpiringAuthorization(
                        payment=payment,
                        left=Money.from_minor_units(left, payment.currency),
                        expires_at=window.expires_at(authorized_at),
                    )
                )
    return tuple(sorted(found, key=lambda row: row.expires_at)[:limit])


def held_since(orders: Collection[int]) -> Mapping[int, datetime]:
    """Return since when each order's oldest uncaptured authorization has held money. One SQL statement."""
    rows = holding().filter(payment__order__in=orders, approved_at__isnull=False).order_by()
    return dict(rows.values_list("payment__order_id").annotate(Min("approved_at")))


def expiring_payments(expires_from: Mapping[str, datetime]) -> QuerySet[Payment]:
    """Return the payments that hold money and began before the time given for their gateway."""
    soon = Q(pk__in=())
    for gateway, instant in expires_from.items():
        soon |= Q(order__gateway=gateway, created_at__lt=instant)
    return Payment.objects.filter(holds(), soon)


def expiring_orders(expires_from: Mapping[str, datetime]) -> Q:
    """Return the condition that a payment of an order holds money and expires soon."""
    if len(set(expires_from.values())) != 1:
        return Q(pk__in=expiring_payments(expires_from).values("order_id"))
    # One time for all gateways (as with a single gateway) avoids joining the payments to their orders.
    [instant] = set(expires_from.values())
    held = Payment.objects.filter(holds(), created_at__lt=instant)
    return Q(gateway__in=tuple(expires_from), pk__in=held.values("order_id"))


# Batches and gateways

IDLE_AFTER = timedelta(minutes=5)
"""A running batch is idle after this time: a sweep or an open page executes its rows far more often."""


def idle_batches(now: datetime) -> QuerySet[OperationBatch]:
    """Return the running batches that no worker processes, the longest waiting first."""
    rows = OperationBatch.objects.filter(state=BatchState.RUNNING, driven_at__lt=now - IDLE_AFTER)
    return rows.order_by("driven_at", "pk")


def is_stalled(batch: OperationBatch, now: datetime) -> bool:
    """Return whether a batch is idle, based on the row."""
    driven_at = batch.driven_at or batch.created_at
    return batch.state == BatchState.RUNNING and driven_at < now - IDLE_AFTER


@dataclass(frozen=True, slots=True, kw_only=True)
class SendingPause:
    """One gateway to which nothing new is sent."""

    gateway: str
    """Its alias in the settings."""
    until: datetime | None
    """When the pause ends by itself; None if only a person can end it."""
    by: str
    """Who stopped sending; empty if it was automatic."""
    reason: str
    """The person's reason, or the reason for the automatic pause in the reader's language."""
    code: PauseCode | None
    """None if a person stopped sending."""


def sending_pauses(now: datetime) -> tuple[SendingPause, ...]:
    """Return the pauses in effect at a given time, by gateway. One SQL statement."""
    found = []
    for row in GatewayPause.that_hold(now).order_by("gateway"):
        if row.is_stopped_by_person(now):
            until, by, reason, code = row.stopped_until, row.stopped_by, row.stop_reason, None
        else:
            until, by = row.sending_until, ""
            code = PauseCode(row.pause_code) if row.pause_code else None
            reason = ": ".join(filter(None, (str(code.label) if code else "", row.explanation)))
        found.append(SendingPause(gateway=row.gateway, until=until, by=by, reason=reason, code=code))
    return tuple(found)


# Differences


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeElsewhere:
    """A capture, refund or reversal that the gateway reports and none of our rows contains."""

    kind: TransactionKind
    amount: Money
    record_id: str
    """The gateway's own id of it."""


def made_elsewhere(row: Discrepancy) -> MadeElsewhere | None:
    """Return the operation that a discrepancy is about; None if it is booked, or about anything else."""
    if row.kind != DiscrepancyKind.MADE_ELSEWHERE or row.booked_as_id is not None:
        return None
    params = row.explanation_params
    kind, amount = KINDS.get(str(params.get("type", "")).lower()), reported_amount(row)
    if kind is None or amount is None:
        return None
    return MadeElsewhere(kind=kind, amount=amount, record_id=str(params.get("record", "")))


def reported_amount(row: Discrepancy) -> Money | None:
    """Return the amount that the gateway reports; None without one that can be read."""
    params = row.explanation_params
    currency = str(params.get("currency", ""))
    if row.transaction is not None and row.transaction.currency == currency:
        # With the decimals that the row keeps.
        currency = row.transaction.currency
    try:
        return Money.parse(str(params.get("given", "")), currency)
    except ProtocolError:
        return None


def held_by(row: Discrepancy) -> int:
    """Return how many transactions are held by the word that a discrepancy is about. One SQL statement."""
    word = str(row.explanation_params.get("word", ""))
    held = GatewayTransaction.objects.filter(left_to_person(), gateway=row.gateway)
    return held.filter(undocumented_state__iexact=word).count()


def is_bookable(row: Discrepancy) -> bool:
    """Return whether a person may book what a discrepancy is about.

    An operation made elsewhere for which there is a rule, until it is booked; and the amount of our own
    capture or refund that the gateway carried out with another amount, until a person has decided on it.
    """
    if row.kind != DiscrepancyKind.MADE_ELSEWHERE:
        return _is_other_amount(row)
    found, payment = made_elsewhere(row), row.payment
    if found is None or payment is None or found.amount.currency != payment.currency:
        return False
    amount = found.amount.minor_units
    operation = OperationElsewhere(kind=found.kind, amount=amount, record_id=found.record_id)
    return operation.can_be_known_again and refusal_to_book(operation, payment.totals) != NOT_BOOKABLE


def _is_other_amount(row: Discrepancy) -> bool:
    transaction = row.transaction
    return (
        row.kind in {DiscrepancyKind.AMOUNT_DIFFERS, DiscrepancyKind.UNIT_MIX_UP}
        and row.closed_at is None
        and transaction is not None
        and transaction.state == TransactionState.ANOMALY
        and transaction.kind in {TransactionKind.CAPTURE, TransactionKind.REFUND}
    )


def bookable_differences(transactions: Iterable[GatewayTransaction]) -> dict[int, Discrepancy]:
    """Return the open discrepancy of each capture or refund with another amount, by the transaction's key.

    One SQL statement; none without a contradiction.
    """
    anomalies = [row.pk for row in transactions if row.state == TransactionState.ANOMALY]
    if not anomalies:
        return {}
    rows = Discrepancy.objects.filter(transaction__in=anomalies, closed_at__isnull=True)
    found = filter(_is_other_amount, rows.select_related("transaction").order_by("-pk"))
    return {row.transaction.pk: row for row in found if row.transaction is not None}


# The work queue


def waiting_approvals(now: datetime) -> QuerySet[Approval]:
    """Return the requests that a second person can decide now, the first to expire first."""
    rows = Approval.objects.filter(state=ApprovalState.WAITING, expires_at__gt=now)
    return rows.select_related("payment__order", "deposit", "subject").order_by("expires_at", "pk")


MOST_SHOWN = 10
"""Rows of one kind of work that the dashboard shows; the lists show the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """The items that need a person; of each kind one more than is shown, if there are more.

    A sweep that does not run, or falls behind, is no item: the health view and the dashboard say so. What it
    left undone is `stuck`.
    """

    unknown: tuple[GatewayTransaction, ...]
    """Transactions with an unknown outcome."""
    anomalies: tuple[GatewayTransaction, ...]
    """Transactions whose events contradict the request or each other."""
    overpaid: tuple[PaymentOrder, ...]
    """Orders that were paid more than once."""
    stuck: tuple[GatewayTransaction, ...]
    """Not sent, pending for too long, without a readable answer, or not handled by any sweep."""
    refused: tuple[GatewayTransaction, ...]
    """Operations that were refused after the call that made them had returned, not seen yet."""
    discrepancies: tuple[Discrepancy, ...]
    shortfalls: tuple[Discrepancy, ...]
    """Detached refunds approved for less than was requested."""
    expiring: tuple[Payment, ...]
    """Authorizations that will expire soon."""
    approvals: tuple[Approval, ...]
    """Requests that another person has to approve."""
    batches: tuple[OperationBatch, ...]
    """Running batches that no worker processes."""
    closed_buttons: tuple[PaymentOrder, ...]
    """Unpaid orders whose wallet button a limit has closed."""


def waiting(expires_from: Mapping[str, datetime], *, now: datetime, live: Collection[str] = ()) -> Waiting:
    """Return the items that need a person. Ten SQL statements.

    `expires_from` gives for each gateway the time before which its authorizations are about to expire. Tests
    of the `live` gateways are left out.
    """
    counted, most = not_left_alone(live), MOST_SHOWN + 1

    def transactions(which: Q) -> tuple[GatewayTransaction, ...]:
        rows = GatewayTransaction.objects.filter(counted, which).select_related("payment__order", "deposit")
        return tuple(rows.order_by("state_changed_at", "pk")[:most])

    # Shortfalls of refunds and all other discrepancies, each up to the number shown.
    short = Case(When(kind=DiscrepancyKind.REFUND_SHORT, then=1), default=0, output_field=IntegerField())
    place = Window(RowNumber(), partition_by=[short], order_by="pk")
    differences = (
        Discrepancy.objects.filter(counted, closed_at__isnull=True)
        .annotate(place=place)
        .filter(place__lte=most)
        .select_related("payment__order", "deposit", "transaction")
        .order_by("pk")
    )
    overpaid = PaymentOrder.objects.filter(with_money(live), state=OrderState.OVERPAID)
    closed = PaymentOrder.objects.filter(closed_buttons(now)).order_by("wallet_closed_at", "pk")
    tests = Q(is_test=True, order__gateway__in=live)
    expiring = expiring_payments(expires_from).exclude(tests).select_related("order")
    shown_by_state = Q(state__in=[TransactionState.UNKNOWN, TransactionState.ANOMALY])
    return Waiting(
        unknown=transactions(Q(state=TransactionState.UNKNOWN)),
        anomalies=transactions(Q(state=TransactionState.ANOMALY)),
        overpaid=tuple(overpaid.order_by("pk")[:most]),
        stuck=transactions((left_to_person() | unattended(now)) & ~shown_by_state),
        refused=transactions(unseen_refusals()),
        discrepancies=tuple(row for row in differences if row.kind != DiscrepancyKind.REFUND_SHORT),
        shortfalls=tuple(row for row in differences if row.kind == DiscrepancyKind.REFUND_SHORT),
        expiring=tuple(expiring.order_by("created_at", "pk")[:most]),
        approvals=tuple(waiting_approvals(now)[:most]),
        batches=tuple(idle_batches(now)[:most]),
        closed_buttons=tuple(closed[:most]),
    )
