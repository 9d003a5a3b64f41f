"""The keys of the emulated wallet, and the gateway's keys that decrypt its tokens.

Keys are created at the first use, by the sandbox's clock, and renewed before they expire; they exist in
memory only. A retired private key still decrypts older tokens.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric import ec

from wallet_gateway.sandbox.wallet.tokens import (
    VERSION,
    Signer,
    key_value,
    milliseconds_text,
    new_key,
    new_signer,
)

ROOT_LIFETIME: Final = timedelta(days=3650)
SIGNER_LIFETIME: Final = timedelta(days=7)
_ROOT_RENEWAL: Final = timedelta(days=365)
_SIGNER_RENEWAL: Final = timedelta(days=2)
_MAX_RETIRED: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WalletKeys:
    """The keys in force at one time; ``private_keys`` are the gateway's, newest first."""

    root_document: dict[str, Any]
    signer: Signer
    private_keys: tuple[ec.EllipticCurvePrivateKey, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Root:
    key: ec.EllipticCurvePrivateKey
    expires_at: datetime


class KeyRing:
    """All keys of the process; ``at`` renews keys that are about to expire."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        """Discard all keys; the next call creates new ones."""
        with self._lock:
            self._roots: list[_Root] = []
            self._signer: Signer | None = None
            self._private_keys: list[ec.EllipticCurvePrivateKey] = []

    def at(self, now: datetime) -> WalletKeys:
        """Return the keys in force at a time of the sandbox's clock."""
        with self._lock:
            if not self._roots or self._roots[0].expires_at - now < _ROOT_RENEWAL:
                self._renew_root(now)
            if self._signer is None or self._signer.expires_at - now < _SIGNER_RENEWAL:
                self._signer = new_signer(self._roots[0].key, expires_at=now + SIGNER_LIFETIME)
            return WalletKeys(
                root_document={"keys": [_describe(root) for root in self._roots if root.expires_at > now]},
                signer=self._signer,
                private_keys=tuple(self._private_keys),
            )

    def _renew_root(self, now: datetime) -> None:
        self._roots = [_Root(key=new_key(), expires_at=now + ROOT_LIFETIME), *self._roots][:_MAX_RETIRED]
        self._private_keys = [new_key(), *self._private_keys][:_MAX_RETIRED]
        self._signer = None


def _describe(root: _Root) -> dict[str, str]:
    return {
        "keyValue": key_value(root.key),
        "protocolVersion": VERSION,
        "keyExpiration": milliseconds_text(root.expires_at),
    }


key_ring = KeyRing()
"""The keys of this process."""
