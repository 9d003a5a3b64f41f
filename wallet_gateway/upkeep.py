"""What runs by itself and what operators do about a gateway as a whole, wired from the settings.

Callers find these verbs in `wallet_gateway.payments`; each makes one call into operations or queries.
"""

from __future__ import annotations

from wallet_gateway import conf, wiring
from wallet_gateway.contexts import context_of
from wallet_gateway.models import GatewayPause
from wallet_gateway.operations import facts, reconciliation, stopping, sweeping
from wallet_gateway.operations.sweeping import SweepReport
from wallet_gateway.queries import pauses
from wallet_gateway.queries.pauses import SendingPause


def gateway_aliases() -> tuple[str, ...]:
    """Return the aliases of the gateways in the settings."""
    return tuple(conf.settings().gateways)


def reconcile_due(*, gateway: str = "default", limit: int = 500) -> int:
    """Ask about everything whose time has come at one gateway; return how many were asked about."""
    return reconciliation.reconcile_due(context=context_of(gateway), limit=limit)


def sweep() -> tuple[SweepReport, ...]:
    """Do once, for every gateway, what runs by itself: recovery, expiry, unsent requests, the outbox."""
    aliases = gateway_aliases()
    sweeping.warn_of_orphans(aliases)
    return tuple(sweeping.sweep(context=context_of(alias)) for alias in aliases)


def deliver_facts() -> int:
    """Tell the shop's receivers what they have not been told yet; return how many facts were taken."""
    return facts.deliver_due(clock=wiring.clock())


def stop_sending(gateway: str, *, author: str, reason: str) -> GatewayPause:
    """Let nothing new be sent to a gateway until a person resumes it; status queries go on.

    Raises `UnableToStop` without an author or a reason.
    """
    return stopping.stop_sending(context=context_of(gateway), author=author, reason=reason)


def resume_sending(gateway: str, *, author: str, reason: str) -> GatewayPause:
    """Let requests leave again after `stop_sending`; raises `UnableToStop` when nobody stopped it."""
    return stopping.resume_sending(context=context_of(gateway), author=author, reason=reason)


def sending_pauses() -> tuple[SendingPause, ...]:
    """Return which gateways nothing new is sent to at present, until when, and who or what decided so."""
    return pauses.sending_pauses(wiring.clock().now())
