"""Which of the keys that seal are in use, since when, and how much waits for the newest. Changes nothing."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from django.views.decorators.debug import sensitive_variables

from wallet_gateway.operations.wallet.encryption import UnreadableSecret, WalletCipher
from wallet_gateway.operations.wallet.keys import SEALED, stored_secrets


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyUse:
    """One key of the settings, and what is stored under it."""

    fingerprint: str
    """The first eight digits of its SHA-256."""
    stored: int
    oldest: datetime | None
    """When the oldest of it was written; to seal it anew does not change that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySurvey:
    """All keys in the order of the settings: the first one writes, all of them read."""

    keys: tuple[KeyUse, ...]
    unreadable: int
    """Under none of them."""

    @property
    def waiting(self) -> int:
        """How much is still under an older key."""
        return sum(key.stored for key in self.keys[1:])


@sensitive_variables()
def survey(cipher: WalletCipher) -> KeySurvey:
    """Look through everything that is stored sealed."""
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
