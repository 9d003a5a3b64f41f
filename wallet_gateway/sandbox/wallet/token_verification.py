"""Verify and decrypt payment tokens of ECv2 and ECv1: signatures, recipient, expiration and payload.

The checks and their order are those of Tink, the wallet's own library. Keys and time are arguments; no clock
and no database is read. A refusal names its reason and quotes nothing of the token.

Verified intermediate keys are cached, because one of them signs the tokens of a whole day. Only valid
signatures are cached, and expiration is checked each time.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_der_public_key

from wallet_gateway.sandbox.wallet.token_encryption import SIGNING, open_bytes
from wallet_gateway.sandbox.wallet.token_format import (
    SENDER,
    InvalidToken,
    Reason,
    Token,
    Version,
    decode,
    milliseconds,
    read_object,
    read_signed_key,
    read_signed_message,
    read_token,
    signed_bytes,
)

__all__ = ["InvalidToken", "Reason", "open_token", "unseal", "verify"]
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
# A wallet has a few at a time; hundreds, each met once, would cost more than they save.
_MAX_CACHED_KEYS: Final = 16


@dataclass(frozen=True, slots=True)
class IntermediateKey:
    """An intermediate key signed by a root key, and its expiration in ms since 1970."""

    key: ec.EllipticCurvePublicKey
    expiration: int


def unseal(
    token: str,
    *,
    recipient_id: str,
    private_keys: Sequence[ec.EllipticCurvePrivateKey],
    root_keys: Mapping[str, Any],
    now: datetime,
    sender_id: str = SENDER,
) -> dict[str, Any]:
    """Verify and decrypt a token and return its payload; raises ``InvalidToken``.

    ``recipient_id`` is ``gateway:`` and the gateway's name; ``private_keys`` are on P-256, and any of them
    may match; ``root_keys`` is the parsed document of the wallet's root keys. A key or message expires at its
    expiration time, not after it.
    """
    _, payload = _verify_and_decrypt(
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
    """Verify and decrypt a token and return the plaintext, JSON or not, as Tink does."""
    plaintext, _ = _verify_and_decrypt(
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
    """Check a token's signatures and the expiration of its keys; raises ``InvalidToken``."""
    at = _to_milliseconds(now)
    parts = read_token(token)
    roots = trusted_roots(root_keys, parts.version, now=at)
    if parts.version is Version.ECV2:
        signers = [intermediate_key(parts, roots, sender_id=sender_id, now=at)]
    else:
        signers = [load_key(root) for root in roots]
    check_message_signature(parts, signers, sender_id=sender_id, recipient_id=recipient_id)
    return parts


def trusted_roots(root_keys: Mapping[str, Any], version: Version, *, now: int) -> tuple[str, ...]:
    """Return the root keys of a version that are valid at ``now`` (ms); raises ``InvalidToken`` without any.

    ``root_keys`` is the parsed key document. A key for ECv2 must have an expiration.
    """
    roots = tuple(
        key["keyValue"]
        for key in root_keys["keys"]
        if key.get("protocolVersion") == version and _is_valid(key, version, now=now)
    )
    if not roots:
        raise InvalidToken(Reason.NO_TRUSTED_KEYS, f"no root key for {version} is in force")
    return roots


def intermediate_key(
    token: Token, roots: Iterable[str], *, sender_id: str, now: int
) -> ec.EllipticCurvePublicKey:
    """Return the intermediate key, signed by any of the root keys; raises ``InvalidToken``."""
    for root in roots:
        for signature in token.signatures:
            try:
                intermediate = _verify_intermediate_key(root, sender_id, token.signed_key, signature)
            except InvalidSignature:
                continue
            if intermediate.expiration <= now:
                raise InvalidToken(Reason.EXPIRED_INTERMEDIATE_KEY, "the intermediate key has expired")
            return intermediate.key
    raise InvalidToken(Reason.BAD_INTERMEDIATE_SIGNATURE, "no root key has signed the intermediate key")


def check_message_signature(
    token: Token, keys: Iterable[ec.EllipticCurvePublicKey], *, sender_id: str, recipient_id: str
) -> None:
    """Check that one of the keys signed the message for this recipient; raises ``InvalidToken``."""
    signature = decode(token.signature, Reason.BAD_MESSAGE_SIGNATURE, "signature")
    message = signed_bytes(sender_id, recipient_id, token.version, token.signed_message)
    for key in keys:
        try:
            key.verify(signature, message, SIGNING)
        except InvalidSignature:
            continue
        return
    raise InvalidToken(
        Reason.BAD_MESSAGE_SIGNATURE, "nobody trusted has signed this message for this recipient"
    )


@lru_cache(maxsize=_MAX_CACHED_KEYS)
def load_key(value: str) -> ec.EllipticCurvePublicKey:
    """Load a P-256 public key from SubjectPublicKeyInfo in Base64, once; raises ``ValueError``."""
    return _key_of(value)


def _key_of(value: str) -> ec.EllipticCurvePublicKey:
    key = load_der_public_key(binascii.a2b_base64(value))
    if not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, ec.SECP256R1):
        raise ValueError("a key of a payment token must be on P-256")
    return key


def _verify_and_decrypt(
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
    _check_expiration(payload or {}, now=_to_milliseconds(now))
    return plaintext, payload


def _to_milliseconds(moment: datetime) -> int:
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


@lru_cache(maxsize=_MAX_CACHED_KEYS)
def _verify_intermediate_key(root: str, sender_id: str, signed_key: str, signature: str) -> IntermediateKey:
    try:
        signed = decode(signature, Reason.BAD_INTERMEDIATE_SIGNATURE, "signatures")
    except InvalidToken as error:
        # An undecodable signature is an invalid one: another in the list may be valid.
        raise InvalidSignature from error
    load_key(root).verify(signed, signed_bytes(sender_id, Version.ECV2, signed_key), SIGNING)
    value, expiration = read_signed_key(signed_key)
    try:
        return IntermediateKey(_key_of(value), expiration)
    except ValueError as error:
        raise InvalidToken(Reason.MALFORMED_TOKEN, "signedKey.keyValue is no key on P-256") from error


def _is_valid(key: Mapping[str, Any], version: Version, *, now: int) -> bool:
    if "keyExpiration" not in key:
        return version is Version.ECV1
    expiration = milliseconds(key["keyExpiration"])
    return expiration is not None and expiration > now
