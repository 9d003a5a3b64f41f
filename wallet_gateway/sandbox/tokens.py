"""Payment tokens of the protocol ECv2, made as the wallet does and opened as a gateway does, and their keys.

A token is a JSON text. Its payload is encrypted for a gateway (ECIES on P-256 with AES-256 in counter mode
and an HMAC of the ciphertext) and signed with an intermediate key, which a root key has signed. The checks
and their order are those of Tink, the wallet's own library. The outer members are not signed, so each value
must have exactly one spelling: Base64 with stray bits or without padding, tabs between members, and upper-
case escapes are refused. Keys and time are arguments; a refusal names its reason and quotes nothing of the
token.

Keys are created at the first use, by the sandbox's clock, and renewed before they expire; they exist in
memory only. A retired private key still decrypts older tokens.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import re
import threading
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import product
from typing import Any, Final, NamedTuple, NoReturn

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_public_key

from wallet_gateway.protocol.text import quote

VERSION: Final = "ECv2"
SENDER: Final = "Google"
"""The sender id of the wallet, as it is signed."""

_SIGNING: Final = ec.ECDSA(hashes.SHA256())
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECONDS: Final = re.compile(r"[0-9]{1,18}")
_MAX_SIGNATURES: Final = 16
_POINT_BYTES: Final = 65
_TAG_BYTES: Final = 32
_KEY_BYTES: Final = 32
# Each ephemeral key pair is used once, so the counter may start at zero.
_COUNTER: Final = modes.CTR(bytes(16))
# Characters that could end a script or an attribute of a page that contains the token.
_ESCAPED: Final = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&='"}
_CAPITAL_ESCAPE: Final = re.compile(r"\\u[0-9a-f]{0,3}[A-F]")
_TOKEN_MEMBERS: Final = frozenset({"protocolVersion", "signature", "signedMessage", "intermediateSigningKey"})
_INTERMEDIATE_MEMBERS: Final = frozenset({"signedKey", "signatures"})
_MESSAGE_MEMBERS: Final = frozenset({"encryptedMessage", "ephemeralPublicKey", "tag"})


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
        super().__init__(f"{reason}: {text}")


# Making tokens


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Signer:
    """An intermediate key, signed by a root key, with which messages are signed."""

    private_key: ec.EllipticCurvePrivateKey
    signed_key: str
    signatures: tuple[str, ...]
    expires_at: datetime


def new_key() -> ec.EllipticCurvePrivateKey:
    """Return a new private key on P-256."""
    return ec.generate_private_key(ec.SECP256R1())


def key_value(key: ec.EllipticCurvePrivateKey) -> str:
    """Return the public key in the form of key documents: SubjectPublicKeyInfo in Base64."""
    return _base64(key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))


def milliseconds_text(moment: datetime) -> str:
    """Return a time in the form of tokens and key documents: milliseconds since 1970, as text."""
    return str((moment - _EPOCH) // timedelta(milliseconds=1))


def new_signer(root: ec.EllipticCurvePrivateKey, *, expires_at: datetime) -> Signer:
    """Create an intermediate key and sign it with the root key."""
    private_key = new_key()
    signed_key = _html_safe_json(
        {"keyValue": key_value(private_key), "keyExpiration": milliseconds_text(expires_at)}
    )
    signature = root.sign(_signed_bytes(SENDER, VERSION, signed_key), _SIGNING)
    return Signer(
        private_key=private_key,
        signed_key=signed_key,
        signatures=(_base64(signature),),
        expires_at=expires_at,
    )


def seal(
    payload: Mapping[str, Any],
    *,
    signer: Signer,
    recipient_id: str,
    recipient_key: ec.EllipticCurvePublicKey,
) -> str:
    """Encrypt a payload for its recipient and sign it; return the token, a JSON text."""
    ephemeral = new_key()
    point = ephemeral.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    aes_key, mac_key = _derive_keys(ephemeral, recipient_key, point)
    encryptor = Cipher(algorithms.AES(aes_key), _COUNTER).encryptor()
    encrypted = encryptor.update(_html_safe_json(payload).encode())
    signed_message = _html_safe_json(
        {
            "encryptedMessage": _base64(encrypted),
            "ephemeralPublicKey": _base64(point),
            "tag": _base64(hmac.digest(mac_key, encrypted, "sha256")),
        }
    )
    signed = _signed_bytes(SENDER, recipient_id, VERSION, signed_message)
    return _html_safe_json(
        {
            "signature": _base64(signer.private_key.sign(signed, _SIGNING)),
            "intermediateSigningKey": {
                "signedKey": signer.signed_key,
                "signatures": list(signer.signatures),
            },
            "protocolVersion": VERSION,
            "signedMessage": signed_message,
        }
    )


# Opening tokens


class _Token(NamedTuple):
    signature: str
    signed_message: str
    signed_key: str
    signatures: list[object]


def open_token(
    token: object,
    *,
    recipient_id: str,
    private_keys: Iterable[ec.EllipticCurvePrivateKey],
    root_keys: Mapping[str, Any],
    now: datetime,
    sender_id: str = SENDER,
) -> bytes:
    """Verify and decrypt a token and return the plaintext, JSON or not; raises ``InvalidToken``.

    ``recipient_id`` is ``gateway:`` and the gateway's name; ``private_keys`` are on P-256, and any of them
    may match; ``root_keys`` is the parsed document of the wallet's root keys. A key or message expires at its
    expiration time, not after it.
    """
    at = int(milliseconds_text(now))
    parts = _read_token(token)
    signing_key = _verify_intermediate_key(parts, root_keys, sender_id=sender_id, now=at)
    signature = _decode(parts.signature, Reason.BAD_MESSAGE_SIGNATURE, "signature")
    signed = _signed_bytes(sender_id, recipient_id, VERSION, parts.signed_message)
    try:
        signing_key.verify(signature, signed, _SIGNING)
    except InvalidSignature as error:
        raise InvalidToken(
            Reason.BAD_MESSAGE_SIGNATURE, "nobody trusted has signed this message for this recipient"
        ) from error
    plaintext = _decrypt(parts.signed_message, private_keys)
    try:
        payload = read_payload(plaintext)
    except InvalidToken:
        return plaintext
    if "messageExpiration" in payload:
        expiration = _milliseconds(payload["messageExpiration"])
        if expiration is None:
            raise InvalidToken(Reason.MALFORMED_PAYLOAD, "messageExpiration is no time in milliseconds")
        if expiration <= at:
            raise InvalidToken(Reason.EXPIRED_MESSAGE, "the message has expired")
    return plaintext


def read_payload(plaintext: bytes) -> dict[str, Any]:
    """Parse the plaintext of a token; raises ``InvalidToken`` if it is no JSON object."""
    return _read_object(plaintext, Reason.MALFORMED_PAYLOAD, "the payload")


def _read_token(text: object) -> _Token:
    malformed = Reason.MALFORMED_TOKEN
    if not isinstance(text, str) or "\t" in text or _CAPITAL_ESCAPE.search(text):
        raise InvalidToken(malformed, "the token is no text as the wallet writes it")
    members = _read_object(text, malformed, "the token")
    if "protocolVersion" not in members:
        raise InvalidToken(malformed, "the token does not name its protocolVersion")
    if members["protocolVersion"] != VERSION:
        given = quote(members["protocolVersion"])
        raise InvalidToken(Reason.UNSUPPORTED_VERSION, f"protocolVersion is {given}; it must be {VERSION}")
    _check_members(members, _TOKEN_MEMBERS, "a token")
    intermediate = members["intermediateSigningKey"]
    if not isinstance(intermediate, dict):
        raise InvalidToken(malformed, "intermediateSigningKey is no object")
    _check_members(intermediate, _INTERMEDIATE_MEMBERS, "intermediateSigningKey")
    signatures = intermediate["signatures"]
    if not isinstance(signatures, list) or len(signatures) > _MAX_SIGNATURES:
        raise InvalidToken(malformed, f"signatures must be a list of at most {_MAX_SIGNATURES} texts")
    return _Token(
        signature=_text(members, "signature"),
        signed_message=_text(members, "signedMessage"),
        signed_key=_text(intermediate, "signedKey"),
        signatures=signatures,
    )


def _verify_intermediate_key(
    token: _Token, root_keys: Mapping[str, Any], *, sender_id: str, now: int
) -> ec.EllipticCurvePublicKey:
    """Return the intermediate key of a token, which any root key in force may have signed."""
    roots = [
        _load_key(key["keyValue"])
        for key in root_keys["keys"]
        if key.get("protocolVersion") == VERSION and (_milliseconds(key.get("keyExpiration")) or 0) > now
    ]
    if not roots:
        raise InvalidToken(Reason.NO_TRUSTED_KEYS, f"no root key for {VERSION} is in force")
    bad_signature = Reason.BAD_INTERMEDIATE_SIGNATURE
    signed = _signed_bytes(sender_id, VERSION, token.signed_key)
    for root, signature in product(roots, token.signatures):
        # A signature that cannot be read is nobody's.
        with suppress(InvalidSignature, InvalidToken):
            if isinstance(signature, str):
                root.verify(_decode(signature, bad_signature, "signatures"), signed, _SIGNING)
                break
    else:
        raise InvalidToken(bad_signature, "no root key has signed the intermediate key")
    members = _read_object(token.signed_key, Reason.MALFORMED_TOKEN, "signedKey")
    expiration = _milliseconds(members.get("keyExpiration"))
    if expiration is None:
        raise InvalidToken(Reason.MALFORMED_TOKEN, "signedKey.keyExpiration is no time in milliseconds")
    value = _text(members, "keyValue")
    try:
        key = _load_key(value)
    except ValueError as error:
        raise InvalidToken(Reason.MALFORMED_TOKEN, "signedKey.keyValue is no key on P-256") from error
    if expiration <= now:
        raise InvalidToken(Reason.EXPIRED_INTERMEDIATE_KEY, "the intermediate key has expired")
    return key


def _decrypt(signed_message: str, private_keys: Iterable[ec.EllipticCurvePrivateKey]) -> bytes:
    """Decrypt a signed message with the first matching key, after checking the tag."""
    reason = Reason.MALFORMED_SIGNED_MESSAGE
    members = _read_object(signed_message, reason, "signedMessage")
    if members.keys() != _MESSAGE_MEMBERS or not all(isinstance(value, str) for value in members.values()):
        names = ", ".join(sorted(_MESSAGE_MEMBERS))
        raise InvalidToken(reason, f"signedMessage must have exactly the texts {names}")
    encrypted = _decode(members["encryptedMessage"], reason, "encryptedMessage")
    point = _decode(members["ephemeralPublicKey"], reason, "ephemeralPublicKey")
    tag = _decode(members["tag"], reason, "tag")
    if len(point) != _POINT_BYTES or point[0] != 4:
        raise InvalidToken(reason, "ephemeralPublicKey is no uncompressed point of P-256")
    if len(tag) != _TAG_BYTES:
        raise InvalidToken(reason, f"tag must have {_TAG_BYTES} bytes, not {len(tag)}")
    try:
        ephemeral_key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    except ValueError as error:
        raise InvalidToken(Reason.CANNOT_DECRYPT, "ephemeralPublicKey is not on P-256") from error
    for private_key in private_keys:
        aes_key, mac_key = _derive_keys(private_key, ephemeral_key, point)
        if hmac.compare_digest(hmac.digest(mac_key, encrypted, "sha256"), tag):
            return Cipher(algorithms.AES(aes_key), _COUNTER).decryptor().update(encrypted)
    raise InvalidToken(Reason.CANNOT_DECRYPT, "none of the private keys opens the message")


# Both directions


def _derive_keys(
    own: ec.EllipticCurvePrivateKey, other: ec.EllipticCurvePublicKey, point: bytes
) -> tuple[bytes, bytes]:
    """Derive the AES and HMAC keys from two keys and the sender's point (65 bytes)."""
    shared = own.exchange(ec.ECDH(), other)
    derived = HKDF(hashes.SHA256(), 2 * _KEY_BYTES, salt=None, info=SENDER.encode()).derive(point + shared)
    return derived[:_KEY_BYTES], derived[_KEY_BYTES:]


