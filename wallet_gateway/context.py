"""The context of every operation: gateway, policy, clock, and whose account a row is of. No settings.

An alias may be given another account, or go live. What was made before is unknown to the new account: a
status answer without a record proves nothing, a follow-up would find no payment, and a key opens nothing. A
live account is not even asked about a test; what is of unknown mode counts as live.
"""

from __future__ import annotations

import hashlib
import random
import secrets
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db import connection
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from wallet_gateway.client.gateway import Gateway
from wallet_gateway.client.transport import steady_seconds
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.orders import new_reference
from wallet_gateway.domain.policy import GatewayPolicy, WalletPolicy
from wallet_gateway.domain.polling_schedule import SEND_WITHIN_SECONDS
from wallet_gateway.encryption import WalletCipher
from wallet_gateway.models import GatewayTransaction, MigratedDeposit, Payment, PaymentOrder
from wallet_gateway.models.maintenance import not_tests
from wallet_gateway.operation_errors import InvalidState, SendingStopped
from wallet_gateway.wallet_hooks import Authenticator, Chooser, Pricer

_LOOK_AGAIN_AFTER = 30.0
_NOW = {
    "postgresql": "SELECT clock_timestamp()",
    "mysql": "SELECT UTC_TIMESTAMP(6)",
}


class DatabaseClock:
    """The database's time, so that leases and schedules mean the same on every machine.

    SQLite runs in this process, so its time is this process's. A server is asked every thirty seconds, and in
    between its time is counted on.
    """

    def __init__(self) -> None:
        # Both in one value, so that another thread never sees a new time with an old reading.
        self._reading: tuple[datetime, float] | None = None

    def now(self) -> datetime:
        """Return the current time, aware."""
        if (reading := self._reading) is not None:
            instant, read_at = reading
            elapsed = steady_seconds() - read_at
            if elapsed <= _LOOK_AGAIN_AFTER:
                return instant + timedelta(seconds=elapsed)
        return self.read()

    def read(self) -> datetime:
        """Read the current time from the database, and count from it for the next thirty seconds."""
        if connection.vendor not in _NOW:
            return timezone.now()
        with connection.cursor() as cursor:
            cursor.execute(_NOW[connection.vendor])
            instant: datetime = cursor.fetchone()[0]
        instant = instant if instant.tzinfo else instant.replace(tzinfo=UTC)
        self._reading = instant, steady_seconds()
        return instant

    def sleep(self, seconds: float) -> None:
        """Wait before something is tried again."""
        time.sleep(seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayContext:
    """One gateway by its alias, with everything an operation needs to use it."""

    alias: str
    gateway: Gateway
    policy: GatewayPolicy
    clock: DatabaseClock
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


# Which merchant account a request or a key belongs to, whatever the settings of its gateway name today


def foreign_merchant_account(transaction: GatewayTransaction, context: GatewayContext) -> str:
    """Return the account that a transaction was sent under, or an empty text if it is the configured one.

    The gateway has no record of it under the configured account, so an empty status answer proves nothing.
    """
    sent, configured = (transaction.merchant_id, transaction.store_id), context.gateway.account
    if transaction.is_test not in {None, context.is_test}:
        return _named(*sent, profile=_profile(is_test=not context.is_test))
    if sent in {("", ""), (configured.merchant_id, configured.store_id)}:
        return ""
    return _named(*sent)


def is_left_alone(transaction: GatewayTransaction, context: GatewayContext) -> bool:
    """Return whether a test's account is live now: the gateway is not asked about it."""
    return bool(transaction.is_test) and not context.is_test


def asked_about(context: GatewayContext) -> Q:
    """Return the condition of the transactions of a gateway that are not left alone."""
    return Q() if context.is_test else not_tests()


def check_merchant_account(transaction: GatewayTransaction, context: GatewayContext) -> None:
    """Raise `InvalidState` if what follows a transaction would be sent under another account than it was."""
    if used := foreign_merchant_account(transaction, context):
        raise _account_changed(used, context)


def check_account_of_deposit(deposit: MigratedDeposit, context: GatewayContext) -> None:
    """Raise `InvalidState` if a refund of a deposit would mix real money with a test."""
    if deposit.is_test not in {None, context.is_test} and (deposit.refunded or deposit.refund_reserved):
        raise _account_changed(_profile(is_test=not context.is_test), context)


def _account_changed(used: str, context: GatewayContext) -> InvalidState:
    account, profile = context.gateway.account, _profile(is_test=context.is_test)
    now = _named(account.merchant_id, account.store_id, profile=profile if "PROFILE" in used else "")
    return InvalidState(
        _(
            "The payment was made with the account %(used)s, but gateway %(gateway)s has another "
            "account now: %(now)s. Nothing was sent. Give the gateway its former account back, "
            "and the new account an alias of its own."
        ),
        ErrorCode.MERCHANT_ACCOUNT_CHANGED,
        gateway=context.alias,
        used=used,
        now=now,
    )


def check_account_of_payment(payment: Payment, context: GatewayContext) -> None:
    """Raise `InvalidState` if a payment was made with another account than its gateway has now."""
    try:
        opening = payment.opening
    except GatewayTransaction.DoesNotExist:
        # A row that was made by hand names no account.
        return
    check_merchant_account(opening, context)


def _named(merchant_id: str, store_id: str, *, profile: str = "") -> str:
    names = [f"merchantId {merchant_id}, storeId {store_id}"] if merchant_id or store_id else []
    return ", ".join([*names, profile] if profile else names)


def _profile(*, is_test: bool) -> str:
    return f"PROFILE '{'test' if is_test else 'prod'}'"


def account_fingerprint(context: GatewayContext) -> str:
    """Return the SHA-256 of the configured account and of its gateway's address, to which keys belong."""
    account = context.gateway.account
    whole = (context.policy.address.url.rstrip("/"), account.merchant_id, account.store_id)
    return hashlib.sha256("\n".join(whole).encode()).hexdigest()
