"""Write the columns of a transaction for a status update: its new state, its schedule, what was approved."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Exists

from wallet_gateway.client.redaction import redact_text
from wallet_gateway.domain.explanations import Explanation, ExplanationCode, explain
from wallet_gateway.domain.lifecycle import (
    OUTSTANDING_STATES,
    SENDABLE_STATES,
    LifecycleEvent,
    TransactionKind,
    TransactionState,
)
from wallet_gateway.domain.outcomes import Finding
from wallet_gateway.domain.polling_schedule import next_query_at, query_priority
from wallet_gateway.models import GatewayTransaction, PaymentOrder
from wallet_gateway.models.explanations import explanation_columns
from wallet_gateway.models.fields import cut_to, note_of
from wallet_gateway.models.prepared_sql import update_row
from wallet_gateway.operations.settlement.counters import Booking, VersionConflict
from wallet_gateway.operations.settlement.status_updates import StatusUpdate


def write_transaction(
    transaction: GatewayTransaction,
    update: StatusUpdate,
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
    columns = dict(update.changes)
    if after != before:
        columns |= {
            **_columns_of_move(transaction, update, before=before, now=now),
            **booking.transaction_columns,
        }
        _set(transaction, columns)
        columns |= _first_query(transaction, update, now, jitter)
    where = {"id": transaction.pk, "state": before, "attempt_no": transaction.attempt_no}
    if update.queried_in is not None:
        where["state_changed_at"] = update.queried_since
    if update.event is LifecycleEvent.OPENED and (unsettled := _no_older_page_settled(transaction)):
        matched = GatewayTransaction.objects.filter(unsettled, **where).update(**columns)
    else:
        # An update without a transition must still find the row as it was read.
        matched = update_row(GatewayTransaction, where=where, columns=columns or {"state": before})
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


def _first_query(
    transaction: GatewayTransaction, update: StatusUpdate, now: datetime, jitter: float
) -> dict[str, Any]:
    """Return the columns of the new state's first query, not earlier than the gateway's `Retry-After`."""
    poll_state = transaction.poll_state_at(state=TransactionState(transaction.state), since=now, step=0)
    first = next_query_at(poll_state, jitter=jitter)
    if first is not None and update.query_not_before is not None:
        first = max(first, update.query_not_before)
    return {"next_query_at": first, "query_priority": query_priority(poll_state)}


def _columns_of_move(
    transaction: GatewayTransaction, update: StatusUpdate, *, before: TransactionState, now: datetime
) -> dict[str, Any]:
    finding, after = update.finding, TransactionState(transaction.state)
    columns: dict[str, Any] = {
        "state": after,
        "state_changed_at": now,
        "poll_step": 0,
        "absent_count": 0,
        "confirmed_at": None,
        "needs_operator": bool(update.changes.get("needs_operator")),
        "leased_until": None,
        **explanation_columns(_why(update, before=before, after=after)),
    }
    if transaction.kind != TransactionKind.CHECKOUT:
        columns["outstanding_key"] = transaction.parent_key if after in OUTSTANDING_STATES else None
    if before in {*SENDABLE_STATES, TransactionState.SENDING} and after not in SENDABLE_STATES:
        columns |= _columns_of_sent(transaction, update)
        if transaction.kind == TransactionKind.AUTHORIZATION:
            columns["wallet_secrets"] = None
    if after is TransactionState.APPROVED:
        columns["approved_minor"] = finding.amount or transaction.approved_minor or transaction.amount_minor
        columns["approved_at"] = transaction.approved_at or now
        columns["provider_state"] = note_of(GatewayTransaction, "provider_state", finding.provider_state)
        columns |= provider_id_columns(finding)
    if finding.record_id and after is not TransactionState.ANOMALY:
        columns["record_id"] = finding.record_id
    return columns


def provider_id_columns(finding: Finding) -> dict[str, str]:
    """Return the column of the provider's id, if a record has one."""
    name = "provider_transaction_id"
    given = finding.provider_transaction_id
    return {name: cut_to(GatewayTransaction, name, given)} if given else {}


def _why(update: StatusUpdate, *, before: TransactionState, after: TransactionState) -> Explanation | None:
    why = update.explanation or update.finding.explanation
    if why is None and after is TransactionState.ANOMALY:
        return explain(ExplanationCode.APPROVED_AFTER_END, state=before.value)
    return why


def _columns_of_sent(transaction: GatewayTransaction, update: StatusUpdate) -> dict[str, Any]:
    # A body that may not be sent again is kept for reading only: redacted, and once, in its exchange's event.
    is_in_event = update.exchange is not None and update.exchange.request_body
    body = "" if is_in_event else redact_text(transaction.request_body)
    return {"next_send_at": None, "request_body": body}