def _signed_bytes(*texts: str) -> bytes:
    """Return the signed bytes: each text in UTF-8 after its length in four bytes, little-endian.

    A lone surrogate has no UTF-8 form and is encoded with ``surrogatepass``; no valid signature covers it.
    """
    encoded = [text.encode(errors="surrogatepass") for text in texts]
    return b"".join(len(one).to_bytes(4, "little") + one for one in encoded)


def _html_safe_json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).translate(_ESCAPED)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _milliseconds(value: object) -> int | None:
    """Return a time in ms since 1970, given as text or number; None if it is not a time."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return int(value) if _MILLISECONDS.fullmatch(str(value)) else None


def _load_key(value: str) -> ec.EllipticCurvePublicKey:
    """Load a P-256 public key from SubjectPublicKeyInfo in Base64; raises ``ValueError``."""
    key = load_der_public_key(binascii.a2b_base64(value))
    if not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, ec.SECP256R1):
        raise ValueError("a key of a payment token must be on P-256")
    return key


def _decode(text: str, reason: Reason, name: str) -> bytes:
    """Decode canonical Base64; raises ``InvalidToken`` with the given reason."""
    try:
        data = binascii.a2b_base64(text)
    except ValueError as error:
        raise InvalidToken(reason, f"{name} is no Base64") from error
    # Only canonical Base64 is reproduced by encoding it again.
    if _base64(data) != text:
        raise InvalidToken(reason, f"{name} is no Base64 as it is written")
    return data


def _read_object(data: str | bytes, reason: Reason, name: str) -> dict[str, Any]:
    """Parse a JSON object without duplicate members; raises ``InvalidToken``."""
    try:
        # `strict_json` would fold names and keep numbers as text.
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


def _text(members: dict[str, Any], name: str) -> str:
    value = members.get(name)
    if not isinstance(value, str):
        raise InvalidToken(Reason.MALFORMED_TOKEN, f"{name} must be a text")
    return value


def _check_members(members: dict[str, Any], names: AbstractSet[str], what: str) -> None:
    if members.keys() != names:
        raise InvalidToken(Reason.MALFORMED_TOKEN, f"{what} must have exactly {', '.join(sorted(names))}")


# The keys of this process

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


class KeyRing:
    """All keys of the process; ``at`` renews keys that are about to expire."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        """Discard all keys; the next call creates new ones."""
        with self._lock:
            self._roots: list[tuple[ec.EllipticCurvePrivateKey, datetime]] = []
            self._signer: Signer | None = None
            self._private_keys: list[ec.EllipticCurvePrivateKey] = []

    def at(self, now: datetime) -> WalletKeys:
        """Return the keys in force at a time of the sandbox's clock."""
        with self._lock:
            if not self._roots or self._roots[0][1] - now < _ROOT_RENEWAL:
                self._roots = [(new_key(), now + ROOT_LIFETIME), *self._roots][:_MAX_RETIRED]
                self._private_keys = [new_key(), *self._private_keys][:_MAX_RETIRED]
                self._signer = None
            if self._signer is None or self._signer.expires_at - now < _SIGNER_RENEWAL:
                self._signer = new_signer(self._roots[0][0], expires_at=now + SIGNER_LIFETIME)
            return WalletKeys(
                root_document={
                    "keys": [
                        {
                            "keyValue": key_value(root),
                            "protocolVersion": VERSION,
                            "keyExpiration": milliseconds_text(expires_at),
                        }
                        for root, expires_at in self._roots
                        if expires_at > now
                    ]
                },
                signer=self._signer,
                private_keys=tuple(self._private_keys),
            )


key_ring = KeyRing()
"""The keys of this process."""
