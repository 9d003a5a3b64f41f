"""The only writer of states and sums: one piece of news about one intent, recorded in one transaction.

Locks are taken in one order everywhere: order, payment, intent. The order's version tells a writer that
somebody settled something meanwhile; it then reads again and starts over.
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db.models import F

from wallet_gateway.client.exchange import Exchange
from wallet_gateway.domain.discrepancies import FREEZING
from wallet_gateway.domain.lifecycle import (
    OUTSTANDING_STATES,
    SENDABLE_STATES,
    IntentEvent,
    IntentState,
    PaymentState,
    TransactionKind,
    advance,
)
from wallet_gateway.domain.outcomes import NO_NEWS, Finding
from wallet_gateway.domain.recovery import next_query_at
from wallet_gateway.domain.standing import Standing, order_state, payment_state
from wallet_gateway.models import (
    Discrepancy,
    Evidence,
    EvidenceKind,
    GatewayTransaction,
    MigratedDeposit,
    OutboxFact,
    Payment,
    PaymentOrder,
)
from wallet_gateway.operations._books import Booking, book
from wallet_gateway.operations._discrepancies import is_settled_by_person, record_discrepancies
from wallet_gateway.operations._facts_of import facts_of
from wallet_gateway.operations._transactions import in_transaction_patiently
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.facts import deliver

_TRIES = 5
FIRST_DELIVERY = timedelta(seconds=60)
"""How long a new fact belongs to the process that wrote it; afterwards the sweep delivers it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What was learned, or decided, about one intent."""

    kind: EvidenceKind
    event: IntentEvent | None = None
    finding: Finding = NO_NEWS
    exchange: Exchange | None = None
    detail: str = ""
    author: str = ""
    attempt_no: int | None = None
    """The claim under which it was learned: a sender that lost its claim must not say "nothing left"."""
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Further columns of the intent that go with the event."""
    keep_as_evidence: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settled:
    """The rows after the news, and the facts that are to be told."""

    intent: GatewayTransaction
    facts: tuple[OutboxFact, ...] = ()


class _Outrun(Exception):
    """Somebody else settled something in between; nothing was written."""


def settle(intent: GatewayTransaction, news: News, *, context: GatewayContext) -> GatewayTransaction:
    """Record news about an intent, commit, and tell the shop; return the intent as it then stands.

    Written are its state, its payment's sums, its order's state, evidence, discrepancies and facts.
    `intent` is as read by the caller with its payment and order; it is read again when it proves stale.
    """
    settled = _settle(intent, news, context)
    deliver(settled.facts, clock=context.clock)
    return settled.intent


def _settle(intent: GatewayTransaction, news: News, context: GatewayContext) -> _Settled:
    for _ in range(_TRIES):
        try:
            return _written(intent, news, context)
        except _Outrun:
            intent = reread(intent)
    return _written(intent, news, context)


def _written(intent: GatewayTransaction, news: News, context: GatewayContext) -> _Settled:
    return in_transaction_patiently(lambda: _write(intent, news, context))


def reread(intent: GatewayTransaction) -> GatewayTransaction:
    """Read an intent again with its payment, order and deposit."""
    rows = GatewayTransaction.objects.select_related("payment__order", "deposit")
    return rows.get(pk=intent.pk)


def _write(intent: GatewayTransaction, news: News, context: GatewayContext) -> _Settled:
    # The transaction may be run again, so every run starts from rows as they were read.
    intent = _copy(intent)
    now = context.clock.now()
    before = IntentState(intent.state)
    if news.attempt_no is not None and news.attempt_no != intent.attempt_no:
        return _keep_only(intent, news, now)
    after = advance(before, news.event) if _is_news(intent, news) and news.event else before
    booking = book(intent, before=before, after=after, finding=news.finding)
    differs = record_discrepancies(intent, news.finding, before=before, after=after, now=now)
    freeze = differs or (after is IntentState.ANOMALY and before is not IntentState.ANOMALY)
    payment_before = intent.payment.sums if intent.payment else None
    order_before = intent.payment.order.state if intent.payment else ""
    if after != before or booking.changes or freeze:
        _write_sums(intent, booking, after=after, freeze=freeze, now=now)
    _write_intent(intent, news, before=before, after=after, booking=booking, now=now, context=context)
    if news.keep_as_evidence:
        _add_evidence(intent, news, now)
    told = facts_of(intent, before=before, after=after, order_before=order_before, sums_before=payment_before)
    return _Settled(intent=intent, facts=_add_facts(intent, told, now))


