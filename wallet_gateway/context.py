"""The context of every operation: the gateway, its policy, and the clock. No settings, no rows."""

from __future__ import annotations

import random
import secrets
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from django.utils.translation import gettext_noop as _

from wallet_gateway.client.gateway import Gateway
from wallet_gateway.client.transport import steady_seconds
from wallet_gateway.domain.orders import new_reference
from wallet_gateway.domain.policy import GatewayPolicy, WalletPolicy
from wallet_gateway.domain.polling_schedule import SEND_WITHIN_SECONDS
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operation_errors import SendingStopped

if TYPE_CHECKING:
    from wallet_gateway.encryption import WalletCipher
    from wallet_gateway.wallet_hooks import Authenticator, Chooser, Pricer


class Clock(Protocol):
    """The database's clock, so that leases mean the same on every machine."""

    def now(self) -> datetime:
        """Return the current time as an aware datetime."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait before something is tried again."""
        ...


@dataclass(slots=True, kw_only=True)
class PauseMemory:
    """The gateway's pause as last read by this process, so that not every checkout reads it again."""

    read_at: float | None = None
    """Time of the monotonic clock."""
    until: datetime | None = None

    def forget(self) -> None:
        """Discard the stored pause, so that it is read again: this process has just changed it."""
        self.read_at = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayContext:
    """One gateway by its alias, with everything an operation needs to use it."""

    alias: str
    gateway: Gateway
    policy: GatewayPolicy
    clock: Clock
    pause: PauseMemory = field(default_factory=PauseMemory)
    wallet: WalletPolicy | None = None
    """None if there is no wallet button."""
    cipher: WalletCipher | None = None
    """For secrets at rest."""
    price: Pricer | None = None
    """The shop's own pricing of a sheet; without it the price is the order's amount."""
    button_overrides: Chooser | None = None
    """The shop's changes to the button of one order; without it all buttons use the gateway's settings."""
    authenticate: Authenticator | None = None
    """The shop's own 3-D Secure; without it the gateway performs 3-D Secure."""

    @property
    def is_test(self) -> bool:
        """Whether no real money moves: the account has the profile `test`."""
        return self.gateway.account.profile != "prod"

    def wallet_of(self, order: PaymentOrder) -> WalletPolicy | None:
        """Return the required fields and appearance of one order's sheet."""
        if self.wallet is None or self.button_overrides is None:
            return self.wallet
        return self.button_overrides(order, self.wallet)

    def check_sending_enabled(self) -> None:
        """Raise `SendingStopped` if the settings switch sending off."""
        if not self.policy.sending:
            raise SendingStopped(_("Sending to the gateway is switched off in the settings."))

    def new_reference(self) -> str:
        """Return a new reference that is unique and cannot be guessed."""
        return new_reference(now=self.clock.now(), randomness=secrets.randbits(80))

    def jitter(self) -> float:
        """Return a number between -1 and 1 that prevents many rows from being queried at the same time."""
        return random.uniform(-1, 1)  # noqa: S311 - spreads load, not security-relevant

    def not_after(self) -> float:
        """Return the time of `steady_seconds` after which a claim made now is too old to send."""
        return steady_seconds() + SEND_WITHIN_SECONDS
