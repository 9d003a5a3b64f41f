"""The shape of a payment token: JSON strings within a JSON string, Base64, and the bytes that are signed.

Nothing here knows a key. A text that two readers could take for the same value is one spelling too many and
is refused, because the outer members are covered by no signature: Base64 with idle bits or without padding,
tabs between members, escapes in capitals.
"""

from __future__ import annotations

import binascii
import json
import re
from collections.abc import Set as AbstractSet
from enum import StrEnum
from typing import Any, Final, NamedTuple, NoReturn

from wallet_gateway.protocol.text import quote

SENDER: Final = "Google"
"""Whose payment tokens these are, as the signed bytes spell it."""

_POINT_BYTES: Final = 65
_TAG_BYTES: Final = 32
_MOST_SIGNATURES: Final = 16
_OF_ECV1: Final = frozenset({"protocolVersion", "signature", "signedMessage"})
_OF_ECV2: Final = _OF_ECV1 | {"intermediateSigningKey"}
_OF_INTERMEDIATE: Final = frozenset({"signedKey", "signatures"})
_OF_MESSAGE: Final = frozenset({"encryptedMessage", "ephemeralPublicKey", "tag"})
_CAPITAL_ESCAPE: Final = re.compile(r"\\u[0-9a-f]{0,3}[A-F]")
_MILLISECONDS: Final = re.compile(r"[0-9]{1,18}")


class Version(StrEnum):
    """The protocols a payment token may follow; ``ECv2SigningOnly`` is for other messages."""

    ECV1 = "ECv1"
    ECV2 = "ECv2"


class Reason(StrEnum):
    """Why a token is refused, in the order in which it is checked."""

    MALFORMED_TOKEN = "malformed_token"  # noqa: S105  (a reason, not a secret)
    UNSUPPORTED_VERSION = "unsupported_version"
    NO_TRUSTED_KEYS = "no_trusted_keys"
    BAD_INTERMEDIATE_SIGNATURE = "bad_intermediate_signature"
    EXPIRED_INTERMEDIATE_KEY = "expired_intermediate_key"
    BAD_MESSAGE_SIGNATURE = "bad_message_signature"
    MALFORMED_SIGNED_MESSAGE = "malformed_signed_message"
    CANNOT_DECRYPT = "cannot_decrypt"
    EXPIRED_MESSAGE = "expired_message"
    MALFORMED_PAYLOAD = "malformed_payload"


class InvalidToken(ValueError):
    """A token that is not what it claims to be; ``reason`` says at which check it failed."""

    def __init__(self, reason: Reason, text: str) -> None:
        self.reason = reason
        self.text = text
        super().__init__(f"{reason}: {text}")

    def __reduce__(self) -> tuple[type[InvalidToken], tuple[Reason, str]]:
        return type(self), (self.reason, self.text)


class Token(NamedTuple):
    """The outer members; ``signed_key`` and ``signatures`` are the intermediate key's, if there is one."""

    version: Version
    signature: str
    signed_message: str
    signed_key: str = ""
    signatures: tuple[str, ...] = ()


class SignedMessage(NamedTuple):
    """The sealed payload: ciphertext, the sender's one-time point (65 bytes), and the tag over the former."""

    encrypted: bytes
    ephemeral_point: bytes
    tag: bytes


def read_token(text: object) -> Token:
    """Take a token apart; raises ``InvalidToken``."""
    if not isinstance(text, str) or "\t" in text or _CAPITAL_ESCAPE.search(text):
        raise InvalidToken(Reason.MALFORMED_TOKEN, "the token is no text as the wallet writes it")
    members = read_object(text, Reason.MALFORMED_TOKEN, "the token")
    if "protocolVersion" not in members:
        raise InvalidToken(Reason.MALFORMED_TOKEN, "the token does not name its protocolVersion")
    version = _version(members["protocolVersion"])
    signature = _only_text(members, "signature")
    signed_message = _only_text(members, "signedMessage")
    if version is Version.ECV1:
        _check_members(members, _OF_ECV1, "an ECv1 token")
        return Token(version=version, signature=signature, signed_message=signed_message)
    _check_members(members, _OF_ECV2, "an ECv2 token")
    signed_key, signatures = _intermediate(members["intermediateSigningKey"])
    return Token(
        version=version,
        signature=signature,
        signed_message=signed_message,
        signed_key=signed_key,
        signatures=signatures,
    )


