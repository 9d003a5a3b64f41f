"""What an account may still give back today without a second person. Only shown: the operation decides."""

from __future__ import annotations

from datetime import datetime

from wallet_gateway.domain.actors import Actor
from wallet_gateway.domain.approval_policy import LIMITED_PERIOD
from wallet_gateway.models import Allowance


def left_of_day(actor: Actor, *, gateway: str, currency: str, limit: int, now: datetime) -> int:
    """Return how many minor units an account has left of a limit for 24 hours; one SQL statement."""
    rows = Allowance.objects.filter(gateway=gateway, account=actor.account, currency=currency)
    summed = rows.annotate(used=Allowance.used_since(now - LIMITED_PERIOD))
    used: int = summed.values_list("used", flat=True).first() or 0
    return max(limit - used, 0)
