"""Record manual decisions on an outcome that cannot be found out, a contradiction or a discrepancy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from functools import partial

from django.utils.translation import gettext_noop as _

from wallet_gateway.domain.actors import Actor, By
from wallet_gateway.domain.discrepancies import OF_GATEWAY, DiscrepancyKind
from wallet_gateway.domain.error_codes import DISCREPANCY_CLOSED, STATE_CHANGED, ErrorCode
from wallet_gateway.domain.explanations import Explanation, ExplanationCode, explain
from wallet_gateway.domain.lifecycle import (
    IllegalTransition,
    LifecycleEvent,
    TransactionKind,
    TransactionState,
)
from wallet_gateway.domain.outcomes import INCONCLUSIVE
from wallet_gateway.domain.polling_schedule import (
    OPERATOR_ABSENT_ANSWERS,
    OPERATOR_AFTER,
    decidable_after,
    is_silent,
    needs_operator,
)
from wallet_gateway.ledger.apply import Change, apply, is_taken, reread
from wallet_gateway.ledger.discrepancies import closing_columns, resume_after_mix_up
from wallet_gateway.ledger.repair import release_freeze
from wallet_gateway.models import Approval, Discrepancy, GatewayTransaction, TransactionEventKind
from wallet_gateway.operations.approvals.day_limits import open_allowance, use_allowance
from wallet_gateway.operations.approvals.requests import (
    Grant,
    SecondPersonNeeded,
    ask_to_decide,
    consume_approval,
)
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState
from wallet_gateway.operations.inputs import actor_of, check_decision
from wallet_gateway.operations.merchant_accounts import foreign_merchant_account


class Decision(StrEnum):
    """A person's conclusion."""

    DID_NOT_HAPPEN = "DID_NOT_HAPPEN"
    """The amount is released; the reference stays on watch for 90 days."""
    DID_HAPPEN = "DID_HAPPEN"
    """Only for a contradiction: the gateway's report is accepted."""


def resolve(
    transaction: GatewayTransaction,
    *,
    decision: Decision,
    reason: str,
    by: By,
    context: GatewayContext,
    grant: Grant | None = None,
) -> GatewayTransaction:
    """Record a person's decision, with its reason, on a transaction that no status query has ended.

    A request of which no byte left may be given up at any time. An unknown outcome may be given up after 24
    hours and five empty answers, or if its record cannot be read. A pending transaction may be given up after
    five answers that it is pending: a wallet's card after 24 hours, anything else after 7 days. A hosted page
    may be given up if there was no readable answer for a day past its end. A contradiction may be decided
    either way, but not with a `transaction` read before it was found. Raises `InvalidState`, and
    `AwaitingApproval` if it needs a second person: an operation that was given up may be requested again and
    then be executed twice.
    """
    actor = check_decision(by=by, reason=reason)
    # A plain text with the value is the same decision.
    seen, transaction, decision = transaction.state, reread(transaction), Decision(decision)
    if transaction.state == TransactionState.ANOMALY and seen != TransactionState.ANOMALY:
        # Who gives up an unknown outcome must not end a contradiction that was found since.
        raise InvalidState(*STATE_CHANGED)
    event = _event(transaction, decision, context)
    ask = partial(ask_to_decide, transaction, decision=decision, reason=reason, actor=actor, context=context)
    if grant is not None:
        _check_is_as_asked(transaction, grant.approval)
    elif _takes_two(transaction, context):
        raise ask()
    allowance = None
    if transaction.state != TransactionState.NOT_SENT:
        allowance = open_allowance(actor, transaction.currency, context)

    def with_it() -> None:
        now, agreed = context.clock.now(), grant is not None
        use_allowance(allowance, transaction, is_agreed=agreed, is_decision=True, now=now, context=context)
        if grant is not None:
            consume_approval(grant, transaction, now=now)
        if TransactionState(transaction.state) is TransactionState.ANOMALY:
            _close_all(transaction, reason=reason, actor=actor, context=context)

    why = explain(ExplanationCode.COMMENT, said=reason)
    try:
        return _record(transaction, event, why, actor=actor, write_with=with_it, context=context)
    except SecondPersonNeeded as needed:
        raise ask() from needed


