"""Query the gateway for a transaction's status, and record in the transaction's row what the answer says."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from http import HTTPStatus
from typing import Any

from wallet_gateway.client.errors import GatewayError, OutcomeUnknown, Refused
from wallet_gateway.context import GatewayContext, foreign_merchant_account
from wallet_gateway.domain.discrepancies import DiscrepancyKind, Explanation, ExplanationCode, explain
from wallet_gateway.domain.evidence import (
    EVENTS,
    INCONCLUSIVE,
    Expectation,
    ExpectedRecord,
    Finding,
    Verdict,
    minor_units,
    read_records,
    unreadable_explanation,
    wire_type,
)
from wallet_gateway.domain.gateway_records import as_status_update
from wallet_gateway.domain.people import NOBODY, Actor
from wallet_gateway.domain.policy import BookElsewhere
from wallet_gateway.domain.polling_schedule import (
    OPERATOR_ABSENT_ANSWERS,
    OPERATOR_AFTER,
    RETRY_OF_REPEAT,
    QueryPriority,
    decidable_after,
    is_silent,
    may_conclude_expired,
    may_still_pay,
    needs_operator,
    next_query_at,
    next_retry_at,
    pause_end,
    query_priority,
    repeat_waits,
    step_after,
)
from wallet_gateway.domain.states import (
    FINAL_STATES,
    OPENING_KINDS,
    OUTSTANDING_STATES,
    LifecycleEvent,
    PaymentType,
    TransactionKind,
    TransactionState,
)
from wallet_gateway.ledger.apply import Change, apply, provider_id_columns, reread
from wallet_gateway.ledger.discrepancies import closed_records, is_read_by_person
from wallet_gateway.ledger.repair import book_by_policy, release_freeze, release_freezes
from wallet_gateway.models import (
    Discrepancy,
    ForgottenReference,
    GatewayPause,
    GatewayTransaction,
    TransactionEventKind,
)
from wallet_gateway.protocol.status import StatusRecord
from wallet_gateway.protocol.text import is_storable, one_line

logger = logging.getLogger("wallet_gateway.operations")

_UNAPPROVED = FINAL_STATES - {TransactionState.APPROVED}
_MAY_HAVE_A_RECORD = OUTSTANDING_STATES | {TransactionState.APPROVED, TransactionState.ANOMALY}
_RELEASED_AT_ONCE = 100
"""Payments; the sweep releases the others."""
_HELD = frozenset({TransactionState.AWAITING_3DS, TransactionState.PENDING})
_NOT_ENDED = _HELD | {TransactionState.UNKNOWN}
_HOLDABLE = _NOT_ENDED | {TransactionState.OPEN, TransactionState.EXPIRED, TransactionState.REJECTED}
"""States in which an operator is needed if our record cannot be read, or has a state that nobody knows."""
_EXPECTS_NEWS = frozenset({TransactionState.OPEN, TransactionState.PENDING})
"""States in which the gateway must report a result sooner or later."""


# What an answer is expected to say, and the query


def expectation_of(transaction: GatewayTransaction) -> Expectation:
    """Return the values that a transaction's records must echo, as far as its own row defines them."""
    return Expectation(
        reference=transaction.reference,
        wire_type=type_of(transaction),
        currency=transaction.currency,
        # Once an amount is approved, a record of another amount contradicts it.
        amount=transaction.approved_minor or transaction.amount_minor,
        may_be_less=transaction.kind == TransactionKind.DETACHED_REFUND
        and transaction.approved_minor is None,
        approved_id=(transaction.record_id or "") if transaction.approved_minor else "",
        is_accepted=transaction.decided_by_person and transaction.state == TransactionState.APPROVED,
    )


def type_of(transaction: GatewayTransaction) -> str:
    """Return a transaction's wire type in lower case, for comparison."""
    payment_type = PaymentType(transaction.payment.type) if transaction.payment else PaymentType.SALE
    return wire_type(TransactionKind(transaction.kind), payment_type)


