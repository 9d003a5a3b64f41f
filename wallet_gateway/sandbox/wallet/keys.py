"""The keys of the emulated wallet and of the gateway that opens its tokens.

Made when the process starts, by the sandbox's clock, and renewed before they end; they live in memory alone.
A retired key still opens what was sealed for it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric import ec

from wallet_gateway.sandbox.wallet.token_encryption import (
    Signer,
    key_value,
    milliseconds_text,
    new_key,
    new_signer,
)
from wallet_gateway.sandbox.wallet.token_format import Version

ROOT_LIFETIME: Final = timedelta(days=3650)
SIGNER_LIFETIME: Final = timedelta(days=7)
_ROOT_RENEWAL: Final = timedelta(days=365)
_SIGNER_RENEWAL: Final = timedelta(days=2)
_MAX_RETIRED: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WalletKeys:
    """What holds at one moment; ``private_keys`` are the gateway's own, the newest first."""

    root_document: dict[str, Any]
    signer: Signer
    private_keys: tuple[ec.EllipticCurvePrivateKey, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Root:
    key: ec.EllipticCurvePrivateKey
    expires_at: datetime


class KeyRing:
    """All the keys; ``at`` renews what is about to end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Throw every key away; the next call makes new ones."""
        with self._lock:
            self._roots: list[_Root] = []
            self._signer: Signer | None = None
            self._private_keys: list[ec.EllipticCurvePrivateKey] = []

    def at(self, now: datetime) -> WalletKeys:
        """Give the keys in force at a moment of the sandbox's clock."""
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
        "protocolVersion": Version.ECV2.value,
        "keyExpiration": milliseconds_text(root.expires_at),
    }


key_ring = KeyRing()
"""The keys of this process."""
