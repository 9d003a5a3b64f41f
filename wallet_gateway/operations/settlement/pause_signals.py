"""Tell the shop's receivers that sending to a gateway was paused, or resumed before the pause had ended."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from django.db import transaction as db_transaction

from wallet_gateway.models import GatewayPause, PauseCode
from wallet_gateway.signals import sending_paused, sending_resumed


def announce_pause(
    gateway: str, *, until: datetime | None, code: PauseCode | None, reason: str, by: str = ""
) -> None:
    """Send `sending_paused` after the commit; a receiver that raises is logged."""
    words = {"gateway": gateway, "until": until, "code": code, "reason": reason, "by": by}
    db_transaction.on_commit(partial(sending_paused.send_robust, sender=GatewayPause, **words))


def announce_resumption(gateway: str, *, by: str, reason: str = "") -> None:
    """Send `sending_resumed` after the commit; a receiver that raises is logged."""
    words = {"gateway": gateway, "by": by, "reason": reason}
    db_transaction.on_commit(partial(sending_resumed.send_robust, sender=GatewayPause, **words))
