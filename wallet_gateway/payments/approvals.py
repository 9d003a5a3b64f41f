"""Decisions of a person: on an unknown outcome, on a difference, and on another person's request."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from wallet_gateway import gateways
from wallet_gateway.domain.actors import Actor, By
from wallet_gateway.domain.error_codes import ARGUMENT_CHOICE, ErrorCode
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of
from wallet_gateway.ledger.transactions import check_outside_transaction
from wallet_gateway.models import Approval, Discrepancy, GatewayTransaction
from wallet_gateway.models.permissions import APPROVE, account_has, permission_of
from wallet_gateway.operations.approvals import made_elsewhere
from wallet_gateway.operations.approvals import requests as approvals
from wallet_gateway.operations.approvals import resolve as resolutions
from wallet_gateway.operations.approvals.resolve import Decision
from wallet_gateway.operations.errors import InvalidInput, InvalidState
from wallet_gateway.operations.follow_ups import approve as approving
from wallet_gateway.operations.inputs import actor_of, check_row
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
    return resolutions.resolve(
        transaction,
        decision=_decision(decision),
        reason=reason,
        by=by,
        context=context_of(transaction.gateway),
    )


def _decision(given: Decision | str) -> Decision:
    try:
        return Decision(given)
    except ValueError as error:
        known = ", ".join(Decision)
        raise InvalidInput(*ARGUMENT_CHOICE, argument="decision", known=known) from error


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
    return resolutions.close_discrepancy(
        discrepancy, reason=reason, by=by, context=context_of(discrepancy.gateway)
    )


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
    return made_elsewhere.book_discrepancy(
        discrepancy, reason=reason, by=by, context=context_of(discrepancy.gateway)
    )


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
    return approving.approve(approval, by=by, reason=reason, context=context_of(approval.gateway))


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
    return approvals.decline(approval, by=by, reason=reason, clock=gateways.clock())


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