def query_status(transaction: GatewayTransaction, *, context: GatewayContext) -> Finding | None:
    """Query a transaction's status and return the finding; None if there was no usable answer."""
    original = _shared_original(transaction, context)
    references = [transaction.reference, original] if original else [transaction.reference]
    try:
        answers = [context.gateway.status(reference) for reference in references]
    except GatewayError as error:
        # A refused or unreadable status query says nothing about the money, so it changes no state.
        fields = transaction.log_fields | (
            {"code": one_line(error.code)} if isinstance(error, Refused) else {}
        )
        text = "no usable answer about %s: %s"
        logger.warning(text, transaction.reference, one_line(error), extra=fields)
        if isinstance(error, OutcomeUnknown) and error.retry_after is not None:
            GatewayPause.pause_queries(context.alias, until=pause_end(context.clock.now(), error.retry_after))
        return None

    told = (record for answer in answers for record in answer.message.records)
    records = tuple(one for one in told if one.type.lower() not in context.policy.ignored_record_types)
    unreadable = tuple(record for answer in answers for record in answer.message.unreadable)
    expected = expectation_of(transaction)
    # A record of what has ended without money may have been booked as made elsewhere in the meantime.
    ended = transaction.state in _UNAPPROVED
    # At most one record, clearly of the transaction: no other rows are needed to explain it.
    is_plain = len(records) <= 1 and all(
        record.client_system_transaction_id == expected.reference
        and (record.type or "").lower() == expected.wire_type
        for record in records
    )
    if ended or unreadable or not is_plain:
        expected = _full_expectation(transaction, expected, records, context)
    found = read_records(records, expected, unreadable)
    contradicts = found.discrepancies or (ended and found.verdict is Verdict.APPROVED)
    if contradicts and (closed := closed_records(transaction)):
        found = read_records(records, expected, unreadable, closed=closed)

    if found.unreadable:
        # A person has to read what could not be parsed; the answers are redacted.
        words = one_line(unreadable_explanation(found.unreadable))
        logger.warning("%s: %s", transaction.reference, words, extra=transaction.log_fields)
        found = replace(found, answer="\n".join(answer.exchange.answer_body for answer in answers))
    return found


def others_told_otherwise(
    transaction: GatewayTransaction, finding: Finding
) -> list[tuple[GatewayTransaction, Finding]]:
    """Return the other transactions of a payment that an answer contradicts, each with what it says of it.

    A gateway may file a follow-up under the payment's reference alone, and carry out another amount than it
    was asked for: the answer about the follow-up's own reference never shows that.
    """
    if not finding.of_others:
        return []
    rows = GatewayTransaction.objects.select_related("payment__order", "deposit").filter(
        payment=transaction.payment_id,
        state=TransactionState.APPROVED,
        record_id__in=[record.id for record in finding.of_others],
    )
    booked, found = {(row.record_id, type_of(row)): row for row in rows}, []
    for record in finding.of_others:
        other = booked.get((record.id, record.type.lower()))
        told = (minor_units(record), record.currency_code)
        if other is None or told == (other.approved_minor, other.currency):
            continue
        named = frozenset({record.client_system_transaction_id or ""})
        expected = replace(expectation_of(other), other_references=named, reported_id=other.record_id or "")
        judged = read_records([record], expected, closed=closed_records(other))
        if judged.discrepancies:
            found.append((other, judged))
    return found


def _shared_original(transaction: GatewayTransaction, context: GatewayContext) -> str:
    """Return the original's reference when the gateway may file this follow-up under it.

    It is looked for there, too, before a person may give it up.
    """
    is_lost = (
        transaction.state == TransactionState.UNKNOWN
        and transaction.absent_count >= OPERATOR_ABSENT_ANSWERS - 1
    )
    if (
        not (context.policy.shares_references or is_lost)
        or transaction.payment is None
        or transaction.kind in OPENING_KINDS
    ):
        return ""
    return str(transaction.payment.reference)


