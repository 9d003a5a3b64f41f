"""Ask the gateway what became of an intent and record the answer: the status query alone decides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from django.db.models import Q, QuerySet
from django.views.decorators.debug import sensitive_variables

from wallet_gateway.domain.lifecycle import IntentEvent, IntentState, TransactionKind
from wallet_gateway.domain.outcomes import EVENTS, Finding, Verdict
from wallet_gateway.domain.recovery import (
    CLAIM,
    OPERATOR_AFTER,
    may_conclude_expired,
    needs_operator,
    next_query_at,
    retry_unanswered_at,
    rung_after,
)
from wallet_gateway.models import (
    EvidenceKind,
    GatewayPause,
    GatewayTransaction,
    MigratedDeposit,
    Payment,
    PaymentOrder,
)
from wallet_gateway.models.orders import KnownPayments
from wallet_gateway.operations._books import OPENING
from wallet_gateway.operations._crews import Pace, work_off
from wallet_gateway.operations._isolation import alone
from wallet_gateway.operations._news import News
from wallet_gateway.operations._questions import ask
from wallet_gateway.operations._settlement import reread, settle
from wallet_gateway.operations.context import GatewayContext

ASKABLE_STATES = frozenset(
    {
        IntentState.UNKNOWN,
        IntentState.OPEN,
        IntentState.AWAITING_3DS,
        IntentState.PENDING,
        IntentState.EXPIRED,
        IntentState.ABANDONED,
    }
)
"""States in which the gateway's word may still change something that a customer waits for."""

_LOOK_EVERY = 32
"""Rows between two looks for a pause, where several threads ask."""

AT_MOST_EVERY = timedelta(seconds=2)
"""However often a page asks us, we ask the gateway no more often than this for one intent."""

ANSWERED_WITHIN = timedelta(seconds=30)
"""After this a question on demand is taken to have died with whoever asked it."""


@sensitive_variables()
def reconcile_attempt(*, reference: str, context: GatewayContext) -> Payment:
    """Ask about the attempt to pay that has this reference, unless it is settled or was asked about just now.

    Returns the payment as it then stands, with its order. Raises `Payment.DoesNotExist`.
    """
    mine = _claim_on_demand(reference, context)
    intent = _load_opening(reference)
    if mine:
        intent = question(intent, context=context)
    payment = intent.payment
    assert payment is not None  # noqa: S101 - an opening intent belongs to a payment
    payment.opening = intent
    return payment


@sensitive_variables()
def reconcile_order(
    *, order: PaymentOrder, context: GatewayContext, everything: bool = False
) -> PaymentOrder:
    """Ask about every intent of an order that is not settled, or about all of them; return the fresh order.

    `everything` is for people who want to see the gateway's word now: also settled intents are asked about.
    """
    rows = GatewayTransaction.objects.filter(payment__order=order).select_related("payment__order")
    if not everything:
        rows = rows.filter(state__in=ASKABLE_STATES)
    for intent in rows.order_by("pk"):
        if everything or _claim_on_demand(intent.reference, context):
            question(reread(intent), context=context)
    order.refresh_from_db()
    return order


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What came of asking about everything of an order or deposit."""

    questions: int
    unanswered: int
    """Questions that brought no usable answer: nothing is known anew of those."""
    changed: tuple[GatewayTransaction, ...]
    """Transactions that stand otherwise than before."""


@sensitive_variables()
def ask_everything(subject: PaymentOrder | MigratedDeposit, *, context: GatewayContext) -> Asked:
    """Ask about every intent of an order or deposit, settled ones too, and say what came of it."""
    of = {"payment__order": subject} if isinstance(subject, PaymentOrder) else {"deposit": subject}
    changed, questions, unanswered = [], 0, 0
    for row in GatewayTransaction.objects.filter(**of).order_by("pk"):
        before = reread(row)
        finding = ask(before, context=context)
        after = _learn(before, finding, context)
        questions, unanswered = questions + 1, unanswered + (finding is None)
        if after.state != before.state:
            changed.append(after)
    return Asked(questions=questions, unanswered=unanswered, changed=tuple(changed))


def _claim_on_demand(reference: str, context: GatewayContext) -> bool:
    now = context.clock.now()
    rested = Q(last_queried_at__isnull=True) | Q(last_queried_at__lte=now - AT_MOST_EVERY)
    paused = GatewayPause.queries_are_paused(context.alias, now)
    rows = GatewayTransaction.objects.filter(rested, ~paused, reference=reference, state__in=ASKABLE_STATES)
    # Until the answer is recorded, or its time has long passed, nobody else asks: a slow gateway must not
    # be asked by every page that waits for it.
    return bool(rows.update(last_queried_at=now + ANSWERED_WITHIN))


def _load_opening(reference: str) -> GatewayTransaction:
    """Read the opening intent of an attempt, its order and the order's other payments in one statement."""
    rows = GatewayTransaction.objects.filter(
        payment__order__payments__reference=reference, kind__in=OPENING
    ).select_related("payment__order")
    intents = {intent.reference: intent for intent in rows}
    if reference not in intents:
        raise Payment.DoesNotExist(f"no attempt to pay has the reference {reference!r}")
    intent = intents[reference]
    if intent.payment is not None:
        others = [other.payment for other in intents.values() if other.payment is not None]
        order = intent.payment.order
        order.known_payments = KnownPayments(version=order.version, payments=others)
    return intent


