"""What the tests of a second person share: a shop that demands one, and a request that waits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from wallet_gateway.domain.actors import Actor
from wallet_gateway.domain.approval_policy import ApprovalPolicy
from wallet_gateway.models import Approval
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import AwaitingApproval


def person(name: str, account: str = "") -> Actor:
    """Somebody with an account, by default one that is named after them."""
    return Actor(name=name, account=account or f"key-of-{name}")


def needs_two(context: GatewayContext, **above: int) -> GatewayContext:
    """Demand a second person above these minor units; above 5.00 EUR where none are given."""
    approval_policy = ApprovalPolicy(limits=above or {"EUR": 500})
    return replace(context, policy=replace(context.policy, approval_policy=approval_policy))


def limits_by_day(context: GatewayContext, **above: int) -> GatewayContext:
    """Demand a second person above these minor units of one person and day."""
    approval_policy = ApprovalPolicy(day_limits=above)
    return replace(context, policy=replace(context.policy, approval_policy=approval_policy))


def asked(work: Callable[[], object]) -> Approval:
    """Ask for something that needs a second person; give the request that waits."""
    with pytest.raises(AwaitingApproval) as raised:
        work()
    return raised.value.approval