def read_signed_key(text: str) -> tuple[str, int]:
    """Give the key of an intermediate key and its expiration in ms since 1970; raises ``InvalidToken``."""
    members = read_object(text, Reason.MALFORMED_TOKEN, "signedKey")
    expiration = milliseconds(members.get("keyExpiration"))
    if expiration is None:
        raise InvalidToken(Reason.MALFORMED_TOKEN, "signedKey.keyExpiration is no time in milliseconds")
    return _only_text(members, "keyValue"), expiration


def read_signed_message(text: str) -> SignedMessage:
    """Take the signed message apart; raises ``InvalidToken``."""
    reason = Reason.MALFORMED_SIGNED_MESSAGE
    members = read_object(text, reason, "signedMessage")
    if members.keys() != _OF_MESSAGE or not all(isinstance(value, str) for value in members.values()):
        names = ", ".join(sorted(_OF_MESSAGE))
        raise InvalidToken(reason, f"signedMessage must have exactly the texts {names}")
    encrypted = decode(members["encryptedMessage"], reason, "encryptedMessage")
    point = decode(members["ephemeralPublicKey"], reason, "ephemeralPublicKey")
    tag = decode(members["tag"], reason, "tag")
    if len(point) != _POINT_BYTES or point[0] != 4:
        raise InvalidToken(reason, "ephemeralPublicKey is no uncompressed point of P-256")
    if len(tag) != _TAG_BYTES:
        raise InvalidToken(reason, f"tag must have {_TAG_BYTES} bytes, not {len(tag)}")
    return SignedMessage(encrypted=encrypted, ephemeral_point=point, tag=tag)


def signed_bytes(*texts: str) -> bytes:
    """Give what is signed: each text in UTF-8 behind its length in bytes, four of them, the lowest first.

    Half a surrogate pair has no UTF-8; what is written for it here was signed by nobody.
    """
    encoded = [text.encode(errors="surrogatepass") for text in texts]
    return b"".join(len(one).to_bytes(4, "little") + one for one in encoded)


def decode(text: str, reason: Reason, name: str) -> bytes:
    """Read Base64 in its one canonical spelling; raises ``InvalidToken`` for the reason given."""
    try:
        data = binascii.a2b_base64(text)
    except ValueError as error:
        raise InvalidToken(reason, f"{name} is no Base64") from error
    # What is written back the same has neither idle bits nor anything else that readers skip.
    if binascii.b2a_base64(data, newline=False).decode() != text:
        raise InvalidToken(reason, f"{name} is no Base64 as it is written")
    return data


def milliseconds(value: object) -> int | None:
    """Read a time in ms since 1970, a text or a number; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return int(value) if _MILLISECONDS.fullmatch(str(value)) else None


def _version(given: object) -> Version:
    if not isinstance(given, str) or given not in list(Version):
        raise InvalidToken(
            Reason.UNSUPPORTED_VERSION, f"protocolVersion is {quote(given)}; it must be ECv2 or ECv1"
        )
    return Version(given)


def _intermediate(given: object) -> tuple[str, tuple[str, ...]]:
    if not isinstance(given, dict):
        raise InvalidToken(Reason.MALFORMED_TOKEN, "intermediateSigningKey is no object")
    _check_members(given, _OF_INTERMEDIATE, "intermediateSigningKey")
    signatures = given["signatures"]
    if not isinstance(signatures, list) or len(signatures) > _MOST_SIGNATURES:
        raise InvalidToken(
            Reason.MALFORMED_TOKEN, f"signatures must be a list of at most {_MOST_SIGNATURES} texts"
        )
    # One that is no text verifies nothing, and the one beside it may be good.
    return _only_text(given, "signedKey"), tuple(one for one in signatures if isinstance(one, str))


def read_object(data: str | bytes, reason: Reason, name: str) -> dict[str, Any]:
    """Read one JSON object in which every member is given once; raises ``InvalidToken``."""
    try:
        # Not by the reader of messages: that one folds names, keeps numbers as text, and takes longer.
        value = _DECODER.decode(data if isinstance(data, str) else data.decode())
    except (ValueError, RecursionError) as error:
        raise InvalidToken(reason, f"{name} is no JSON") from error
    if not isinstance(value, dict):
        raise InvalidToken(reason, f"{name} is no JSON object")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a member is given twice")
    return members


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number)


def _only_text(members: dict[str, Any], name: str) -> str:
    value = members.get(name)
    if not isinstance(value, str):
        raise InvalidToken(Reason.MALFORMED_TOKEN, f"{name} must be a text")
    return value


def _check_members(members: dict[str, Any], names: AbstractSet[str], what: str) -> None:
    if members.keys() != names:
        raise InvalidToken(Reason.MALFORMED_TOKEN, f"{what} must have exactly {', '.join(sorted(names))}")