def _full_expectation(
    transaction: GatewayTransaction,
    expected: Expectation,
    records: Sequence[StatusRecord],
    context: GatewayContext,
) -> Expectation:
    """Return the expectation with the records that the payment's other transactions explain."""
    if transaction.payment is None:
        return expected
    siblings = list(transaction.payment.transactions.exclude(pk=transaction.pk).select_related("payment"))
    # A sibling with a known record explains only that record; one that was not executed explains none.
    seen = [s for s in siblings if s.record_id]
    unseen = [s for s in siblings if not s.record_id and s.state in _MAY_HAVE_A_RECORD]
    original = _shared_original(transaction, context)
    # The other references in the answer that the plugin has used, those of deleted tests included
    told = {record.client_system_transaction_id for record in records} - {expected.reference}
    named = {name for name in told if name and is_storable(name)}
    rows = GatewayTransaction.objects.filter(reference__in=named) if named else ()
    known = {row.reference for row in rows}
    hashes = {ForgottenReference.hash_of(name): name for name in named - known}
    forgotten = ForgottenReference.objects.filter(reference_hash__in=hashes) if hashes else ()
    # "Several records carrying the same clientSystemTransactionId (an original and a follow-up)": a follow-up
    # may be shown there, too, even if it need not be looked for there.
    shared = transaction.payment.reference
    return replace(
        expected,
        other_references=frozenset({original} if original else set()),
        reported_id=transaction.record_id or transaction.reported_id,
        has_ended=transaction.state in _UNAPPROVED,
        is_paid=transaction.payment.authorized > 0,
        our_references=frozenset(known | {hashes[row.reference_hash] for row in forgotten}),
        is_accepted_twice=_is_accepted_twice(transaction),
        taken=frozenset((s.record_id or "", type_of(s)) for s in seen),
        attributed=frozenset((type_of(s), s.approved_minor or s.amount_minor) for s in seen),
        expected_elsewhere=tuple(
            ExpectedRecord(
                references=frozenset({s.reference, shared}),
                wire_type=type_of(s),
                amount=s.approved_minor or s.amount_minor,
            )
            for s in unseen
        ),
    )


def _is_accepted_twice(transaction: GatewayTransaction) -> bool:
    """Return whether a person has accepted a capture or refund that the gateway has executed twice.

    Of the others a second execution cannot be booked: it is settled with the provider.
    """
    if not transaction.decided_by_person or transaction.state != TransactionState.APPROVED:
        return False
    if transaction.kind not in {TransactionKind.CAPTURE, TransactionKind.REFUND}:
        return False
    doubled = Discrepancy.objects.filter(transaction=transaction, kind=DiscrepancyKind.EXECUTED_TWICE)
    return doubled.filter(closed_at__isnull=False).exists()


# What is recorded of an answer


def record_status_result(
    transaction: GatewayTransaction, finding: Finding | None, context: GatewayContext
) -> GatewayTransaction:
    """Record a status query's result and schedule the next one; `finding` is None if there was no answer."""
    if finding is not None and finding.elsewhere:
        if transaction.payment and not transaction.payment.authorized:
            # What was done elsewhere to the payment cannot be booked before its approval is recorded.
            if context.policy.book_elsewhere is not BookElsewhere.BOOK:
                return _record(transaction, finding, context)
            settled = _record(transaction, replace(finding, elsewhere=()), context)
            left = book_by_policy(settled, finding, context=context).elsewhere
            if not left:
                return reread(settled)
            rest = Change(kind=TransactionEventKind.RECORDS, finding=replace(INCONCLUSIVE, elsewhere=left))
            return apply(settled, rest, context=context)
        finding = book_by_policy(transaction, finding, context=context)
    settled = _record(transaction, finding, context)
    if finding is not None and finding.unknown_references:
        # An operation that another payment shows, too, holds that payment no longer.
        release_freezes(context=context, limit=_RELEASED_AT_ONCE)
        settled = reread(settled)
    elif transaction.payment is not None and transaction.payment.is_frozen:
        # Whoever asks about a payment that nothing contradicts any more releases it.
        release_freeze(settled, context=context)
        settled = reread(settled)
    if finding is None:
        return settled
    return contradict_others(settled, others_told_otherwise(settled, finding), context)


def contradict_others(
    transaction: GatewayTransaction,
    others: Sequence[tuple[GatewayTransaction, Finding]],
    context: GatewayContext,
    *,
    explanation: Explanation | None = None,
    actor: Actor = NOBODY,
) -> GatewayTransaction:
    """Record what an answer about one transaction says against others; return the one as it is then.

    `others` are those of `others_told_otherwise`.
    """
    for other, judged in others:
        change = Change(
            kind=TransactionEventKind.RECORDS,
            event=LifecycleEvent.CONTRADICTED,
            finding=judged,
            explanation=explanation,
            actor=actor,
        )
        apply(other, change, context=context)
    return reread(transaction) if others else transaction


