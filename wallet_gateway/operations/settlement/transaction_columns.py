"""Writes the intent's own row: which columns go with which move. Sums and states above it stand elsewhere."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Exists

from wallet_gateway.client.redaction import redact_text
from wallet_gateway.domain.lifecycle import (
    OUTSTANDING_STATES,
    SENDABLE_STATES,
    IntentEvent,
    IntentState,
    TransactionKind,
)
from wallet_gateway.domain.recovery import next_query_at
from wallet_gateway.models import GatewayTransaction, PaymentOrder
from wallet_gateway.models.statements import update
from wallet_gateway.operations.settlement.booking import Booking
from wallet_gateway.operations.settlement.counters import Outrun
from wallet_gateway.operations.settlement.status_updates import News


def write_intent(
    intent: GatewayTransaction,
    news: News,
    *,
    before: IntentState,
    booking: Booking,
    now: datetime,
    jitter: float,
) -> None:
    """Write what goes with a move to `intent.state`, or with news that moves nothing.

    `intent.state` is the state after the news, `before` the one the row must still be in; raises `Outrun`
    when it is not. So it does when a further page was opened and its order was settled over meanwhile: an
    older page of it may have been paid, and whoever hands out the new one has to see that.
    """
    after = IntentState(intent.state)
    columns = dict(news.changes)
    if after != before:
        columns |= {**_columns_of_move(intent, news, before=before, now=now), **booking.intent_columns}
        _set(intent, columns)
        columns["next_query_at"] = _first_question(intent, news, now, jitter)
    where = {"id": intent.pk, "state": before, "attempt_no": intent.attempt_no}
    if news.event is IntentEvent.OPENED and (unsettled := _no_older_page_settled(intent)):
        matched = GatewayTransaction.objects.filter(unsettled, **where).update(**columns)
    else:
        # News that moves nothing still has to find the row as it was read.
        matched = update(GatewayTransaction, where=where, columns=columns or {"state": before})
    if not matched:
        raise Outrun
    _set(intent, columns)


def _no_older_page_settled(intent: GatewayTransaction) -> Exists | None:
    """Return the condition that the order still is as it was read; None where there is no older page."""
    payment = intent.payment
    if payment is None or payment.number == 1:
        return None
    return Exists(PaymentOrder.objects.filter(pk=payment.order_id, version=payment.order.version))


def _set(intent: GatewayTransaction, columns: dict[str, Any]) -> None:
    for name, value in columns.items():
        setattr(intent, name, value)


def _first_question(intent: GatewayTransaction, news: News, now: datetime, jitter: float) -> datetime | None:
    """Return when the new state's timetable first asks, not before the gateway wants to be asked."""
    position = intent.position(state=IntentState(intent.state), since=now, rung=0)
    first = next_query_at(position, jitter=jitter)
    if first is None or news.ask_not_before is None:
        return first
    return max(first, news.ask_not_before)


def _columns_of_move(
    intent: GatewayTransaction, news: News, *, before: IntentState, now: datetime
) -> dict[str, Any]:
    finding, after = news.finding, IntentState(intent.state)
    columns: dict[str, Any] = {
        "state": after,
        "state_since": now,
        "query_rung": 0,
        "absent_count": 0,
        "confirmed_at": None,
        "needs_operator": bool(news.changes.get("needs_operator")),
        "lease_until": None,
        "detail": _why(news, before=before, after=after)[:500],
    }
    if intent.kind != TransactionKind.CHECKOUT:
        columns["open_slot"] = intent.slot if after in OUTSTANDING_STATES else None
    if before in {*SENDABLE_STATES, IntentState.SENDING} and after not in SENDABLE_STATES:
        columns |= _columns_of_sent(intent, news)
        if intent.kind == TransactionKind.AUTHORIZATION:
            columns["wallet_secrets"] = None
    if after is IntentState.APPROVED:
        columns["approved_minor"] = finding.amount or intent.approved_minor or intent.amount_minor
        columns["provider_state"] = finding.provider_state[:64]
    if finding.record_id and after is not IntentState.ANOMALY:
        columns["record_id"] = finding.record_id
    return columns


def _why(news: News, *, before: IntentState, after: IntentState) -> str:
    said = news.detail or news.finding.detail
    if after is IntentState.ANOMALY and not said:
        return f"approved at the gateway after it was {before}"
    return said


def _columns_of_sent(intent: GatewayTransaction, news: News) -> dict[str, Any]:
    # What may not be sent again is kept for reading only: redacted, and once, in its exchange's evidence.
    stands_in_evidence = news.exchange is not None and news.exchange.request_body
    body = "" if stands_in_evidence else redact_text(intent.request_body)
    return {"next_send_at": None, "request_body": body}
