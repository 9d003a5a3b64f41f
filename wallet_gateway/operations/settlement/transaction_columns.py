"""The columns of a transaction for a status update, its new state and schedule, and of its event."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from wallet_gateway.client.redaction import redact_text
from wallet_gateway.domain.explanations import Explanation, ExplanationCode, explain
from wallet_gateway.domain.lifecycle import (
    OPENING_KINDS,
    OUTSTANDING_STATES,
    SENDABLE_STATES,
    LifecycleEvent,
    TransactionKind,
    TransactionState,
)
from wallet_gateway.domain.outcomes import Finding, Verdict
from wallet_gateway.domain.polling_schedule import next_query_at, query_priority
from wallet_gateway.domain.unreadable_records import unreadable_explanation
from wallet_gateway.models import GatewayTransaction, TransactionEvent
from wallet_gateway.models.actors import actor_columns
from wallet_gateway.models.explanations import explanation_columns
from wallet_gateway.models.fields import cut_to, note_of
from wallet_gateway.models.settlement_writes import RowChange
from wallet_gateway.operations.settlement.counters import Booking
from wallet_gateway.operations.settlement.outbox import refusal_of
from wallet_gateway.operations.settlement.status_updates import StatusUpdate


def transaction_change(
    transaction: GatewayTransaction,
    update: StatusUpdate,
    *,
    before: TransactionState,
    booking: Booking,
    now: datetime,
    jitter: float,
) -> RowChange:
    """Return the change of a transition to `transaction.state`, or of an update without a transition.

    `before` is the state that the row must still have. It sets the columns on `transaction`, too.
    """
    columns = columns_of_update(transaction, update, before=before, booking=booking, now=now, jitter=jitter)
    where = {"id": transaction.pk, "state": before, "attempt_no": transaction.attempt_no}
    if update.queried_in is not None:
        where["state_changed_at"] = update.queried_since
    # An update without a transition must still find the row as it was read.
    return RowChange(where=where, columns=columns or {"state": before})


def order_as_seen(transaction: GatewayTransaction, update: StatusUpdate) -> RowChange | None:
    """Return the comparison of the order when a page is opened; None for any other update.

    If the order was changed in the meantime, it may be cancelled, or paid by an older page or the wallet
    button, and the caller that returns the new page has to see that.
    """
    payment = transaction.payment
    if update.event is not LifecycleEvent.OPENED or payment is None:
        return None
    return RowChange(where={"id": payment.order_id, "version": payment.order.version})


def columns_of_update(
    transaction: GatewayTransaction,
    update: StatusUpdate,
    *,
    before: TransactionState,
    booking: Booking,
    now: datetime,
    jitter: float,
) -> dict[str, Any]:
    """Return the columns to write for an update to `transaction.state`, and set them on `transaction`."""
    columns = {**update.changes, **_shown(transaction, update.finding)}
    if TransactionState(transaction.state) != before:
        columns |= {
            **_columns_of_move(transaction, update, before=before, now=now),
            **booking.transaction_columns,
        }
        _set(transaction, columns)
        columns |= _first_query(transaction, update, now, jitter)
    if _is_for_person(update.finding, TransactionState(transaction.state)):
        columns["needs_operator"] = True
    _set(transaction, columns)
    return columns


def _set(transaction: GatewayTransaction, columns: dict[str, Any]) -> None:
    for name, value in columns.items():
        setattr(transaction, name, value)


def _shown(transaction: GatewayTransaction, finding: Finding) -> dict[str, Any]:
    """Return the columns of what the gateway has shown, whether or not it moves the transaction."""
    columns: dict[str, Any] = {}
    if finding.reported_id and finding.reported_id != transaction.reported_id:
        columns["reported_id"] = finding.reported_id
    if finding.shown_amount is not None and finding.shown_amount != transaction.shown_minor:
        columns["shown_minor"] = finding.shown_amount
    word = note_of(GatewayTransaction, "undocumented_state", finding.undocumented_state)
    if finding.verdict is not Verdict.INCONCLUSIVE and word != transaction.undocumented_state:
        columns["undocumented_state"] = word
    return columns


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
    if transaction.kind not in OPENING_KINDS:
        is_news = refusal_of(transaction, moved=True, is_awaited=update.is_awaited)
        columns["refusal_unseen_since"] = now if is_news else None
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
        if finding.record_id:
            columns["record_id"] = finding.record_id
    return columns


def _is_for_person(finding: Finding, state: TransactionState) -> bool:
    """Return whether a transaction is held by what only a person can read."""
    is_held = state in {TransactionState.PENDING, TransactionState.AWAITING_3DS}
    return is_held and bool(finding.undocumented_state or finding.own_unreadable)


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


def event_columns(transaction: GatewayTransaction, update: StatusUpdate, now: datetime) -> dict[str, Any]:
    """Return the columns of an event about a transaction in its new state, but for its foreign keys."""
    exchange, finding = update.exchange, update.finding
    unread = unreadable_explanation(finding.unreadable) if finding.unreadable else None
    return {
        "kind": update.kind,
        "lifecycle_event": update.event or "",
        "state_after": transaction.state,
        "discrepancy_kind": finding.shown_discrepancy or "",
        **explanation_columns(update.explanation or finding.explanation or unread),
        "http_status": exchange.http_status if exchange else None,
        "request_body": exchange.request_body if exchange else "",
        "answer_body": exchange.answer_body if exchange else finding.answer,
        "elapsed_ms": int(exchange.elapsed_seconds * 1000) if exchange else None,
        **actor_columns(TransactionEvent, "created_by", update.actor),
        "occurred_at": now,
    }