def _copy(intent: GatewayTransaction) -> GatewayTransaction:
    intent = copy.copy(intent)
    if intent.payment is not None:
        order = copy.copy(intent.payment.order)
        intent.payment = copy.copy(intent.payment)
        intent.payment.order = order
    return intent


def _keep_only(intent: GatewayTransaction, news: News, now: datetime) -> _Settled:
    _add_evidence(intent, news, now)
    return _Settled(intent=intent)


def unfreeze(intent: GatewayTransaction, *, context: GatewayContext) -> None:
    """Let operations touch the payment or deposit again, once nothing contradicts the books any more."""
    for _ in range(_TRIES):
        try:
            in_transaction_patiently(partial(_unfreeze, intent, context.clock.now()))
        except _Outrun:
            intent = reread(intent)
        else:
            return


def _unfreeze(intent: GatewayTransaction, now: datetime) -> None:
    intent = _copy(intent)
    parent = {"payment": intent.payment} if intent.payment else {"deposit": intent.deposit}
    still_open = Discrepancy.objects.filter(**parent, kind__in=FREEZING, closed_at__isnull=True)
    anomalies = GatewayTransaction.objects.filter(**parent, state=IntentState.ANOMALY)
    if still_open.exists() or anomalies.exists():
        return
    if intent.payment is None:
        MigratedDeposit.objects.filter(pk__in=[intent.deposit_id]).update(frozen=False)
        return
    payment = intent.payment
    payment.frozen = False
    payment.state = payment_state(payment.sums, IntentState(payment.opening.state))
    _write_order(payment, now)
    Payment.objects.filter(pk=payment.pk).update(state=payment.state, frozen=False)


def _is_news(intent: GatewayTransaction, news: News) -> bool:
    contradicted = news.event is IntentEvent.CONTRADICTED
    return not (contradicted and is_settled_by_person(intent, news.finding))


def _write_sums(
    intent: GatewayTransaction, booking: Booking, *, after: IntentState, freeze: bool, now: datetime
) -> None:
    if intent.deposit_id is not None:
        columns = booking.as_update() | ({"frozen": True} if freeze else {})
        if columns:
            MigratedDeposit.objects.filter(pk=intent.deposit_id).update(**columns)
        return
    payment = intent.payment
    assert payment is not None  # noqa: S101 - the database holds that one of the two parents is there
    seen = (payment.state, payment.frozen)
    _apply(payment, booking, opening=_opening_state(intent, payment, after), freeze=freeze)
    if not booking.changes and booking.reversal is None and seen == (payment.state, payment.frozen):
        return
    _write_order(payment, now)
    Payment.objects.filter(pk=payment.pk).update(
        **booking.as_update(), state=payment.state, frozen=payment.frozen
    )


def _opening_state(intent: GatewayTransaction, payment: Payment, after: IntentState) -> IntentState:
    if intent.reference == payment.reference:
        return after
    # Where there is money, the opening intent's state no longer decides.
    return IntentState.APPROVED


def _apply(payment: Payment, booking: Booking, *, opening: IntentState, freeze: bool) -> None:
    for column, delta in booking.changes.items():
        setattr(payment, column, getattr(payment, column) + delta)
    if booking.reversal is not None:
        payment.reversal = booking.reversal
    payment.frozen = payment.frozen or freeze
    payment.state = payment_state(payment.sums, opening)


