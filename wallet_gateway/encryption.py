"""Encrypt and decrypt secrets at rest with Fernet keys from the caller, never read from the settings here.

This module never prints, logs or raises a secret.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256

from django.utils.translation import gettext_noop as _

from wallet_gateway.operation_errors import WalletUnavailable

Ciphertext = bytes | memoryview
"""Binary values as databases return them."""


class UnreadableSecret(WalletUnavailable):
    """None of the keys decrypts a stored secret: its key is no longer in the settings."""

    def __init__(self) -> None:
        super().__init__(_("None of the FERNET_KEYS opens a stored secret."))
        self.args = ()


class WalletCipher:
    """Encrypt with the first key and decrypt with any of them."""

    def __init__(self, keys: Sequence[str]) -> None:
        # Here, because a shop without the wallet button does without: the library is 8 MB.
        from cryptography.fernet import Fernet, InvalidToken, MultiFernet

        self._invalid_token = InvalidToken
        self._each = tuple(Fernet(key) for key in keys)
        self._all = MultiFernet(self._each)
        # Enough to distinguish one's own keys, useless for finding a key.
        self.fingerprints = tuple(sha256(key.encode()).hexdigest()[:8] for key in keys)

    def seal(self, text: str) -> bytes:
        """Return the ciphertext of a text."""
        return self._all.encrypt(text.encode())

    def unseal(self, sealed: Ciphertext) -> str:
        """Return the text of a ciphertext; raise `UnreadableSecret`."""
        try:
            return self._all.decrypt(bytes(sealed)).decode()
        except self._invalid_token:
            raise UnreadableSecret from None

    def reseal(self, sealed: Ciphertext) -> bytes:
        """Return the text encrypted with the newest key, keeping its date; raise `UnreadableSecret`."""
        try:
            return self._all.rotate(bytes(sealed))
        except self._invalid_token:
            raise UnreadableSecret from None

    def origin(self, sealed: Ciphertext) -> tuple[int, datetime]:
        """Return the index of the key that decrypts a ciphertext, and the time of its first encryption.

        Raises `UnreadableSecret`.
        """
        for place, key in enumerate(self._each):
            with suppress(self._invalid_token):
                return place, datetime.fromtimestamp(key.extract_timestamp(bytes(sealed)), UTC)
        raise UnreadableSecret


def cipher_in(ciphers: Mapping[str, WalletCipher], gateway: str) -> WalletCipher:
    """Return the cipher of one gateway's values, else that of the shop, which has an empty alias.

    Raises `UnreadableSecret` if there is none.
    """
    cipher = ciphers.get(gateway) or ciphers.get("")
    if cipher is None:
        raise UnreadableSecret
    return cipher
