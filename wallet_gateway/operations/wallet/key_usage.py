"""Report which encryption keys are in use, since when, and how many values are not under the newest key."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.operations.wallet.encryption import UnreadableSecret, WalletCipher
from wallet_gateway.operations.wallet.keys import SEALED, stored_secrets


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
    for model, column in SEALED:
        for _key, sealed in stored_secrets(model, column):
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
