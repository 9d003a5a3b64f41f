"""Unsealing a payment token: who signed it, for whom, when, and what it says. ECv2, and ECv1 before it.

The checks and their order are those of Tink, the wallet's own library. No clock and no store is read here:
keys and time are arguments. A refusal names its reason and quotes nothing of the token.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric import ec

from wallet_gateway.sandbox.token_cipher import open_bytes
from wallet_gateway.sandbox.token_format import (
    SENDER,
    InvalidToken,
    Reason,
    Token,
    Version,
    milliseconds,
    read_object,
    read_signed_message,
    read_token,
)
from wallet_gateway.sandbox.token_keys import (
    check_message_signature,
    intermediate_key,
    load_key,
    trusted_roots,
)

__all__ = ["InvalidToken", "Reason", "open_token", "unseal", "verify"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)


def unseal(
    token: str,
    *,
    recipient_id: str,
    private_keys: Sequence[ec.EllipticCurvePrivateKey],
    root_keys: Mapping[str, Any],
    now: datetime,
    sender_id: str = SENDER,
) -> dict[str, Any]:
    """Verify and decrypt a token and give its payload; raises ``InvalidToken``.

    ``recipient_id`` is ``gateway:`` with the gateway's name; ``private_keys`` are on P-256, and any of them
    may fit; ``root_keys`` is the document of the wallet's root keys as parsed. At the very moment of an
    expiration a thing has expired.
    """
    _, payload = _open(
        token,
        recipient_id=recipient_id,
        private_keys=private_keys,
        root_keys=root_keys,
        now=now,
        sender_id=sender_id,
    )
    if payload is None:
        raise InvalidToken(Reason.MALFORMED_PAYLOAD, "what was sealed is no JSON object")
    return payload


def open_token(
    token: str,
    *,
    recipient_id: str,
    private_keys: Sequence[ec.EllipticCurvePrivateKey],
    root_keys: Mapping[str, Any],
    now: datetime,
    sender_id: str = SENDER,
) -> bytes:
    """Do the same and give the plaintext as it is, JSON or not, which is where Tink stops."""
    plaintext, _ = _open(
        token,
        recipient_id=recipient_id,
        private_keys=private_keys,
        root_keys=root_keys,
        now=now,
        sender_id=sender_id,
    )
    return plaintext


def verify(
    token: str, *, recipient_id: str, root_keys: Mapping[str, Any], now: datetime, sender_id: str = SENDER
) -> Token:
    """Check a token's signatures and the expiration of the keys behind them; raises ``InvalidToken``."""
    at = _in_milliseconds(now)
    parts = read_token(token)
    roots = trusted_roots(root_keys, parts.version, now=at)
    if parts.version is Version.ECV2:
        signers = [intermediate_key(parts, roots, sender_id=sender_id, now=at)]
    else:
        signers = [load_key(root) for root in roots]
    check_message_signature(parts, signers, sender_id=sender_id, recipient_id=recipient_id)
    return parts


def _open(
    token: str,
    *,
    recipient_id: str,
    private_keys: Sequence[ec.EllipticCurvePrivateKey],
    root_keys: Mapping[str, Any],
    now: datetime,
    sender_id: str = SENDER,
) -> tuple[bytes, dict[str, Any] | None]:
    parts = verify(token, recipient_id=recipient_id, root_keys=root_keys, now=now, sender_id=sender_id)
    plaintext = open_bytes(read_signed_message(parts.signed_message), private_keys, parts.version)
    payload = _payload(plaintext)
    _check_expiration(payload or {}, now=_in_milliseconds(now))
    return plaintext, payload


def _in_milliseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // _MILLISECOND


def _check_expiration(payload: dict[str, Any], *, now: int) -> None:
    if "messageExpiration" not in payload:
        return
    expiration = milliseconds(payload["messageExpiration"])
    if expiration is None:
        raise InvalidToken(Reason.MALFORMED_PAYLOAD, "messageExpiration is no time in milliseconds")
    if expiration <= now:
        raise InvalidToken(Reason.EXPIRED_MESSAGE, "the message has expired")


def _payload(plaintext: bytes) -> dict[str, Any] | None:
    try:
        return read_object(plaintext, Reason.MALFORMED_PAYLOAD, "the payload")
    except InvalidToken:
        return None
