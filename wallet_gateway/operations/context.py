"""What every operation is given: the gateway, how to treat it, and the clock. No settings, no rows."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from wallet_gateway.client.gateway import Gateway
from wallet_gateway.domain.policy import GatewayPolicy, WalletPolicy
from wallet_gateway.domain.polling_schedule import SEND_WITHIN_SECONDS
from wallet_gateway.domain.references import new_reference
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operations.wallet.encryption import WalletCipher
from wallet_gateway.operations.wallet.hooks import Authenticator, Chooser, Pricer


class Clock(Protocol):
    """The time of the database, so that leases mean the same on every machine."""

    def now(self) -> datetime:
        """Return the present instant, aware."""
        ...


@dataclass(slots=True, kw_only=True)
class PauseMemory:
    """What this process last read of a gateway's pause, so that not every checkout reads it again."""

    read_at: float | None = None
    """On the monotonic clock."""
    until: datetime | None = None

    def forget(self) -> None:
        """Read again next time: this process has just changed the pause."""
        self.read_at = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayContext:
    """One gateway by its alias, with what an operation needs to use it."""

    alias: str
    gateway: Gateway
    policy: GatewayPolicy
    clock: Clock
    sleep: Callable[[float], None] = field(default=time.sleep)
    pause: PauseMemory = field(default_factory=PauseMemory)
    wallet: WalletPolicy | None = None
    """None where there is no wallet button."""
    cipher: WalletCipher | None = None
    """For secrets at rest."""
    price: Pricer | None = None
    """The shop's own pricing of a sheet; without it an order costs what it costs."""
    button_overrides: Chooser | None = None
    """What the shop wants otherwise for one order; without it every button is the gateway's."""
    authenticate: Authenticator | None = None
    """The shop's own 3-D Secure; without it the gateway leads the customer through its own."""

    def wallet_of(self, order: PaymentOrder) -> WalletPolicy | None:
        """Return what the sheet of one order asks for and looks like."""
        if self.wallet is None or self.button_overrides is None:
            return self.wallet
        return self.button_overrides(order, self.wallet)

    def new_reference(self) -> str:
        """Make a reference that nobody has used and nobody can guess."""
        return new_reference(now=self.clock.now(), randomness=secrets.randbits(80))

    def jitter(self) -> float:
        """Return a number between -1 and 1 that keeps many rows from asking in step."""
        return random.uniform(-1, 1)  # noqa: S311 - spreads load, guards nothing

    def not_after(self) -> float:
        """Return the monotonic instant after which a claim made now is too old to send on."""
        return time.monotonic() + SEND_WITHIN_SECONDS