def _record(
    transaction: GatewayTransaction, finding: Finding | None, context: GatewayContext
) -> GatewayTransaction:
    """Apply a query's result, of which nothing elsewhere is to be booked first.

    `transaction` is as it was read before the query.
    """
    now, state = context.clock.now(), TransactionState(transaction.state)
    if finding is None:
        return apply(transaction, _no_answer(transaction, now), context=context)
    event = EVENTS.get(finding.verdict)
    if event is None and state is TransactionState.OPEN and finding.absent and transaction.expires_at:
        if may_conclude_expired(expires_at=transaction.expires_at, now=now):
            event = LifecycleEvent.EXPIRED
        if event and (other := foreign_merchant_account(transaction, context)):
            # An empty answer under another merchant account does not end it; a person restores the name.
            text = "%s was sent for %s, which the settings do not name"
            logger.error(text, transaction.reference, one_line(other), extra=transaction.log_fields)
            change = _no_answer(transaction, now)
            change = replace(change, columns={**change.columns, "needs_operator": True})
            return apply(transaction, change, context=context)
    why = explain(ExplanationCode.PAGE_ENDED) if event is LifecycleEvent.EXPIRED else None
    if event is None and finding.absent and _was_refused(transaction, context):
        event = LifecycleEvent.REJECTED
        why = Explanation(
            code=ExplanationCode(transaction.explanation_code), params=transaction.explanation_params
        )
    counted = _counted(transaction, event, finding, now)
    columns = _next_query(transaction, finding, now, context, confirmed="confirmed_at" in counted) | counted
    if query_priority(transaction.poll_state) is QueryPriority.REPEATED:
        if finding.absent and foreign_merchant_account(transaction, context):
            # Another account has none of its records, so nothing is missing.
            finding = replace(finding, absent=False)
        event, finding = as_status_update(state, finding)
    # What is known already is no news: a waiting page queries for as long as it is open, and an approval is
    # queried for months. An answer with a new discrepancy is kept in any case.
    is_known = state in {TransactionState.APPROVED, TransactionState.REJECTED} or (
        event is LifecycleEvent.HELD and state in _HELD
    )
    change = Change(
        kind=TransactionEventKind.RECORDS,
        event=event,
        finding=finding,
        columns=columns,
        queried_in=(state, transaction.state_changed_at),
        explanation=why,
        is_kept=event is not None and not is_known,
    )
    return apply(transaction, change, context=context)


def _was_refused(transaction: GatewayTransaction, context: GatewayContext) -> bool:
    """Return whether the gateway refused a request, and the query right after it had no answer.

    Without a record nothing was executed, as after a refusal whose query was answered at once.
    """
    if transaction.state != TransactionState.UNKNOWN or not transaction.error_code:
        return False
    if foreign_merchant_account(transaction, context):
        return False
    answers = transaction.events.filter(kind=TransactionEventKind.ANSWER).order_by("-pk")
    return not is_used_up(transaction, answers.values_list("http_status", flat=True).first())


def is_used_up(transaction: GatewayTransaction, http_status: int | None) -> bool:
    """Return whether an authorization was refused because its reference or payment account was used before.

    Each is sent once, so what used it was another copy of this request. Its record may come late, and until
    then no other card may be charged: without a record the outcome stays unknown.
    """
    return transaction.kind == TransactionKind.AUTHORIZATION and http_status == HTTPStatus.CONFLICT


def _no_answer(transaction: GatewayTransaction, now: datetime) -> Change:
    """Return the change of a query without an answer: keep the poll step and repeat the query."""
    state, columns = TransactionState(transaction.state), _asked(transaction, now)
    if _is_due(transaction, now):
        is_repeat = query_priority(transaction.poll_state) is QueryPriority.REPEATED
        again = next_retry_at(since=transaction.state_changed_at, now=now)
        # Nothing hangs on a repeated query, and its share of the query rate is for all payments.
        columns["next_query_at"] = now + RETRY_OF_REPEAT if is_repeat else again
    if state is TransactionState.UNKNOWN or _is_held_authorization(transaction):
        is_silence = now - transaction.state_changed_at >= OPERATOR_AFTER
    else:
        is_silence = state in _EXPECTS_NEWS and is_silent(transaction.poll_state, now)
    if is_silence:
        # A gateway without a readable answer for a day also needs an operator.
        columns["needs_operator"] = True
    return Change(
        kind=TransactionEventKind.FAULT,
        columns=columns,
        queried_in=(state, transaction.state_changed_at),
        is_kept=False,
    )


