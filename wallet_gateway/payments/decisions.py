"""What a person decides: about an unknown outcome, a difference, and what another person asked for."""

from __future__ import annotations

from wallet_gateway import gateways
from wallet_gateway.gateways import context_of
from wallet_gateway.models import Approval, Discrepancy, GatewayTransaction
from wallet_gateway.operations.approvals import approve as approving
from wallet_gateway.operations.approvals import requests as approvals
from wallet_gateway.operations.approvals import resolve as resolutions
from wallet_gateway.operations.approvals.resolve import Decision
from wallet_gateway.operations.follow_ups import resend as resending
from wallet_gateway.operations.follow_ups.execute import Initiator
from wallet_gateway.queries.approvals import waiting_approvals


def send_again(transaction: GatewayTransaction, *, by: str = "", comment: str = "") -> GatewayTransaction:
    """Send a `NOT_SENT` capture, refund or reversal once more, now: the same reference, the same bytes.

    For what `needs_operator` because the sweep has tried a few times and stopped; `resolve` gives it up
    instead and frees its amount. Raises `InvalidState`.
    """
    return resending.send_again(
        transaction, context=context_of(transaction.gateway), who=Initiator(by=by, comment=comment)
    )


def resolve(
    transaction: GatewayTransaction, *, decision: Decision | str, reason: str, by: str
) -> GatewayTransaction:
    """Record a person's decision on an outcome that no evidence has ended.

    Raises `InvalidState`, and `AwaitingApproval` where the settings demand a second person.
    """
    return resolutions.resolve(
        transaction,
        decision=Decision(decision),
        reason=reason,
        by=by,
        context=context_of(transaction.gateway),
    )


def give_up_unsent(transaction: GatewayTransaction, *, by: str) -> bool:
    """Give up a request that has just not left, so that its amount is free again at once.

    For callers that tell a person so. Return False where it has been sent after all, or was never unsent.
    """
    return resolutions.give_up_unsent(transaction, by=by, context=context_of(transaction.gateway))


def close_discrepancy(discrepancy: Discrepancy, *, reason: str, by: str) -> Discrepancy:
    """Close a difference between our books and the gateway's, with a reason."""
    return resolutions.close_discrepancy(
        discrepancy, reason=reason, by=by, context=context_of(discrepancy.gateway)
    )


def approvals_waiting() -> tuple[Approval, ...]:
    """Return what waits for a second person, the oldest first."""
    return waiting_approvals(now=gateways.clock().now())


def approve(approval: Approval, *, by: str, reason: str = "") -> GatewayTransaction:
    """Agree to what another person asked for, and do it; look at the returned transaction's `state`.

    Raises `InvalidState`, above all for the person who asked, and whatever the operation refuses: then
    nothing was sent and the request goes on waiting.
    """
    return approving.approve(approval, by=by, reason=reason, context=context_of(approval.gateway))


def decline(approval: Approval, *, by: str, reason: str) -> Approval:
    """End a request without doing it; whoever asked withdraws it by this. Raises `InvalidState`."""
    return approvals.decline(approval, by=by, reason=reason, clock=gateways.clock())
