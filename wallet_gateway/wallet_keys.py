"""The gateway's public keys: fetched once for all processes, renewed before expiry, encrypted at rest.

A key service that has failed is not called for a while, so that pages omit the button immediately.

A gateway may refuse a key before its end, because it has lost or withdrawn it. Only its own answer to a
request of the shop's, HTTP 401, takes a key out of use; a browser's report is a reason to ask, and no proof.
No new attempt gets a refused key, and the next page that needs a key fetches another one. Attempts that have
the refused key keep it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import TypeVar

from django.db.models import Q
from django.utils.translation import gettext_noop as _

from wallet_gateway.client.errors import GatewayError, NotSent, OutcomeUnknown, UnknownReason
from wallet_gateway.client.exchange import Answer
from wallet_gateway.context import GatewayContext, account_fingerprint
from wallet_gateway.domain.error_codes import GATEWAY_KEY_EXPIRED
from wallet_gateway.domain.policy import KEY_LIFETIME
from wallet_gateway.encryption import UnreadableSecret, WalletCipher
from wallet_gateway.ledger.transactions import in_statement
from wallet_gateway.models import GatewayPause, WalletKey
from wallet_gateway.operation_errors import WalletUnavailable
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.wallet")

RENEW_BEFORE = timedelta(minutes=10)
"""A key with less remaining time, or half its life, is renewed; it can still be used until it expires."""
MIN_USE = timedelta(minutes=2)
"""A stored key with less remaining time, or a quarter of its life, is not given to a customer any more."""
BACKOFF = timedelta(seconds=30)
"""Time for which a failed key service is not called."""
_MAX_CALL_TIME = timedelta(seconds=60)
REPLACED_ONCE_IN = timedelta(seconds=60)
"""A key that replaces a refused one is not refused itself within this time: browsers cannot use up keys."""
_KEPT_AFTER_EXPIRY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicKey:
    """A decrypted pair of keys. `repr` shows neither."""

    row: WalletKey
    api_key: str = field(repr=False)
    encryption_key: str = field(repr=False)


def cipher_of(context: GatewayContext) -> WalletCipher:
    """Return the cipher for secrets at rest; raise `WalletUnavailable` if the settings have no keys."""
    if context.cipher is None:
        raise WalletUnavailable(_("FERNET_KEYS are not set, so wallet secrets cannot be encrypted."))
    return context.cipher


def opened(row: WalletKey, context: GatewayContext) -> PublicKey:
    """Return a stored pair decrypted.

    Raises `UnreadableSecret`, and `WalletUnavailable` for a pair of another account.
    """
    cipher = cipher_of(context)
    if not is_of_account(row, context):
        raise WalletUnavailable(*GATEWAY_KEY_EXPIRED)
    return PublicKey(
        row=row, api_key=cipher.unseal(row.api_key), encryption_key=cipher.unseal(row.encryption_key)
    )


def is_of_account(row: WalletKey, context: GatewayContext) -> bool:
    """Return whether a pair was made for the account that the settings name now."""
    return bool(row.account == account_fingerprint(context))


def current_key(*, context: GatewayContext) -> PublicKey:
    """Return keys that a customer can use now; call the key service only if they are about to expire.

    Raises `WalletUnavailable` if there are no keys, and immediately while the service has just failed.
    """
    now = context.clock.now()
    latest = _latest(context)
    usable = _usable(latest, context, now)
    if usable is not None and usable.row.expires_at > now + min(RENEW_BEFORE, _life(usable.row) / 2):
        return usable
    if latest is not None and not _claim(latest, now) and usable is not None:
        return usable
    if may_ask_for_key(context, now):
        cipher = cipher_of(context)
        try:
            said = retry_read(context.gateway.public_key, context=context)
        except GatewayError as error:
            fault = one_line(error)
        else:
            expires_at = said.expires or now + KEY_LIFETIME
            if expires_at > now:
                # All processes may call the key service again.
                paused = GatewayPause.objects.filter(gateway=context.alias, keys_until__isnull=False)
                in_statement(lambda: paused.update(keys_until=None))
                row = WalletKey.objects.create(
                    gateway=context.alias,
                    account=account_fingerprint(context),
                    api_key=cipher.seal(said.api_key),
                    encryption_key=cipher.seal(said.encryption_key),
                    fetched_at=now,
                    expires_at=expires_at,
                )
                return PublicKey(row=row, api_key=said.api_key, encryption_key=said.encryption_key)
            fault = "it has expired, or our clock is off"
        fields = {"gateway": context.alias}
        logger.error("the key service of %s brought no key: %s", context.alias, fault, extra=fields)
        until = context.clock.now() + BACKOFF
        in_statement(lambda: GatewayPause.row_of(context.alias).update(keys_until=until))
    if usable is None:
        # Without the cause: its frames contain the request.
        raise WalletUnavailable(_("The gateway's key service gives no key at present."))
    return usable


def stored_key(*, context: GatewayContext) -> PublicKey | None:
    """Return the stored keys that a customer can use now, if there are any; never call the key service."""
    return _usable(_latest(context), context, context.clock.now())


def _latest(context: GatewayContext) -> WalletKey | None:
    of_account = WalletKey.objects.filter(gateway=context.alias, account=account_fingerprint(context))
    return of_account.order_by("-pk").first()


def _usable(row: WalletKey | None, context: GatewayContext, now: datetime) -> PublicKey | None:
    if row is None or row.refused_at or row.expires_at <= now + min(MIN_USE, _life(row) / 4):
        return None
    try:
        return opened(row, context)
    except UnreadableSecret:
        # Encrypted with a key that is no longer in the settings; the gateway provides new ones.
        text = "the stored key of %s cannot be opened; another one is fetched"
        logger.warning(text, context.alias, extra={"gateway": context.alias})
        return None


def _life(row: WalletKey) -> timedelta:
    """Return how long a key lives: some gateways give keys for one transaction, which live a few minutes."""
    return row.expires_at - row.fetched_at


def _claim(row: WalletKey, now: datetime) -> bool:
    """Return whether this process may renew a key or try it out: one process does, at most once a minute."""
    free = Q(renewing_until__isnull=True) | Q(renewing_until__lte=now)
    mine = WalletKey.objects.filter(free, pk=row.pk)
    return bool(in_statement(lambda: mine.update(renewing_until=now + _MAX_CALL_TIME)))


# Keys that the gateway refuses


def is_refused(row: WalletKey, *, context: GatewayContext) -> bool:
    """Return whether the gateway refuses a key of which a browser has reported a failure.

    The gateway is asked at most once a minute for each key, whatever browsers report.
    """
    now = context.clock.now()
    if row.refused_at is None and row.expires_at > now and _claim(row, now):
        try:
            error = try_out(opened(row, context), context=context)
        except WalletUnavailable:
            return False
        note_if_refused(row, error, context=context)
    return row.refused_at is not None


def try_out(key: PublicKey, *, context: GatewayContext) -> GatewayError | None:
    """Query an account that nobody has, which moves nothing; return the gateway's error, if it has one."""
    try:
        context.gateway.payment_account(
            context.new_reference(), api_key=key.api_key, encryption_key=key.encryption_key
        )
    except GatewayError as error:
        return error
    return None


