"""The limit per person and day: what one account gives back within 24 hours without a second person.

The row of the account is locked before its uses are added up, so of two operations at the same moment the
second one sees the first. A use counts from the reservation on, while its outcome is unknown, too; it counts
no more once nothing was moved. A program has no account and no such limit.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from wallet_gateway.domain.actors import Actor
from wallet_gateway.domain.approval_policy import LIMITED_PERIOD
from wallet_gateway.ledger.transactions import in_statement
from wallet_gateway.models import Allowance, AllowanceUse, GatewayTransaction
from wallet_gateway.operations.approvals.requests import SecondPersonNeeded
from wallet_gateway.operations.context import GatewayContext


def open_allowance(actor: Actor, currency: str, context: GatewayContext) -> Allowance | None:
    """Return the row of an account, created if missing; None for a program, and without a limit.

    Call this before the database transaction in which it is used: what it reads would fix the snapshot of all
    later reads there.
    """
    if actor.is_program or context.policy.approval_policy.day_limit_for(currency) is None:
        return None
    of: dict[str, Any] = {"gateway": context.alias, "account": actor.account, "currency": currency}
    return in_statement(lambda: Allowance.objects.get_or_create(**of)[0])


def use_allowance(
    allowance: Allowance | None,
    transaction: GatewayTransaction,
    *,
    is_agreed: bool,
    is_decision: bool = False,
    now: datetime,
    context: GatewayContext,
) -> None:
    """Record a use; raise `SecondPersonNeeded` if it passes the limit and no second person has agreed."""
    if allowance is None:
        return
    limit = context.policy.approval_policy.day_limit_for(allowance.currency)
    assert limit is not None  # noqa: S101 - there is no allowance without a limit
    allowance.lock()
    minor, since = transaction.amount_minor, now - LIMITED_PERIOD
    if not is_agreed and not allowance.has_left(minor, limit=limit, since=since):
        raise SecondPersonNeeded
    AllowanceUse.objects.create(
        allowance=allowance,
        transaction=transaction,
        amount_minor=minor,
        is_decision=is_decision,
        occurred_at=now,
    )
