"""Decisions of a person: on an unknown outcome, on a difference, and on another person's request."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from functools import partial

from django.db import IntegrityError
from django.utils.translation import gettext_noop as _

from wallet_gateway import gateways
from wallet_gateway.context import GatewayContext, foreign_merchant_account
from wallet_gateway.domain.discrepancies import OUTLASTS_DECISION, DiscrepancyKind, ExplanationCode, explain
from wallet_gateway.domain.elsewhere import booking_order
from wallet_gateway.domain.error_codes import (
    APPROVAL_CLOSED,
    CHANGED_MEANWHILE,
    DISCREPANCY_CLOSED,
    GATEWAY_SILENT,
    NOT_BOOKABLE,
    NOT_REPORTED,
    RECORD_TAKEN,
    STATE_CHANGED,
    ErrorCode,
)
from wallet_gateway.domain.evidence import INCONCLUSIVE, KINDS, Finding
from wallet_gateway.domain.people import Actor, By
from wallet_gateway.domain.polling_schedule import (
    OPERATOR_ABSENT_ANSWERS,
    OPERATOR_AFTER,
    PENDING_IS_LONG,
    decidable_after,
    is_silent,
    needs_operator,
)
from wallet_gateway.domain.states import LifecycleEvent, TransactionKind, TransactionState
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of
from wallet_gateway.ledger.apply import is_taken, lift_freeze, locked, reread
from wallet_gateway.ledger.discrepancies import (
    closing_columns,
    elsewhere_fingerprint,
    fingerprint_of,
    is_closed,
    resume_after_mix_up,
)
from wallet_gateway.ledger.outbox import deliver
from wallet_gateway.ledger.repair import book_elsewhere, record_decision
from wallet_gateway.ledger.transactions import check_outside_transaction, in_transaction, retry_conflicts
from wallet_gateway.models import Approval, ApprovalState, Discrepancy, GatewayTransaction, OutboxEvent
from wallet_gateway.models.decisions import APPROVE, account_has, permission_of
from wallet_gateway.models.fields import actor_in
from wallet_gateway.operation_errors import GatewayUnreachable, InvalidState
from wallet_gateway.payments.detached_refunds import refund_deposit
from wallet_gateway.payments.execution import Initiator, follow_up
from wallet_gateway.payments.inputs import actor_of, check_decider, check_decision, check_row, member_of
from wallet_gateway.payments.second_person import (
    Grant,
    SecondPersonNeeded,
    ask_to_decide,
    check_second_person,
    close_request,
    consume_approval,
    is_author,
    open_allowance,
    use_allowance,
)
from wallet_gateway.payments.status import query_status
from wallet_gateway.reports.work import waiting_approvals

__all__ = [
    "Approval",
    "Decision",
    "approve",
    "book_discrepancy",
    "close_discrepancy",
    "decline",
    "resolve",
    "waiting",
]


class Decision(StrEnum):
    """A person's conclusion."""

    DID_NOT_HAPPEN = "DID_NOT_HAPPEN"
    """The amount is released; the reference stays on watch for 90 days."""
    DID_HAPPEN = "DID_HAPPEN"
    """Only for a contradiction: the gateway's report is accepted."""