def refuses_key(error: GatewayError | None) -> bool:
    """Return whether an answer to a request with a key is HTTP 401, with or without a body of the gateway."""
    exchange = error.exchange if error is not None else None
    return exchange is not None and exchange.http_status == HTTPStatus.UNAUTHORIZED


def note_if_refused(row: WalletKey, error: GatewayError | None, *, context: GatewayContext) -> None:
    """Take a key out of use if the gateway answered 401 to it, unless it has just replaced another one."""
    if not refuses_key(error) or row.refused_at is not None:
        return
    recently = context.clock.now() - REPLACED_ONCE_IN
    of_account = WalletKey.objects.filter(gateway=row.gateway, account=row.account)
    if of_account.filter(refused_at__lte=row.fetched_at, refused_at__gt=recently).exists():
        text = "the gateway %s refuses the wallet key that it has just given"
        logger.error(text, context.alias, extra={"gateway": context.alias})
    else:
        take_out_of_use(row, context=context)


def take_out_of_use(row: WalletKey, *, context: GatewayContext) -> None:
    """Give a refused key to no new attempt; the next button gets another one."""
    row.refused_at = context.clock.now()
    unmarked = WalletKey.objects.filter(pk=row.pk, refused_at=None)
    in_statement(lambda: unmarked.update(refused_at=row.refused_at))
    text = "the gateway %s refuses its wallet key; the next button gets another one"
    logger.warning(text, context.alias, extra={"gateway": context.alias})


def erase_old_keys(*, context: GatewayContext) -> int:
    """Erase keys that expired a day ago, including those of gateways no longer in the settings."""
    ended = WalletKey.objects.filter(expires_at__lte=context.clock.now() - _KEPT_AFTER_EXPIRY)
    kept = ended.exclude(api_key=b"")
    return in_statement(lambda: kept.update(api_key=b"", encryption_key=b""))


# Backoff of a key service that failed


def may_ask_for_key(context: GatewayContext, now: datetime) -> bool:
    """Return whether the key service may be called: after a failure by only one process until it succeeds."""
    pauses = GatewayPause.objects.filter(gateway=context.alias)
    if pauses.values_list("keys_until", flat=True).first() is None:
        return True
    over = pauses.filter(keys_until__lte=now)
    return bool(in_statement(lambda: over.update(keys_until=now + _MAX_CALL_TIME)))


# Reads are retried


M = TypeVar("M")

WAITS = (0.5, 1.0, 2.0)
"""Seconds before each further try. A gateway that asks for longer than the last one is not tried again."""
_PATIENCE_SECONDS = 25.0
"""Seconds after which no further try begins, because a person is waiting for the page."""
_LASTING = frozenset({UnknownReason.REDIRECT, UnknownReason.WRONG_SHAPE, UnknownReason.CONTRADICTORY})
"""Reasons for which the next answer would be the same."""


def retry_read(read: Callable[[], Answer[M]], *, context: GatewayContext) -> M:
    """Return the gateway's answer; raise the last `GatewayError` once a further try is of no use."""
    started = time.monotonic()
    for wait in WAITS:
        try:
            return read().message
        except (NotSent, OutcomeUnknown) as error:
            asked = error.retry_after if isinstance(error, OutcomeUnknown) else None
            pause = max(asked or 0, wait)
            is_late = time.monotonic() - started + pause > _PATIENCE_SECONDS
            if error.reason in _LASTING or pause > WAITS[-1] or is_late:
                raise
        context.clock.sleep(pause)
    return read().message