def _record(
    transaction: GatewayTransaction,
    event: LifecycleEvent,
    why: Explanation,
    *,
    actor: Actor,
    write_with: Callable[[], object] | None = None,
    is_awaited: bool = False,
    context: GatewayContext,
) -> GatewayTransaction:
    """Record a decision on the state that `transaction` has in memory."""
    finding = INCONCLUSIVE
    if event is LifecycleEvent.ACCEPTED_BY_PERSON and transaction.approved_minor is None:
        # The approval that the gateway has shown is the one that is accepted.
        record_id = "" if is_taken(transaction, transaction.reported_id) else transaction.reported_id
        finding = replace(INCONCLUSIVE, record_id=record_id, amount=transaction.shown_minor)
    change = Change(
        kind=TransactionEventKind.DECISION,
        event=event,
        finding=finding,
        explanation=why,
        actor=actor,
        decided_on=TransactionState(transaction.state),
        columns={"decided_by_person": True},
        is_awaited=is_awaited,
        write_with=write_with,
    )
    try:
        settled = apply(transaction, change, context=context)
    except IllegalTransition as error:
        raise InvalidState(*STATE_CHANGED) from error
    release_freeze(settled, context=context)
    return reread(settled)


def give_up_unsent(
    transaction: GatewayTransaction, *, by: By, context: GatewayContext, is_awaited: bool = True
) -> bool:
    """Give up a request that was just not sent; return False if there is nothing to give up.

    Otherwise the sweep would send it later, when the user no longer expects it. With `is_awaited` the caller
    tells that user, and nobody else is told.
    """
    actor = actor_of(by)
    if transaction.state != TransactionState.NOT_SENT:
        return False
    why = explain(ExplanationCode.UNREACHABLE_GIVEN_UP)
    try:
        _record(
            transaction,
            LifecycleEvent.ABANDONED,
            why,
            actor=replace(actor, name=actor.name or "-"),
            is_awaited=is_awaited,
            context=context,
        )
    except InvalidState:
        # A worker has just sent it: its outcome is the result.
        transaction.refresh_from_db()
        return False
    return True


def _check_is_as_asked(transaction: GatewayTransaction, approval: Approval) -> None:
    """Raise `InvalidState` if the requester has not seen the current state or a later discrepancy."""
    unseen = Discrepancy.objects.filter(
        transaction=transaction, closed_at__isnull=True, found_at__gt=approval.created_at
    )
    if transaction.state_changed_at > approval.created_at or unseen.exists():
        raise InvalidState(*STATE_CHANGED)


def _takes_two(transaction: GatewayTransaction, context: GatewayContext) -> bool:
    """Return whether a decision needs a second person; not if no byte left: nothing can have happened."""
    if transaction.state == TransactionState.NOT_SENT:
        return False
    return context.policy.approval_policy.is_needed(transaction.amount_minor, transaction.currency)


def _event(transaction: GatewayTransaction, decision: Decision, context: GatewayContext) -> LifecycleEvent:
    state = TransactionState(transaction.state)
    if state is TransactionState.ANOMALY:
        return _event_of_anomaly(transaction, decision)
    if decision is Decision.DID_HAPPEN:
        raise InvalidState(
            _("Only the gateway can approve a transaction in the state “%(state)s”."), state=state
        )
    if state is TransactionState.NOT_SENT:
        return LifecycleEvent.ABANDONED
    if state not in _UNDECIDED or (
        state is TransactionState.OPEN and not _is_left_silent(transaction, context)
    ):
        raise InvalidState(_("A transaction in the state “%(state)s” needs no decision."), state=state)
    if state is not TransactionState.OPEN and not _has_waited(transaction, context):
        raise _too_early(transaction)
    if other := foreign_merchant_account(transaction, context):
        raise InvalidState(
            _(
                "The request was sent for %(account)s, but the gateway was asked for another "
                "account. Restore the account in the gateway's settings and ask again."
            ),
            ErrorCode.MERCHANT_ACCOUNT_CHANGED,
            account=other,
        )
    return LifecycleEvent.ABANDONED


_UNDECIDED = frozenset(
    {TransactionState.UNKNOWN, TransactionState.OPEN, TransactionState.AWAITING_3DS, TransactionState.PENDING}
)


def _is_left_silent(transaction: GatewayTransaction, context: GatewayContext) -> bool:
    """Return whether a page needs a person because there was no readable answer about it past its end."""
    return transaction.needs_operator and is_silent(transaction.poll_state, context.clock.now())


