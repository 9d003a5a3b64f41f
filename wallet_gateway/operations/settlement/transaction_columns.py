"""Write a transaction's row with the columns of each change. Totals are written in `counters`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Exists

from wallet_gateway.client.redaction import redact_text
from wallet_gateway.domain.lifecycle import (
    OUTSTANDING_STATES,
    SENDABLE_STATES,
    LifecycleEvent,
    TransactionKind,
    TransactionState,
)
from wallet_gateway.domain.polling_schedule import next_query_at
from wallet_gateway.models import GatewayTransaction, PaymentOrder
from wallet_gateway.models.prepared_sql import update
from wallet_gateway.operations.settlement.booking import Booking
from wallet_gateway.operations.settlement.counters import VersionConflict
from wallet_gateway.operations.settlement.status_updates import StatusUpdate


def write_transaction(
    transaction: GatewayTransaction,
    news: StatusUpdate,
    *,
    before: TransactionState,
    booking: Booking,
    now: datetime,
    jitter: float,
) -> None:
    """Write the columns of a transition to `transaction.state`, or of an update without a transition.

    `transaction.state` is the new state, `before` the state the row must still have; raises `VersionConflict`
    if it has another. Raises it too when a further page is opened and its order was settled in the meantime:
    an older page may have been paid, and the caller that returns the new page has to see that.
    """
    after = TransactionState(transaction.state)
    columns = dict(news.changes)
    if after != before:
        columns |= {
            **_columns_of_move(transaction, news, before=before, now=now),
            **booking.transaction_columns_of,
        }
        _set(transaction, columns)
        columns["next_query_at"] = _first_question(transaction, news, now, jitter)
    where = {"id": transaction.pk, "state": before, "attempt_no": transaction.attempt_no}
    if news.event is LifecycleEvent.OPENED and (unsettled := _no_older_page_settled(transaction)):
        matched = GatewayTransaction.objects.filter(unsettled, **where).update(**columns)
    else:
        # An update without a transition must still find the row as it was read.
        matched = update(GatewayTransaction, where=where, columns=columns or {"state": before})
    if not matched:
        raise VersionConflict
    _set(transaction, columns)


def _no_older_page_settled(transaction: GatewayTransaction) -> Exists | None:
    """Return the condition that the order is unchanged since it was read; None if there is no older page."""
    payment = transaction.payment
    if payment is None or payment.number == 1:
        return None
    return Exists(PaymentOrder.objects.filter(pk=payment.order_id, version=payment.order.version))


def _set(transaction: GatewayTransaction, columns: dict[str, Any]) -> None:
    for name, value in columns.items():
        setattr(transaction, name, value)


def _first_question(
    transaction: GatewayTransaction, news: StatusUpdate, now: datetime, jitter: float
) -> datetime | None:
    """Return the time of the new state's first query, not earlier than the gateway's `Retry-After`."""
    poll_state = transaction.poll_state_at(state=TransactionState(transaction.state), since=now, step=0)
    first = next_query_at(poll_state, jitter=jitter)
    if first is None or news.ask_not_before is None:
        return first
    return max(first, news.ask_not_before)


def _columns_of_move(
    transaction: GatewayTransaction, news: StatusUpdate, *, before: TransactionState, now: datetime
) -> dict[str, Any]:
    finding, after = news.finding, TransactionState(transaction.state)
    columns: dict[str, Any] = {
        "state": after,
        "state_changed_at": now,
        "poll_step": 0,
        "absent_count": 0,
        "confirmed_at": None,
        "needs_operator": bool(news.changes.get("needs_operator")),
        "leased_until": None,
        "detail": _why(news, before=before, after=after)[:500],
    }
    if transaction.kind != TransactionKind.CHECKOUT:
        columns["outstanding_key"] = transaction.parent_key if after in OUTSTANDING_STATES else None
    if before in {*SENDABLE_STATES, TransactionState.SENDING} and after not in SENDABLE_STATES:
        columns |= _columns_of_sent(transaction, news)
        if transaction.kind == TransactionKind.AUTHORIZATION:
            columns["wallet_secrets"] = None
    if after is TransactionState.APPROVED:
        columns["approved_minor"] = finding.amount or transaction.approved_minor or transaction.amount_minor
        columns["provider_state"] = finding.provider_state[:64]
    if finding.record_id and after is not TransactionState.ANOMALY:
        columns["record_id"] = finding.record_id
    return columns


def _why(news: StatusUpdate, *, before: TransactionState, after: TransactionState) -> str:
    said = news.detail or news.finding.detail
    if after is TransactionState.ANOMALY and not said:
        return f"approved at the gateway after it was {before}"
    return said


def _columns_of_sent(transaction: GatewayTransaction, news: StatusUpdate) -> dict[str, Any]:
    # A body that may not be sent again is kept for reading only: redacted, and once, in its exchange's event.
    stands_in_evidence = news.exchange is not None and news.exchange.request_body
    body = "" if stands_in_evidence else redact_text(transaction.request_body)
    return {"next_send_at": None, "request_body": body}