@sensitive_variables()
def question(intent: GatewayTransaction, *, context: GatewayContext) -> GatewayTransaction:
    """Ask about one intent and record what was learned, be it only when to ask next."""
    return _learn(intent, ask(intent, context=context), context)


def _learn(
    intent: GatewayTransaction, finding: Finding | None, context: GatewayContext
) -> GatewayTransaction:
    now = context.clock.now()
    if finding is None:
        return settle(intent, _no_answer(intent, now), context=context)
    event = _event_of(intent, finding, now)
    changes = _climbed(intent, now, context) | _counted(intent, finding, now)
    news = News(
        kind=EvidenceKind.RECORDS,
        event=event,
        finding=finding,
        changes=changes,
        detail="the page ended and the gateway has no record" if event is IntentEvent.EXPIRED else "",
        keep_as_evidence=_is_worth_keeping(intent, event, finding),
    )
    return settle(intent, news, context=context)


def _no_answer(intent: GatewayTransaction, now: datetime) -> News:
    """Nothing was learned: no rung is climbed, and the question is repeated."""
    columns = _asked(intent, now)
    if _is_due(intent, now):
        columns["next_query_at"] = retry_unanswered_at(since=intent.state_since, now=now)
    if _is_left_to_a_person(intent) and now - intent.state_since >= OPERATOR_AFTER:
        # A gateway that says nothing readable for a day is a person's business, too.
        columns["needs_operator"] = True
    return News(kind=EvidenceKind.FAULT, changes=columns, keep_as_evidence=False)


def _asked(intent: GatewayTransaction, now: datetime) -> dict[str, Any]:
    return {"query_count": intent.query_count + 1, "last_queried_at": now}


def _is_due(intent: GatewayTransaction, now: datetime) -> bool:
    return intent.next_query_at is not None and intent.next_query_at <= now


def _climbed(intent: GatewayTransaction, now: datetime, context: GatewayContext) -> dict[str, Any]:
    """Return the columns that say a question was answered; only one that was due climbs."""
    columns = _asked(intent, now)
    if not _is_due(intent, now):
        return columns
    state, since = IntentState(intent.state), intent.state_since
    rung = rung_after(intent.position(state=state, since=since, rung=intent.query_rung), now)
    again = next_query_at(intent.position(state=state, since=since, rung=rung), jitter=context.jitter())
    return columns | {"query_rung": rung, "next_query_at": max(again, now) if again else None}


def _counted(intent: GatewayTransaction, finding: Finding, now: datetime) -> dict[str, Any]:
    """Count answers in a row that ended nothing; after many of them, over a day, a person has to look."""
    if not _ends_nothing(intent, finding):
        return {"absent_count": 0} | _confirmed(intent, finding, now)
    absent = intent.absent_count + 1
    waits = _is_left_to_a_person(intent) and needs_operator(
        since=intent.state_since, absent_answers=absent, now=now
    )
    return {"absent_count": absent} | ({"needs_operator": True} if waits else {})


def _ends_nothing(intent: GatewayTransaction, finding: Finding) -> bool:
    """Say whether an answer had no record, one in a state nobody has heard of, or a card still pending."""
    if finding.verdict is Verdict.NO_NEWS:
        return True
    return finding.verdict is Verdict.PENDING and _is_held_authorization(intent)


def _is_held_authorization(intent: GatewayTransaction) -> bool:
    """Say whether a card's authorization is pending: it ends within the hour, or the gateway has lost it.

    A hosted page's provider, or a refund's, may take days, and its word keeps the amount.
    """
    held = intent.state in {IntentState.AWAITING_3DS, IntentState.PENDING}
    return held and intent.kind == TransactionKind.AUTHORIZATION


