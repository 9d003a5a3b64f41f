"""How one gateway is to be treated where the interface leaves a choice; built from settings elsewhere."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayPolicy:
    """The choices for one gateway. Every default is the cautious reading."""

    sending: bool = True
    """False is the emergency stop: nothing new is sent, questions go on."""
    query_rate: float = 5.0
    """Status queries a second that the sweep may ask at most."""
    shares_references: bool = False
    """The gateway files follow-ups under the reference of their original, too."""
    redirect_hosts: frozenset[str] = frozenset()
    """Hosts (with port where it is not the scheme's own) to which a customer may be sent."""
    allow_plain_http: bool = False
    """Whether a payment page without TLS is accepted; only ever for a loopback address."""