def _write_order(payment: Payment, now: datetime) -> None:
    order = payment.order
    seen = order.version
    order.state = order_state(order.amount_minor, _standings(order, payment))
    order.version, order.updated_at = seen + 1, now
    written = PaymentOrder.objects.filter(pk=order.pk, version=seen).update(
        state=order.state, version=seen + 1, updated_at=now
    )
    if not written:
        raise _Outrun


def _standings(order: PaymentOrder, changed: Payment) -> Sequence[Standing]:
    others = order.known_payments or list(order.payments.all())
    payments = sorted((changed, *(p for p in others if p.pk != changed.pk)), key=lambda p: p.number)
    return [Standing(state=PaymentState(p.state), sums=p.sums) for p in payments]


def _write_intent(
    intent: GatewayTransaction,
    news: News,
    *,
    before: IntentState,
    after: IntentState,
    booking: Booking,
    now: datetime,
    context: GatewayContext,
) -> None:
    columns = dict(news.changes)
    if after != before:
        columns |= _columns_of_move(intent, news, before=before, after=after, now=now)
        columns |= booking.intent_columns
        for name, value in columns.items():
            setattr(intent, name, value)
        columns.setdefault("next_query_at", _first_question(intent, after, now, context))
    matched = GatewayTransaction.objects.filter(
        pk=intent.pk, state=before, attempt_no=intent.attempt_no
    ).update(**columns or {"detail": F("detail")})
    if not matched:
        raise _Outrun
    for name, value in columns.items():
        setattr(intent, name, value)


def _first_question(
    intent: GatewayTransaction, after: IntentState, now: datetime, context: GatewayContext
) -> datetime | None:
    return next_query_at(intent.position(state=after, since=now, rung=0), jitter=context.jitter())


def _columns_of_move(
    intent: GatewayTransaction, news: News, *, before: IntentState, after: IntentState, now: datetime
) -> dict[str, Any]:
    finding, outstanding = news.finding, after in OUTSTANDING_STATES
    columns: dict[str, Any] = {
        "state": after,
        "state_since": now,
        "query_rung": 0,
        "absent_count": 0,
        "confirmed_at": None,
        "needs_operator": False,
        "lease_until": None,
        "detail": (news.detail or finding.detail)[:500],
    }
    if intent.kind != TransactionKind.CHECKOUT:
        columns["open_slot"] = intent.slot if outstanding else None
    if before in {*SENDABLE_STATES, IntentState.SENDING} and after not in SENDABLE_STATES:
        columns["next_send_at"] = None
        if news.exchange is not None:
            # What may not be sent again is kept for reading only, so its redacted copy is enough.
            columns["request_body"] = news.exchange.request_body
    if after is IntentState.APPROVED:
        columns["approved_minor"] = finding.amount or intent.approved_minor or intent.amount_minor
        columns["provider_state"] = finding.provider_state[:64]
    if finding.record_id and after is not IntentState.ANOMALY:
        columns["record_id"] = finding.record_id[:128]
    return columns


def _add_evidence(intent: GatewayTransaction, news: News, now: datetime) -> None:
    exchange = news.exchange
    Evidence(
        intent=intent,
        kind=news.kind,
        event=news.event or "",
        state_after=intent.state,
        detail=(news.detail or news.finding.detail)[:500],
        http_status=exchange.http_status if exchange else None,
        request_body=exchange.request_body if exchange else "",
        answer_body=exchange.answer_body if exchange else "",
        elapsed_ms=int(exchange.elapsed_seconds * 1000) if exchange else None,
        author=news.author,
        occurred_at=now,
    ).save(force_insert=True)


def _add_facts(intent: GatewayTransaction, told: Sequence[Any], now: datetime) -> tuple[OutboxFact, ...]:
    if not told or intent.payment is None:
        return ()
    facts = [
        OutboxFact(
            fact_id=uuid.uuid4(),
            kind=fact.kind,
            order=intent.payment.order,
            intent=intent,
            amount_minor=fact.amount,
            currency=intent.currency,
            occurred_at=now,
            next_delivery_at=now + FIRST_DELIVERY,
            attempts=1,
        )
        for fact in told
    ]
    OutboxFact.objects.bulk_create(facts)
    return tuple(facts)