def _asked(transaction: GatewayTransaction, now: datetime) -> dict[str, Any]:
    return {"query_count": transaction.query_count + 1, "last_queried_at": now}


def _is_due(transaction: GatewayTransaction, now: datetime) -> bool:
    return transaction.next_query_at is not None and transaction.next_query_at <= now


def _next_query(
    transaction: GatewayTransaction,
    finding: Finding,
    now: datetime,
    context: GatewayContext,
    *,
    confirmed: bool,
) -> dict[str, Any]:
    """Return the columns of an answered query; only a due query advances the poll step."""
    columns = _asked(transaction, now)
    if not _is_due(transaction, now):
        return columns
    # The position in the schedule as this gateway's settings have it, before and after this answer
    before, policy = transaction.poll_state, context.policy
    waits = repeat_waits(before.kind, daily_for=policy.capture_window.length, limit=policy.query_again)
    before = replace(before, confirmed=before.confirmed or confirmed, repeat_waits=waits)
    after = replace(before, step=step_after(before, now))
    has_page = bool(transaction.redirect_url)
    if may_still_pay(before, has_page=has_page) and not may_still_pay(after, has_page=has_page):
        # By the step, a cancelled order is released, so this answer must say that the page was not paid. A
        # person who has closed the discrepancy about a record has read it, and decides by that.
        if finding.absent:
            says_nothing = bool(foreign_merchant_account(transaction, context))
        else:
            is_open = finding.verdict is Verdict.INCONCLUSIVE
            says_nothing = is_open and not is_read_by_person(transaction, finding)
        if says_nothing:
            return columns | {"next_query_at": next_retry_at(since=transaction.state_changed_at, now=now)}
    again = next_query_at(after, jitter=context.jitter())
    return columns | {
        "poll_step": after.step,
        "next_query_at": max(again, now) if again else None,
        "query_priority": query_priority(after),
    }


def _counted(
    transaction: GatewayTransaction, event: LifecycleEvent | None, finding: Finding, now: datetime
) -> dict[str, Any]:
    """Return the columns that count consecutive inconclusive answers; many over a day need an operator."""
    state, absent = TransactionState(transaction.state), transaction.absent_count + 1
    for_person = {"needs_operator": True}
    if finding.own_unreadable:
        # An unreadable record is neither a record nor its absence: count nothing, an operator must read it.
        return for_person if state in _HOLDABLE else {}
    is_pending = finding.verdict is Verdict.PENDING
    if finding.undocumented_state and is_pending:
        # What the word means is for a person to say, at once; who may decide by it, is for the count.
        return {"absent_count": absent} | (for_person if state in _HOLDABLE else {})
    if finding.verdict is not Verdict.INCONCLUSIVE and not (is_pending and state in _HELD):
        columns: dict[str, Any] = {"absent_count": 0}
        if state is TransactionState.APPROVED and finding.verdict is Verdict.APPROVED:
            # The approval's record was seen.
            columns["confirmed_at"] = transaction.confirmed_at or now
            # The answer to a detached refund has named it; its record may name the payment.
            if transaction.kind != TransactionKind.DETACHED_REFUND or not transaction.provider_transaction_id:
                columns |= provider_id_columns(finding)
            if finding.record_id and not transaction.record_id:
                columns["record_id"] = finding.record_id
        return columns

    # One more answer that ends nothing
    if state is TransactionState.OPEN:
        silent = event is not LifecycleEvent.EXPIRED and is_silent(transaction.poll_state, now)
        return {"absent_count": absent} | (for_person if silent else {})
    patience = decidable_after(TransactionKind(transaction.kind), state) if is_pending else OPERATOR_AFTER
    enough = needs_operator(
        since=transaction.state_changed_at, absent_answers=absent, now=now, after=patience
    )
    if is_pending and not _is_held_authorization(transaction):
        # The gateway answers again, so its earlier silence no longer needs an operator.
        return {"absent_count": absent, "needs_operator": enough}
    return {"absent_count": absent} | (for_person if enough and state in _NOT_ENDED else {})


def _is_held_authorization(transaction: GatewayTransaction) -> bool:
    """Return whether a card's authorization is pending: it ends within the hour, or the gateway has lost it.

    The provider of a hosted page or of a refund may take days: see `decidable_after`.
    """
    return transaction.state in _HELD and transaction.kind == TransactionKind.AUTHORIZATION