@sensitive_variables()
def resolve(
    transaction: GatewayTransaction, *, decision: Decision | str, reason: str, by: By
) -> GatewayTransaction:
    """Record a person's decision on an outcome that neither an answer nor a status record has settled.

    :param transaction: one whose state is `UNKNOWN`, `PENDING`, `NOT_SENT` or `ANOMALY`, or a page without an
        answer, as the person has seen it: a contradiction found since is not decided on.
    :param decision: `Decision.DID_NOT_HAPPEN` frees the amount; `DID_HAPPEN` accepts a contradiction.
    :param reason: what the person has found out, not empty: `"not in the provider's portal"`.
    :param by: the person: a user such as `request.user`, an `Actor`, or a name.
    :returns: the transaction as it is now.
    :raises InvalidState: `too_early` before enough answers; `wrong_state`, `merchant_account_changed`,
        `changed_meanwhile` and `approval_pending`.
    :raises AwaitingApproval: `awaiting_approval`, where the settings demand a second person.
    :raises InvalidInput: `argument_invalid`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.approvals.resolve")
    decided = member_of(Decision, decision, argument="decision")
    return _resolve(transaction, decided, reason, by, grant=None)


def _resolve(
    seen: GatewayTransaction, decision: Decision, reason: str, by: By, *, grant: Grant | None
) -> GatewayTransaction:
    """Decide on a transaction that no status query has ended, alone or with a second person's grant.

    A request of which no byte left may be given up at any time. An unknown outcome may be given up after 24
    hours and five empty answers, or if its record cannot be read. A pending transaction, or one that waits
    for 3-D Secure, may be given up after five answers that it is: a wallet's card after 24 hours, anything
    else after 7 days. If the gateway answers no query, any of them may be given up after 7 days, and a hosted
    page a day past its end. A contradiction may be decided either way. Two persons decide where the amount
    demands it: an operation that was given up may be requested again and then be executed twice.
    """
    actor, context = check_decision(by=by, reason=reason), context_of(seen.gateway)
    transaction = reread(seen)
    as_seen, as_is = [(one.state, one.state_changed_at) for one in (seen, transaction)]
    if transaction.state == TransactionState.ANOMALY and as_seen != as_is:
        # Who gives up an unknown outcome must not end a contradiction that was found since.
        raise InvalidState(*STATE_CHANGED)
    # Nor does a decision close what is found while it is made.
    decided = list(
        Discrepancy.objects.filter(transaction=transaction, closed_at__isnull=True)
        .exclude(kind__in=OUTLASTS_DECISION)
        .values_list("pk", flat=True)
    )
    event = _event(transaction, decision, context)
    # If no byte left, nothing can have happened.
    is_sent = transaction.state != TransactionState.NOT_SENT
    ask = partial(ask_to_decide, transaction, decision=decision, reason=reason, actor=actor, context=context)
    if grant is not None:
        # The requester must have seen the current state, and every discrepancy.
        asked_at = grant.approval.created_at
        unseen = Discrepancy.objects.filter(
            transaction=transaction, closed_at__isnull=True, found_at__gt=asked_at
        )
        if transaction.state_changed_at > asked_at or unseen.exists():
            raise InvalidState(*STATE_CHANGED)
    elif is_sent and context.policy.approval_policy.is_needed(transaction.amount_minor, transaction.currency):
        raise ask()
    allowance = open_allowance(actor, transaction.currency, context) if is_sent else None

    def with_it() -> None:
        now, agreed = context.clock.now(), grant is not None
        use_allowance(allowance, transaction, is_agreed=agreed, is_decision=True, now=now, context=context)
        if grant is not None:
            consume_approval(grant, transaction, now=now)
        if TransactionState(transaction.state) is TransactionState.ANOMALY:
            rows = Discrepancy.objects.filter(pk__in=decided, closed_at__isnull=True)
            rows.update(**closing_columns(reason=reason, actor=actor, now=now))
            resume_after_mix_up(transaction.gateway, by=actor.name, now=now)

    finding = INCONCLUSIVE
    if event is LifecycleEvent.ACCEPTED_BY_PERSON and transaction.approved_minor is None:
        # The approval that the gateway has shown is the one that is accepted.
        record_id = "" if is_taken(transaction, transaction.reported_id) else transaction.reported_id
        finding = replace(INCONCLUSIVE, record_id=record_id, amount=transaction.shown_minor)
    why = explain(ExplanationCode.COMMENT, said=reason)
    try:
        return record_decision(
            transaction, event, why, actor=actor, finding=finding, write_with=with_it, context=context
        )
    except SecondPersonNeeded as needed:
        raise ask() from needed


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
        unknown = _(
            "It is too early. A person may decide after %(after)s and %(needed)s empty answers "
            "in a row. Empty answers so far: %(count)s."
        )
        pending = _(
            "It is too early. A person may decide after %(after)s and %(needed)s answers in a "
            "row without a result. Answers so far: %(count)s."
        )
        raise InvalidState(
            unknown if transaction.state == TransactionState.UNKNOWN else pending,
            ErrorCode.TOO_EARLY,
            after=_decidable_after(transaction),
            needed=OPERATOR_ABSENT_ANSWERS,
            count=transaction.absent_count,
        )
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
    """Return whether a person may decide: enough answers, an unreadable record, or a week of silence."""
    now, since, after = context.clock.now(), transaction.state_changed_at, _decidable_after(transaction)
    if needs_operator(since=since, absent_answers=transaction.absent_count, now=now, after=after):
        return True
    if not transaction.needs_operator:
        return False
    # A gateway that answers no query at all would never let anybody decide.
    unreadable = Discrepancy.objects.filter(transaction=transaction, kind=DiscrepancyKind.RECORD_UNREADABLE)
    return now - since >= (OPERATOR_AFTER if unreadable.exists() else PENDING_IS_LONG)


def _decidable_after(transaction: GatewayTransaction) -> timedelta:
    if transaction.undocumented_state:
        # No provider is waited for: the gateway has decided, in a word that nobody has explained.
        return OPERATOR_AFTER
    return decidable_after(TransactionKind(transaction.kind), TransactionState(transaction.state))


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


# Differences


@sensitive_variables()
def close_discrepancy(discrepancy: Discrepancy, *, reason: str, by: By) -> Discrepancy:
    """Close a difference between the shop's records and the gateway's, with a reason.

    The payment can be used again once none of its differences is open. No money is moved and nothing is
    booked.

    :param discrepancy: an open one: `Discrepancy.objects.get(pk=...)`.
    :param reason: what was done about it, not empty.
    :param by: the person: a user such as `request.user`, an `Actor`, or a name.
    :returns: the discrepancy, closed.
    :raises InvalidState: `changed_meanwhile`.
    :raises InvalidInput: `argument_invalid`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.approvals.close_discrepancy")
    check_row(discrepancy, Discrepancy)
    actor, context = check_decision(by=by, reason=reason), context_of(discrepancy.gateway)
    now, transaction = context.clock.now(), discrepancy.transaction

    def close() -> tuple[OutboxEvent, ...]:
        current = locked(transaction) if transaction is not None else None
        rows = Discrepancy.objects.filter(pk=discrepancy.pk, closed_at__isnull=True)
        if not rows.update(**closing_columns(reason=reason, actor=actor, now=now)):
            raise InvalidState(*DISCREPANCY_CLOSED)
        return lift_freeze(current, now) if current is not None else ()

    outbox_events = retry_conflicts(lambda: in_transaction(close))
    # With the last mix-up of units sending to the gateway is resumed.
    resume_after_mix_up(discrepancy.gateway, by=actor.name, now=now)
    deliver(outbox_events, clock=context.clock)
    discrepancy.refresh_from_db()
    return discrepancy