def _has_waited(transaction: GatewayTransaction, context: GatewayContext) -> bool:
    """Return whether a person may decide: there were enough answers, or the record cannot be read."""
    now, since, after = context.clock.now(), transaction.state_changed_at, _decidable_after(transaction)
    if needs_operator(since=since, absent_answers=transaction.absent_count, now=now, after=after):
        return True
    unreadable = Discrepancy.objects.filter(transaction=transaction, kind=DiscrepancyKind.RECORD_UNREADABLE)
    return transaction.needs_operator and now - since >= OPERATOR_AFTER and unreadable.exists()


def _decidable_after(transaction: GatewayTransaction) -> timedelta:
    if transaction.undocumented_state:
        # No provider is waited for: the gateway has decided, in a word that nobody has explained.
        return OPERATOR_AFTER
    return decidable_after(TransactionKind(transaction.kind), TransactionState(transaction.state))


def _too_early(transaction: GatewayTransaction) -> InvalidState:
    unknown = _(
        "It is too early. A person may decide after %(after)s and %(needed)s empty answers "
        "in a row. Empty answers so far: %(count)s."
    )
    pending = _(
        "It is too early. A person may decide after %(after)s and %(needed)s answers in a "
        "row without a result. Answers so far: %(count)s."
    )
    return InvalidState(
        unknown if transaction.state == TransactionState.UNKNOWN else pending,
        ErrorCode.TOO_EARLY,
        after=_decidable_after(transaction),
        needed=OPERATOR_ABSENT_ANSWERS,
        count=transaction.absent_count,
    )


def _event_of_anomaly(transaction: GatewayTransaction, decision: Decision) -> LifecycleEvent:
    if decision is Decision.DID_HAPPEN:
        if transaction.shown_minor is None and transaction.approved_minor is None:
            raise InvalidState(
                _(
                    "The gateway has shown no approval with the requested amount and currency, so it "
                    "cannot be accepted. Ask the gateway again, or decide that it did not happen. If it "
                    "captured or refunded another amount, book that amount."
                ),
            )
        return LifecycleEvent.ACCEPTED_BY_PERSON
    if transaction.approved_minor is not None:
        raise InvalidState(
            _("The transaction was approved before the contradiction was found. It cannot be undone here.")
        )
    return LifecycleEvent.ABANDONED


def _close_all(
    transaction: GatewayTransaction, *, reason: str, actor: Actor, context: GatewayContext
) -> None:
    rows = Discrepancy.objects.filter(transaction=transaction, closed_at__isnull=True)
    rows = rows.exclude(kind__in=_TASKS_OF_THEIR_OWN)
    rows.update(**closing_columns(reason=reason, actor=actor, now=context.clock.now()))
    resume_after_mix_up(transaction.gateway, by=actor.name, now=context.clock.now())


_TASKS_OF_THEIR_OWN = (
    # The decision itself may show that more was approved than the limit allows.
    DiscrepancyKind.ABOVE_LIMIT,
    # Other operations on the payment, which were found by the same query.
    DiscrepancyKind.MADE_ELSEWHERE,
    DiscrepancyKind.UNKNOWN_TYPE,
    *OF_GATEWAY,
    # That the money moved is one decision, whether the cancelled order keeps it another.
    DiscrepancyKind.LATE_PAYMENT,
)
"""Differences that do not end with the decision on the transaction with which they were found."""


def close_discrepancy(
    discrepancy: Discrepancy, *, reason: str, by: By, context: GatewayContext
) -> Discrepancy:
    """Close a discrepancy with a reason; the payment is usable again once none is open.

    Closing the last unit mix-up of a gateway also resumes sending to it.
    """
    actor = check_decision(by=by, reason=reason)
    rows = Discrepancy.objects.filter(pk=discrepancy.pk, closed_at__isnull=True)
    if not rows.update(**closing_columns(reason=reason, actor=actor, now=context.clock.now())):
        raise InvalidState(*DISCREPANCY_CLOSED)
    discrepancy.refresh_from_db()
    resume_after_mix_up(discrepancy.gateway, by=actor.name, now=context.clock.now())
    if discrepancy.transaction is not None:
        release_freeze(reread(discrepancy.transaction), context=context)
    return discrepancy
