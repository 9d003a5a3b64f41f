"""How long a key service that has failed is left alone, so that pages do without its button at once.

It stands in a row, neither in a process nor in the cache: every process of every machine would make one more
customer wait through all the tries. A key is shared the same way, so one machine that alone cannot reach the
service hides the button from the others only until one of them asks.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from wallet_gateway.models import GatewayPause
from wallet_gateway.operations.context import GatewayContext

LEFT_ALONE = timedelta(seconds=30)
_ASKING_TAKES = timedelta(seconds=60)


def may_ask_for_key(context: GatewayContext, now: datetime) -> bool:
    """Say whether the key service may be asked: after a failure by one alone, until that one has a key."""
    pauses = GatewayPause.objects.filter(gateway=context.alias)
    if pauses.values_list("keys_until", flat=True).first() is None:
        return True
    return bool(pauses.filter(keys_until__lte=now).update(keys_until=now + _ASKING_TAKES))


def note_failure(context: GatewayContext) -> None:
    """Leave the key service alone for thirty seconds."""
    until = context.clock.now() + LEFT_ALONE
    GatewayPause.row_of(context.alias).update(keys_until=until)


def note_success(context: GatewayContext) -> None:
    """Let everybody ask again."""
    GatewayPause.objects.filter(gateway=context.alias, keys_until__isnull=False).update(keys_until=None)