@sensitive_variables()
def book_discrepancy(discrepancy: Discrepancy, *, reason: str, by: By) -> GatewayTransaction:
    """Book what the gateway has done, as it reports it now: elsewhere, or with another amount than requested.

    A capture, refund or reversal that was made elsewhere becomes a transaction of the order. A capture or
    refund of the shop's own that the gateway carried out with another amount is approved with that amount.
    Totals, states, signals and exports contain it; what exceeds the payment's limits is `ABOVE_LIMIT`.
    Nothing that moves money is sent.

    :param discrepancy: one of the kind `MADE_ELSEWHERE` that is not booked, closed or not; or an open one of
        the kind `AMOUNT_DIFFERS` or `UNIT_MIX_UP`.
    :param reason: why it is right, not empty: `"refunded by the provider's support"`.
    :param by: the person: a user such as `request.user`, an `Actor`, or a name.
    :returns: the transaction that was booked.
    :raises InvalidState: `changed_meanwhile`, `not_bookable` and `too_early`.
    :raises GatewayUnreachable: `gateway_silent`, if the gateway does not answer.
    :raises InvalidInput: `argument_invalid`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.approvals.book_discrepancy")
    actor, context = check_decision(by=by, reason=reason), context_of(discrepancy.gateway)
    discrepancy.refresh_from_db()
    if discrepancy.transaction is None or discrepancy.kind not in BOOKABLE:
        raise InvalidState(*NOT_BOOKABLE)
    is_elsewhere = discrepancy.kind == DiscrepancyKind.MADE_ELSEWHERE
    if discrepancy.booked_as_id is not None or (discrepancy.closed_at is not None and not is_elsewhere):
        raise InvalidState(*DISCREPANCY_CLOSED)
    transaction = reread(discrepancy.transaction)
    # Booked is what the gateway reports now.
    finding = query_status(transaction, context=context)
    if finding is None:
        raise GatewayUnreachable(*GATEWAY_SILENT, gateway=context.alias, address=context.policy.address)
    if not is_elsewhere:
        return _book_amount(discrepancy, transaction, finding, reason, actor, context)
    told = (*finding.elsewhere, *finding.unknown_references)
    named = (one for one in told if elsewhere_fingerprint(transaction, one) == discrepancy.fingerprint)
    record = next(named, None)
    if record is None:
        raise InvalidState(*NOT_REPORTED)
    # A capture before it waits for a decision, unless a person has closed it: then it is not booked.
    captures = (one for one in told if KINDS.get(one.type.lower()) is TransactionKind.CAPTURE)
    before = (one for one in captures if booking_order(one) < booking_order(record))
    if any(not is_closed(elsewhere_fingerprint(transaction, one)) for one in before):
        raise InvalidState(
            _("A capture of this payment was made elsewhere, too. Book that one first: it can be refunded."),
            ErrorCode.NOT_BOOKABLE,
        )
    return book_elsewhere(transaction, record, actor=actor, reason=reason, context=context)


BOOKABLE = frozenset(
    {DiscrepancyKind.MADE_ELSEWHERE, DiscrepancyKind.AMOUNT_DIFFERS, DiscrepancyKind.UNIT_MIX_UP}
)
"""Kinds about an approved record whose amount can be booked."""


def _book_amount(
    discrepancy: Discrepancy,
    transaction: GatewayTransaction,
    finding: Finding,
    reason: str,
    actor: Actor,
    context: GatewayContext,
) -> GatewayTransaction:
    """Record a capture or refund of ours as approved with the amount that the gateway reports.

    An order is never paid by another amount, and a reversal has only one. An answer that approved it had no
    amount, so the requested one may have been booked already. Raises `InvalidState` if more of a capture was
    given back than the gateway has captured.
    """
    if transaction.kind not in {TransactionKind.CAPTURE, TransactionKind.REFUND}:
        raise InvalidState(*NOT_BOOKABLE)
    named = {fingerprint_of(transaction, one): one for one in finding.discrepancies}
    found = named.get(discrepancy.fingerprint)
    if found is None:
        raise InvalidState(*NOT_REPORTED)
    if not found.amount or _is_below_refunds(transaction, found.amount):
        raise InvalidState(*NOT_BOOKABLE)
    if is_taken(transaction, found.record_id):
        raise InvalidState(*RECORD_TAKEN)

    def close() -> None:
        columns = closing_columns(actor=actor, reason=reason, now=context.clock.now())
        Discrepancy.objects.filter(pk=discrepancy.pk).update(**columns, booked_as=transaction)

    try:
        decided = record_decision(
            transaction,
            LifecycleEvent.ACCEPTED_BY_PERSON,
            explain(ExplanationCode.COMMENT, said=reason),
            actor=actor,
            finding=replace(INCONCLUSIVE, record_id=found.record_id, amount=found.amount),
            write_with=close,
            context=context,
        )
    except IntegrityError as error:
        # Another process has given back more since, or recorded the same record: the database refuses it.
        raise InvalidState(*CHANGED_MEANWHILE) from error
    resume_after_mix_up(transaction.gateway, by=actor.name, now=context.clock.now())
    return decided


def _is_below_refunds(transaction: GatewayTransaction, amount: int) -> bool:
    """Return whether a capture of this amount would leave less captured than was given back."""
    payment = transaction.payment
    if payment is None or transaction.kind != TransactionKind.CAPTURE:
        return False
    counted = (transaction.approved_minor or 0) - transaction.excess_minor
    return payment.captured - counted + amount < payment.refunded + payment.refund_reserved


# Another person's request


@sensitive_variables()
def waiting() -> tuple[Approval, ...]:
    """Return the requests that wait for a second person.

    :returns: approvals, the oldest first; those that have waited too long are left out.
    """
    return tuple(waiting_approvals(gateways.clock().now()))


@sensitive_variables()
def approve(approval: Approval, *, by: By, reason: str = "") -> GatewayTransaction:
    """Approve and execute another person's request; check the `state` of the returned transaction.

    If the operation itself is refused, nothing was sent and the request keeps waiting.

    :param approval: one that waits, as `waiting` returns it.
    :param by: the second person: a user, or an `Actor` with an account that exists, is active and has
        `approve_operation` and the permission of the operation. A name alone agrees to nothing.
    :param reason: why, may be empty.
    :returns: the transaction that was executed or decided on.
    :raises InvalidState: `changed_meanwhile` and `not_permitted`; those of the operation, such as
        `amount_too_high`, `nothing_left` and `payment_frozen`.
    :raises OperationOutstanding: `operation_outstanding`, while another operation has no outcome.
    :raises SendingStopped: `sending_stopped`.
    :raises InvalidInput: `argument_invalid`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.approvals.approve")
    check_row(approval, Approval)
    check_permitted(actor_of(by), permission_of(approval))
    actor, now = check_decider(by=by, reason=reason), gateways.clock().now()
    approval = Approval.objects.select_related("payment__order", "deposit", "subject").get(pk=approval.pk)
    author = actor_in(approval, "created_by")
    check_second_person(actor, author)
    if not approval.is_waiting(now):
        raise InvalidState(*APPROVAL_CLOSED)
    # All is checked again under the lock. If a check fails, nothing is sent and the request keeps waiting.
    grant = Grant(approval=approval, actor=actor, reason=reason.strip())
    who = Initiator(
        idempotency_key=approval.idempotency_key,
        by=author,
        reason_code=approval.reason_code,
        comment=approval.comment,
        grant=grant,
        # Who asked for it is not there.
        is_awaited=False,
    )
    if approval.subject is not None:
        decision = Decision(approval.decision)
        transaction = _resolve(approval.subject, decision, approval.comment, author, grant=grant)
    elif approval.deposit is not None:
        transaction = refund_deposit(
            approval.deposit,
            approval.amount_minor,
            context=context_of(approval.gateway),
            who=who,
            order_number=approval.order_number or None,
        )
    else:
        assert approval.payment is not None  # noqa: S101 - the database holds that one of the two is there
        # Only what gives back is asked for: a request of another kind must never move money.
        kind = {TransactionKind.REFUND: TransactionKind.REFUND}[TransactionKind(approval.kind)]
        transaction = follow_up(
            approval.payment, kind, amount=approval.amount, sends=approval.sent_along, who=who
        )
    approval.refresh_from_db()
    if (approval.state, approval.decided_by_account) != (ApprovalState.AGREED, actor.account):
        # Two approvers found the transaction of the same key; the log must not name both.
        raise InvalidState(*APPROVAL_CLOSED)
    return transaction


