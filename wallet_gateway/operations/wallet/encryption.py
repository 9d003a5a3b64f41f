"""Secrets at rest: sealed and opened by Fernet keys that are given, never read from the settings here.

Nothing in this file prints, logs or raises what it holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.operations.errors import OperationError
from wallet_gateway.protocol import strict_json

Ciphertext = bytes | memoryview
"""As databases hand octets out."""


class UnreadableSecret(OperationError):
    """A stored secret opens with none of the keys: the key it was sealed with is gone."""


class WalletCipher:
    """Seals with the first key, opens with any of them. `repr` shows none."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._each = tuple(Fernet(key) for key in keys)
        self._newest = self._each[0]
        self._all = MultiFernet(self._each)
        # Enough to tell one's own keys apart, of no use to find one.
        self.fingerprints = tuple(sha256(key.encode()).hexdigest()[:8] for key in keys)

    def __repr__(self) -> str:
        return "WalletCipher()"

    def seal(self, text: str) -> bytes:
        """Return ciphertext of a text."""
        return self._newest.encrypt(text.encode())

    def unseal(self, sealed: Ciphertext) -> str:
        """Return the text of a ciphertext; raises `UnreadableSecret`."""
        try:
            return self._all.decrypt(bytes(sealed)).decode()
        except InvalidToken:
            raise UnreadableSecret(ErrorCode.SECRET_UNREADABLE) from None

    def reseal(self, sealed: Ciphertext) -> bytes:
        """Return the same text under the newest key, with its first date; raises `UnreadableSecret`."""
        try:
            return self._all.rotate(bytes(sealed))
        except InvalidToken:
            raise UnreadableSecret(ErrorCode.SECRET_UNREADABLE) from None

    def origin(self, sealed: Ciphertext) -> tuple[int, datetime]:
        """Return the place of the key that opens a ciphertext, and when it was first sealed.

        Raises `UnreadableSecret`.
        """
        for place, key in enumerate(self._each):
            with suppress(InvalidToken):
                return place, datetime.fromtimestamp(key.extract_timestamp(bytes(sealed)), UTC)
        raise UnreadableSecret(ErrorCode.SECRET_UNREADABLE)

    def is_under_newest_key(self, sealed: Ciphertext) -> bool:
        """Say whether the newest key alone opens a ciphertext."""
        try:
            self._newest.decrypt(bytes(sealed))
        except InvalidToken:
            return False
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class CardSecrets:
    """What a tokenized card is charged with, once. `repr` shows neither."""

    cryptogram: str = field(repr=False)
    eci: str | None = field(default=None, repr=False)

    def sealed(self, cipher: WalletCipher) -> bytes:
        """Return both as one ciphertext."""
        return cipher.seal(strict_json.dumps([self.cryptogram, self.eci]).decode())
