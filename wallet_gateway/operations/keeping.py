"""What every sweep does besides asking: it leaves its mark, so that a sweep that has stopped is noticed."""

from __future__ import annotations

from wallet_gateway.models import WorkMark
from wallet_gateway.models.marks import SWEPT
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.radar import watch_authorisations


def keep_house(*, context: GatewayContext) -> None:
    """Do what is to be done once in a while for one gateway, and note that the sweep was here."""
    watch_authorisations(context=context)
    WorkMark.set(f"{SWEPT}{context.alias}", now=context.clock.now())
