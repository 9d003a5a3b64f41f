"""The keys that encrypt secrets at rest: which are in use, since when, and re-encryption with the newest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.models import GatewayTransaction, WalletKey
from wallet_gateway.models.transactions import STATES_WITH_SECRETS
from wallet_gateway.operations.wallet.encryption import UnreadableSecret, WalletCipher

_BATCH = 500
_ENCRYPTED_COLUMNS = (
    (WalletKey, "api_key"),
    (WalletKey, "encryption_key"),
    (GatewayTransaction, "wallet_secrets"),
)
_WITH_SECRETS = {"state__in": sorted(STATES_WITH_SECRETS)}
"""Few of a million transactions are in these states, and no others contain secrets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyUse:
    """A key of the settings and the values encrypted with it."""

    fingerprint: str
    """The first eight digits of its SHA-256."""
    stored: int
    oldest: datetime | None
    """The time of the oldest value; encrypting it again does not change this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySurvey:
    """All keys in the order of the settings: the first encrypts, all decrypt."""

    keys: tuple[KeyUse, ...]
    unreadable: int
    """The number of values that none of the keys decrypts."""

    @property
    def waiting(self) -> int:
        """Return the number of values still encrypted with an older key."""
        return sum(key.stored for key in self.keys[1:])


@sensitive_variables()
def survey(cipher: WalletCipher) -> KeySurvey:
    """Check all encrypted values in the database and return the result. Changes nothing."""
    dates: dict[int, list[datetime]] = defaultdict(list)
    unreadable = 0
    for model, column in _ENCRYPTED_COLUMNS:
        for _key, sealed in _stored_secrets(model, column):
            try:
                place, written_at = cipher.origin(sealed)
            except UnreadableSecret:
                unreadable += 1
            else:
                dates[place].append(written_at)
    uses = (
        KeyUse(fingerprint=name, stored=len(dates[place]), oldest=min(dates[place], default=None))
        for place, name in enumerate(cipher.fingerprints)
    )
    return KeySurvey(keys=tuple(uses), unreadable=unreadable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotation:
    """The result of re-encrypting the stored values."""

    resealed: int
    left: int
    """Values still under an older key, because they changed during the rotation: run it again."""
    unreadable: int
    """Values that none of the given keys decrypts."""


@sensitive_variables()
def rotate_keys(cipher: WalletCipher) -> Rotation:
    """Re-encrypt all stored values with the newest key; this may be interrupted and repeated.

    A row that changed since it was read is left unchanged and counted.
    """
    resealed = left = unreadable = 0
    for model, column in _ENCRYPTED_COLUMNS:
        for key, old in _stored_secrets(model, column):
            if cipher.is_under_newest_key(old):
                continue
            try:
                new = cipher.reseal(old)
            except UnreadableSecret:
                unreadable += 1
                continue
            done = model._default_manager.filter(pk=key, **{column: old}).update(**{column: new})
            resealed, left = resealed + done, left + 1 - done
    return Rotation(resealed=resealed, left=left, unreadable=unreadable)


def _stored_secrets(model: type[WalletKey | GatewayTransaction], column: str) -> Iterator[tuple[int, bytes]]:
    """Yield every encrypted value of a column with its row's primary key, 500 rows at a time."""
    rows = model._default_manager.exclude(**{column: None}).exclude(**{column: b""}).order_by("pk")
    if model is GatewayTransaction:
        rows = rows.filter(**_WITH_SECRETS)
    last = 0
    while batch := list(rows.filter(pk__gt=last).values_list("pk", column)[:_BATCH]):
        for key, sealed in batch:
            yield key, bytes(sealed)
        last = batch[-1][0]
