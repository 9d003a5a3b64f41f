"""Which keys a token's signatures are believed by: trusted root keys, and intermediate keys they vouch for.

What was verified once is remembered as long as there is room, since the same intermediate key signs the
tokens of a whole day. Only signatures that hold are remembered, and times are looked at anew each time.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_der_public_key

from wallet_gateway.sandbox.token_format import (
    InvalidToken,
    Reason,
    Token,
    Version,
    decode,
    milliseconds,
    read_signed_key,
    signed_bytes,
)

SIGNING: Final = ec.ECDSA(hashes.SHA256())
"""How every signature is made: ECDSA on P-256 with SHA-256."""

_REMEMBERED_KEYS: Final = 256


@dataclass(frozen=True, slots=True)
class Intermediate:
    """An intermediate key that a root key vouches for, and when it expires, in ms since 1970."""

    key: ec.EllipticCurvePublicKey
    expiration: int


def trusted_roots(root_keys: Mapping[str, Any], version: Version, *, now: int) -> tuple[str, ...]:
    """Give the root keys of a version that are in force at ``now`` ms; raises ``InvalidToken`` if none is.

    ``root_keys`` is the key document as parsed. For ECv2 a key must say when it expires.
    """
    roots = tuple(
        key["keyValue"]
        for key in root_keys["keys"]
        if key.get("protocolVersion") == version and _is_in_force(key, version, now=now)
    )
    if not roots:
        raise InvalidToken(Reason.NO_TRUSTED_KEYS, f"no root key for {version} is in force")
    return roots


def intermediate_key(
    token: Token, roots: Iterable[str], *, sender_id: str, now: int
) -> ec.EllipticCurvePublicKey:
    """Give the key that must have signed the message: any root may vouch for it; raises ``InvalidToken``."""
    for root in roots:
        for signature in token.signatures:
            try:
                intermediate = _vouched_for(root, sender_id, token.signed_key, signature)
            except InvalidSignature:
                continue
            if intermediate.expiration <= now:
                raise InvalidToken(Reason.EXPIRED_INTERMEDIATE_KEY, "the intermediate key has expired")
            return intermediate.key
    raise InvalidToken(Reason.BAD_INTERMEDIATE_SIGNATURE, "no root key has signed the intermediate key")


def check_message_signature(
    token: Token, keys: Iterable[ec.EllipticCurvePublicKey], *, sender_id: str, recipient_id: str
) -> None:
    """Make sure that one of the keys has signed the message for this recipient; raises ``InvalidToken``."""
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


@lru_cache(maxsize=_REMEMBERED_KEYS)
def load_key(value: str) -> ec.EllipticCurvePublicKey:
    """Load a P-256 public key, SubjectPublicKeyInfo in Base64; raises ``ValueError`` for what is none."""
    key = load_der_public_key(binascii.a2b_base64(value))
    if not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, ec.SECP256R1):
        raise ValueError("a key of a payment token must be on P-256")
    return key


@lru_cache(maxsize=_REMEMBERED_KEYS)
def _vouched_for(root: str, sender_id: str, signed_key: str, signature: str) -> Intermediate:
    try:
        signed = decode(signature, Reason.BAD_INTERMEDIATE_SIGNATURE, "signatures")
    except InvalidToken as error:
        # Undecodable is as good as wrong: the entry beside it may be right.
        raise InvalidSignature from error
    load_key(root).verify(signed, signed_bytes(sender_id, Version.ECV2, signed_key), SIGNING)
    value, expiration = read_signed_key(signed_key)
    try:
        return Intermediate(load_key(value), expiration)
    except ValueError as error:
        raise InvalidToken(Reason.MALFORMED_TOKEN, "signedKey.keyValue is no key on P-256") from error


def _is_in_force(key: Mapping[str, Any], version: Version, *, now: int) -> bool:
    if "keyExpiration" not in key:
        return version is Version.ECV1
    expiration = milliseconds(key["keyExpiration"])
    return expiration is not None and expiration > now
