"""The format of a payment token: nested JSON texts, Base64, and the bytes that are signed. No keys.

The outer members are not signed, so each value must have exactly one spelling: Base64 with stray bits or
without padding, tabs between members, and upper-case escapes are refused.
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
"""The sender id of the wallet, as it is signed."""

_POINT_BYTES: Final = 65
_TAG_BYTES: Final = 32
_MAX_SIGNATURES: Final = 16
_ECV1_MEMBERS: Final = frozenset({"protocolVersion", "signature", "signedMessage"})
_ECV2_MEMBERS: Final = _ECV1_MEMBERS | {"intermediateSigningKey"}
_INTERMEDIATE_MEMBERS: Final = frozenset({"signedKey", "signatures"})
_MESSAGE_MEMBERS: Final = frozenset({"encryptedMessage", "ephemeralPublicKey", "tag"})
_CAPITAL_ESCAPE: Final = re.compile(r"\\u[0-9a-f]{0,3}[A-F]")
_MILLISECONDS: Final = re.compile(r"[0-9]{1,18}")


class Version(StrEnum):
    """Protocol versions of payment tokens; ``ECv2SigningOnly`` is for other messages."""

    ECV1 = "ECv1"
    ECV2 = "ECv2"


_VERSIONS: Final = {version.value: version for version in Version}


class Reason(StrEnum):
    """Reasons for refusing a token, in the order of the checks."""

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
    """The token failed a check; ``reason`` says which one."""

    def __init__(self, reason: Reason, text: str) -> None:
        self.reason = reason
        self.text = text
        super().__init__(f"{reason}: {text}")

    def __reduce__(self) -> tuple[type[InvalidToken], tuple[Reason, str]]:
        return type(self), (self.reason, self.text)


class Token(NamedTuple):
    """The outer members of a token; ``signed_key`` and ``signatures`` are empty in ECv1."""

    version: Version
    signature: str
    signed_message: str
    signed_key: str = ""
    signatures: tuple[str, ...] = ()


class SignedMessage(NamedTuple):
    """The encrypted payload: ciphertext, the sender's ephemeral point (65 bytes), and the tag."""

    encrypted: bytes
    ephemeral_point: bytes
    tag: bytes


def read_token(text: object) -> Token:
    """Parse a token; raises ``InvalidToken``."""
    if not isinstance(text, str) or "\t" in text or _CAPITAL_ESCAPE.search(text):
        raise InvalidToken(Reason.MALFORMED_TOKEN, "the token is no text as the wallet writes it")
    members = read_object(text, Reason.MALFORMED_TOKEN, "the token")
    if "protocolVersion" not in members:
        raise InvalidToken(Reason.MALFORMED_TOKEN, "the token does not name its protocolVersion")
    version = _version(members["protocolVersion"])
    signature = _only_text(members, "signature")
    signed_message = _only_text(members, "signedMessage")
    if version is Version.ECV1:
        _check_members(members, _ECV1_MEMBERS, "an ECv1 token")
        return Token(version=version, signature=signature, signed_message=signed_message)
    _check_members(members, _ECV2_MEMBERS, "an ECv2 token")
    signed_key, signatures = _intermediate(members["intermediateSigningKey"])
    return Token(
        version=version,
        signature=signature,
        signed_message=signed_message,
        signed_key=signed_key,
        signatures=signatures,
    )


def read_signed_key(text: str) -> tuple[str, int]:
    """Parse an intermediate key; return its value and its expiration in ms; raises ``InvalidToken``."""
    members = read_object(text, Reason.MALFORMED_TOKEN, "signedKey")
    expiration = milliseconds(members.get("keyExpiration"))
    if expiration is None:
        raise InvalidToken(Reason.MALFORMED_TOKEN, "signedKey.keyExpiration is no time in milliseconds")
    return _only_text(members, "keyValue"), expiration


def read_signed_message(text: str) -> SignedMessage:
    """Parse the signed message; raises ``InvalidToken``."""
    reason = Reason.MALFORMED_SIGNED_MESSAGE
    members = read_object(text, reason, "signedMessage")
    if members.keys() != _MESSAGE_MEMBERS or not all(isinstance(value, str) for value in members.values()):
        names = ", ".join(sorted(_MESSAGE_MEMBERS))
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
    """Return the signed bytes: each text in UTF-8 after its length in four bytes, little-endian.

    A lone surrogate has no UTF-8 form and is encoded with ``surrogatepass``; no valid signature covers it.
    """
    encoded = [text.encode(errors="surrogatepass") for text in texts]
    return b"".join(len(one).to_bytes(4, "little") + one for one in encoded)


def decode(text: str, reason: Reason, name: str) -> bytes:
    """Decode canonical Base64; raises ``InvalidToken`` with the given reason."""
    try:
        data = binascii.a2b_base64(text)
    except ValueError as error:
        raise InvalidToken(reason, f"{name} is no Base64") from error
    # Only canonical Base64 is reproduced by encoding it again.
    if binascii.b2a_base64(data, newline=False).decode() != text:
        raise InvalidToken(reason, f"{name} is no Base64 as it is written")
    return data


def milliseconds(value: object) -> int | None:
    """Return a time in ms since 1970, given as text or number; None if it is not a time."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return int(value) if _MILLISECONDS.fullmatch(str(value)) else None


def _version(given: object) -> Version:
    version = _VERSIONS.get(given) if isinstance(given, str) else None
    if version is None:
        raise InvalidToken(
            Reason.UNSUPPORTED_VERSION, f"protocolVersion is {quote(given)}; it must be ECv2 or ECv1"
        )
    return version


def _intermediate(given: object) -> tuple[str, tuple[str, ...]]:
    if not isinstance(given, dict):
        raise InvalidToken(Reason.MALFORMED_TOKEN, "intermediateSigningKey is no object")
    _check_members(given, _INTERMEDIATE_MEMBERS, "intermediateSigningKey")
    signatures = given["signatures"]
    if not isinstance(signatures, list) or len(signatures) > _MAX_SIGNATURES:
        raise InvalidToken(
            Reason.MALFORMED_TOKEN, f"signatures must be a list of at most {_MAX_SIGNATURES} texts"
        )
    # A signature that is not a text verifies nothing, but another one in the list may be valid.
    return _only_text(given, "signedKey"), tuple(one for one in signatures if isinstance(one, str))


def read_object(data: str | bytes, reason: Reason, name: str) -> dict[str, Any]:
    """Parse a JSON object without duplicate members; raises ``InvalidToken``."""
    try:
        # `strict_json` would fold names and keep numbers as text, and is slower.
        value = _DECODER.decode(data if isinstance(data, str) else data.decode())
    except (ValueError, RecursionError) as error:
        raise InvalidToken(reason, f"{name} is no JSON") from error
    if not isinstance(value, dict):
        raise InvalidToken(reason, f"{name} is no JSON object")
    return value


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a member is given twice")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique_members, parse_constant=_refuse_constant)


def _only_text(members: dict[str, Any], name: str) -> str:
    value = members.get(name)
    if not isinstance(value, str):
        raise InvalidToken(Reason.MALFORMED_TOKEN, f"{name} must be a text")
    return value


def _check_members(members: dict[str, Any], names: AbstractSet[str], what: str) -> None:
    if members.keys() != names:
        raise InvalidToken(Reason.MALFORMED_TOKEN, f"{what} must have exactly {', '.join(sorted(names))}")
