"""What every verb of the engine is given beside the request."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from wallet_gateway.sandbox.models import Merchant
from wallet_gateway.sandbox.state import Conditions


class Twist(StrEnum):
    """How a request is to go wrong while it is processed to the end."""

    NONE = "none"
    ERRORED = "errored"
    """The provider fails."""
    UNDOCUMENTED = "undocumented_state"
    """The provider leaves it in a state the interface does not know."""
    PARTIAL = "partial"
    """The provider gives back less than asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request's circumstances: whose it is, what holds, and how it is to go wrong."""

    merchant: Merchant
    conditions: Conditions
    base_url: str
    """Where the caller reached the gateway, without a trailing slash."""
    twist: Twist = Twist.NONE