@sensitive_variables()
def decline(approval: Approval, *, by: By, reason: str) -> Approval:
    """End a request without executing it; its author withdraws it this way.

    :param approval: one that waits, as `waiting` returns it.
    :param by: who declines: a user such as `request.user`, an `Actor`, or a name.
    :param reason: why, not empty: `"wrong amount"`.
    :returns: the approval, `DECLINED` or `WITHDRAWN`.
    :raises InvalidState: `changed_meanwhile`.
    :raises InvalidInput: `argument_invalid`.
    """
    check_row(approval, Approval)
    actor = check_decision(by=by, reason=reason)
    own = is_author(actor, actor_in(approval, "created_by"))
    state = ApprovalState.WITHDRAWN if own else ApprovalState.DECLINED
    close_request(approval, state, actor=actor, reason=reason, now=gateways.clock().now())
    approval.refresh_from_db()
    return approval


def check_permitted(actor: Actor, permission: str) -> None:
    """Raise `InvalidState` unless an actor's account may be a second person for an operation."""
    if not actor.is_program and not account_has(actor, permission, APPROVE):
        raise InvalidState(
            _(
                "%(name)s may not agree to this: the account is deleted or inactive, or lacks a "
                "permission. Somebody else who has “%(permission)s” and "
                "“wallet_gateway.approve_operation” must agree."
            ),
            ErrorCode.NOT_PERMITTED,
            name=actor.name,
            permission=permission,
        )
