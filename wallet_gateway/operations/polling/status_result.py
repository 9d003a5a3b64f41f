"""What a status answer means for a transaction's row: its event, its next question, its counters."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import datetime
from typing import Any

from wallet_gateway.domain.lifecycle import LifecycleEvent, TransactionKind, TransactionState
from wallet_gateway.domain.outcomes import EVENTS, Finding, Verdict
from wallet_gateway.domain.polling_schedule import (
    OPERATOR_AFTER,
    decidable_after,
    is_silent,
    may_conclude_expired,
    needs_operator,
    next_query_at,
    next_retry_at,
    step_after,
)
from wallet_gateway.models import GatewayTransaction, TransactionEventKind
from wallet_gateway.operations._accounts import foreign_merchant_account
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.settlement.row_errors import one_line
from wallet_gateway.operations.settlement.settle import settle
from wallet_gateway.operations.settlement.status_updates import StatusUpdate

logger = logging.getLogger("wallet_gateway.operations")

_HELD = frozenset({TransactionState.AWAITING_3DS, TransactionState.PENDING})
_NOT_ENDED = _HELD | {TransactionState.UNKNOWN}
_EXPECTS_NEWS = frozenset({TransactionState.OPEN, TransactionState.PENDING})
"""States in which the gateway has to say something, sooner or later."""


def record_status_result(
    transaction: GatewayTransaction, finding: Finding | None, context: GatewayContext
) -> GatewayTransaction:
    """Record a status query's result and schedule the next one; `finding` is None where no answer came."""
    now = context.clock.now()
    if finding is None:
        return settle(transaction, _no_answer(transaction, now), context=context)
    event = _event_of(transaction, finding, now)
    if event is LifecycleEvent.EXPIRED and (other := foreign_merchant_account(transaction, context)):
        return settle(transaction, _asked_for_another(transaction, other, now), context=context)
    changes = _climbed(transaction, now, context) | _counted(transaction, event, finding, now)
    news = StatusUpdate(
        kind=TransactionEventKind.RECORDS,
        event=event,
        finding=finding,
        changes=changes,
        asked_in=TransactionState(transaction.state),
        detail="the page ended and the gateway has no record" if event is LifecycleEvent.EXPIRED else "",
        is_kept=_is_worth_keeping(transaction, event, finding),
    )
    return settle(transaction, news, context=context)


def _no_answer(transaction: GatewayTransaction, now: datetime) -> StatusUpdate:
    """Nothing was learned: no rung is climbed, and the question is repeated."""
    columns = _asked(transaction, now)
    if _is_due(transaction, now):
        columns["next_query_at"] = next_retry_at(since=transaction.state_changed_at, now=now)
    if _is_left_silent(transaction, now):
        # A gateway that says nothing readable for a day is a person's business, too.
        columns["needs_operator"] = True
    state = TransactionState(transaction.state)
    return StatusUpdate(kind=TransactionEventKind.FAULT, changes=columns, asked_in=state, is_kept=False)


def _is_left_silent(transaction: GatewayTransaction, now: datetime) -> bool:
    if transaction.state == TransactionState.UNKNOWN or _is_held_authorization(transaction):
        return now - transaction.state_changed_at >= OPERATOR_AFTER
    return transaction.state in _EXPECTS_NEWS and is_silent(transaction.poll_state, now)


def _asked_for_another(transaction: GatewayTransaction, other: str, now: datetime) -> StatusUpdate:
    """An empty answer to a question in another's name ends nothing: a person has to give the name back."""
    logger.error("%s was sent for %s, which the settings do not name", transaction.reference, one_line(other))
    news = _no_answer(transaction, now)
    return replace(news, changes={**news.changes, "needs_operator": True})


def _asked(transaction: GatewayTransaction, now: datetime) -> dict[str, Any]:
    return {"query_count": transaction.query_count + 1, "last_queried_at": now}


def _is_due(transaction: GatewayTransaction, now: datetime) -> bool:
    return transaction.next_query_at is not None and transaction.next_query_at <= now