def _is_left_to_a_person(intent: GatewayTransaction) -> bool:
    return intent.state == IntentState.UNKNOWN or _is_held_authorization(intent)


def _confirmed(intent: GatewayTransaction, finding: Finding, now: datetime) -> dict[str, Any]:
    """Note that a record of a settled intent was seen, and which it is; nothing more need be asked."""
    if intent.state != IntentState.APPROVED or finding.verdict is not Verdict.APPROVED:
        return {}
    columns: dict[str, Any] = {"confirmed_at": now, "next_query_at": None}
    if finding.record_id and not intent.record_id:
        columns["record_id"] = finding.record_id
    return columns


def _event_of(intent: GatewayTransaction, finding: Finding, now: datetime) -> IntentEvent | None:
    if finding.verdict is not Verdict.NO_NEWS:
        return EVENTS[finding.verdict]
    if intent.state == IntentState.OPEN and finding.absent and intent.expires_at:
        ended = may_conclude_expired(expires_at=intent.expires_at, now=now)
        return IntentEvent.EXPIRED if ended else None
    return None


def _is_worth_keeping(intent: GatewayTransaction, event: IntentEvent | None, finding: Finding) -> bool:
    """Say whether the answer is kept as evidence: what changes something, and what nobody expected."""
    if finding.elsewhere or finding.verdict is Verdict.CONTRADICTION:
        return True
    settled = intent.state in {IntentState.APPROVED, IntentState.REJECTED}
    return event is not None and not settled


@sensitive_variables()
def reconcile_due(*, context: GatewayContext, limit: int = 500) -> int:
    """Ask about every intent whose time has come, one claim at a time; return how many were asked about.

    Any number of workers on any number of machines may run this: a row is claimed by a conditional UPDATE.
    """
    now = context.clock.now()
    if _queries_are_paused(context, now):
        return 0
    if context.policy.query_workers > 1:
        return _ask_together(context, limit=limit)
    return _ask_paced(_due(context, now)[:limit], context)


def _due(context: GatewayContext, now: datetime) -> QuerySet[GatewayTransaction]:
    rows = GatewayTransaction.objects.filter(gateway=context.alias, next_query_at__lte=now)
    return rows.order_by("next_query_at", "pk").select_related("payment__order", "deposit")


def _ask_paced(rows: Iterable[GatewayTransaction], context: GatewayContext) -> int:
    asked, pause = 0, 1 / context.policy.query_rate
    for intent in rows:
        if not _claim_due(intent, context.clock.now()):
            continue
        with alone(intent.reference):
            question(intent, context=context)
        asked += 1
        context.sleep(pause)
        if _queries_are_paused(context, context.clock.now()):
            break
    return asked


def _ask_together(context: GatewayContext, *, limit: int) -> int:
    """Ask in several threads, each of which may take up to `limit` rows, at the gateway's rate in all."""
    workers, pace = context.policy.query_workers, Pace(context.policy.query_rate, context.sleep)
    asked: list[str] = []

    def ask_one(intent: GatewayTransaction) -> None:
        # Claimed before the wait, so that what others have claimed costs no turn.
        if _claim_due(intent, context.clock.now()):
            asked.append(intent.reference)
            pace.wait()
            with alone(intent.reference):
                question(intent, context=context)

    rows = islice(_due_batches(context, batch=limit), limit * workers)
    work_off(rows, ask_one, threads=workers)
    return len(asked)


def _due_batches(context: GatewayContext, *, batch: int) -> Iterator[GatewayTransaction]:
    """Read due rows until none is left or the gateway wants to be left alone; one may come twice."""
    while not _queries_are_paused(context, now := context.clock.now()):
        rows = list(_due(context, now)[:batch])
        for number, intent in enumerate(rows):
            if number % _LOOK_EVERY == 0 and _queries_are_paused(context, context.clock.now()):
                return
            yield intent
        if len(rows) < batch:
            return


def _claim_due(intent: GatewayTransaction, now: datetime) -> bool:
    mine = GatewayTransaction.objects.filter(
        pk=intent.pk, state=intent.state, next_query_at=intent.next_query_at
    )
    return bool(mine.update(next_query_at=now + CLAIM, last_queried_at=now))


def _queries_are_paused(context: GatewayContext, now: datetime) -> bool:
    return GatewayPause.objects.filter(gateway=context.alias, queries_until__gt=now).exists()