def _climbed(transaction: GatewayTransaction, now: datetime, context: GatewayContext) -> dict[str, Any]:
    """Return the columns that say a question was answered; only one that was due climbs."""
    columns = _asked(transaction, now)
    if not _is_due(transaction, now):
        return columns
    step = step_after(transaction.poll_state, now)
    climbed = replace(transaction.poll_state, step=step)
    again = next_query_at(climbed, jitter=context.jitter())
    return columns | {"poll_step": step, "next_query_at": max(again, now) if again else None}


def _counted(
    transaction: GatewayTransaction, event: LifecycleEvent | None, finding: Finding, now: datetime
) -> dict[str, Any]:
    """Count answers in a row that ended nothing; after many of them, over a day, a person has to look."""
    if finding.own_unreadable:
        # Neither a record nor its absence, so nothing is counted: a person has to read it.
        return {"needs_operator": True} if transaction.state in _NOT_ENDED | {TransactionState.OPEN} else {}
    if not _ends_nothing(transaction, finding):
        return {"absent_count": 0} | _confirmed(transaction, finding, now)
    absent = transaction.absent_count + 1
    return {"absent_count": absent} | _left_to_person(transaction, event, finding, absent=absent, now=now)


def _left_to_person(
    transaction: GatewayTransaction,
    event: LifecycleEvent | None,
    finding: Finding,
    *,
    absent: int,
    now: datetime,
) -> dict[str, bool]:
    """Say whether one more answer that ended nothing is enough to call a person."""
    state = TransactionState(transaction.state)
    if state is TransactionState.OPEN:
        silent = event is not LifecycleEvent.EXPIRED and is_silent(transaction.poll_state, now)
        return {"needs_operator": True} if silent else {}
    still_pending = finding.verdict is Verdict.PENDING
    patience = decidable_after(TransactionKind(transaction.kind), state) if still_pending else OPERATOR_AFTER
    enough = needs_operator(
        since=transaction.state_changed_at, absent_answers=absent, now=now, after=patience
    )
    if still_pending and not _is_held_authorization(transaction):
        # The gateway speaks: that it was silent before is no person's business any more.
        return {"needs_operator": enough}
    return {"needs_operator": True} if enough and state in _NOT_ENDED else {}


def _ends_nothing(transaction: GatewayTransaction, finding: Finding) -> bool:
    """Say whether an answer had no record, one in an undocumented state, or one that is still pending."""
    if finding.verdict is Verdict.NO_NEWS:
        return True
    return finding.verdict is Verdict.PENDING and transaction.state in _HELD


def _is_held_authorization(transaction: GatewayTransaction) -> bool:
    """Say whether a card's authorization is pending: it ends within the hour, or the gateway has lost it.

    A hosted page's provider, or a refund's, may take days: see `decidable_after`.
    """
    return transaction.state in _HELD and transaction.kind == TransactionKind.AUTHORIZATION


def _confirmed(transaction: GatewayTransaction, finding: Finding, now: datetime) -> dict[str, Any]:
    """Note that a record of a settled transaction was seen, and which it is; nothing more need be asked."""
    if transaction.state != TransactionState.APPROVED or finding.verdict is not Verdict.APPROVED:
        return {}
    columns: dict[str, Any] = {"confirmed_at": now, "next_query_at": None}
    if finding.record_id and not transaction.record_id:
        columns["record_id"] = finding.record_id
    return columns


def _event_of(transaction: GatewayTransaction, finding: Finding, now: datetime) -> LifecycleEvent | None:
    if finding.verdict is not Verdict.NO_NEWS:
        return EVENTS[finding.verdict]
    if transaction.state == TransactionState.OPEN and finding.absent and transaction.expires_at:
        ended = may_conclude_expired(expires_at=transaction.expires_at, now=now)
        return LifecycleEvent.EXPIRED if ended else None
    return None


def _is_worth_keeping(
    transaction: GatewayTransaction, event: LifecycleEvent | None, finding: Finding
) -> bool:
    """Say whether the answer is kept as evidence: what changes something, and what nobody expected."""
    if finding.elsewhere or finding.verdict is Verdict.CONTRADICTION:
        return True
    if event is LifecycleEvent.HELD and transaction.state in _HELD:
        # A page that waits asks for as long as somebody looks at it.
        return False
    settled = transaction.state in {TransactionState.APPROVED, TransactionState.REJECTED}
    return event is not None and not settled
