"""Create payment tokens as the wallet does (protocol ECv2), and the encryption in both directions.

Encryption is ECIES on P-256 with AES in counter mode and an HMAC of the ciphertext; ``seal_bytes`` and
``open_bytes`` mirror each other. A payload is encrypted for a gateway and signed with an intermediate key,
which a root key has signed. Characters such as ``=`` are escaped in JSON.
"""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from wallet_gateway.sandbox.wallet.token_format import (
    SENDER,
    InvalidToken,
    Reason,
    SignedMessage,
    Version,
    signed_bytes,
)

SIGNING: Final = ec.ECDSA(hashes.SHA256())
"""The signature algorithm: ECDSA on P-256 with SHA-256."""

# Characters that could end a script or an attribute of a page that contains the token.
_ESCAPED: Final = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&='"}
# Each ephemeral key pair is used once, so the counter may start at zero.
_COUNTER: Final = modes.CTR(bytes(16))
_KEY_BYTES: Final = {Version.ECV1: 16, Version.ECV2: 32}
_ECDH: Final = ec.ECDH()


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
    return str(int(moment.timestamp()) * 1000 + moment.microsecond // 1000)


def new_signer(root: ec.EllipticCurvePrivateKey, *, expires_at: datetime) -> Signer:
    """Create an intermediate key and sign it with the root key."""
    private_key = new_key()
    signed_key = html_safe_json(
        {"keyValue": key_value(private_key), "keyExpiration": milliseconds_text(expires_at)}
    )
    signature = root.sign(signed_bytes(SENDER, Version.ECV2, signed_key), SIGNING)
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
    message = seal_bytes(html_safe_json(payload).encode(), recipient_key, Version.ECV2)
    signed_message = html_safe_json(
        {
            "encryptedMessage": _base64(message.encrypted),
            "ephemeralPublicKey": _base64(message.ephemeral_point),
            "tag": _base64(message.tag),
        }
    )
    signed = signed_bytes(SENDER, recipient_id, Version.ECV2, signed_message)
    return html_safe_json(
        {
            "signature": _base64(signer.private_key.sign(signed, SIGNING)),
            "intermediateSigningKey": {
                "signedKey": signer.signed_key,
                "signatures": list(signer.signatures),
            },
            "protocolVersion": Version.ECV2,
            "signedMessage": signed_message,
        }
    )


def html_safe_json(value: Mapping[str, Any]) -> str:
    """Return compact JSON with the characters escaped that have a meaning in HTML."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).translate(_ESCAPED)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def open_bytes(
    message: SignedMessage, private_keys: Iterable[ec.EllipticCurvePrivateKey], version: Version
) -> bytes:
    """Decrypt with the first matching key, after checking the tag; raises ``InvalidToken``."""
    point = message.ephemeral_point
    try:
        public_key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    except ValueError as error:
        raise InvalidToken(Reason.CANNOT_DECRYPT, "ephemeralPublicKey is not on P-256") from error
    for private_key in private_keys:
        aes_key, mac_key = derive_keys(private_key.exchange(_ECDH, public_key), point, version)
        if hmac.compare_digest(hmac.digest(mac_key, message.encrypted, "sha256"), message.tag):
            return Cipher(algorithms.AES(aes_key), _COUNTER).decryptor().update(message.encrypted)
    raise InvalidToken(Reason.CANNOT_DECRYPT, "none of the private keys opens the message")


def seal_bytes(plaintext: bytes, public_key: ec.EllipticCurvePublicKey, version: Version) -> SignedMessage:
    """Encrypt for the owner of a public key with a new ephemeral key."""
    ephemeral = ec.generate_private_key(ec.SECP256R1())
    point = ephemeral.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    aes_key, mac_key = derive_keys(ephemeral.exchange(_ECDH, public_key), point, version)
    encrypted = Cipher(algorithms.AES(aes_key), _COUNTER).encryptor().update(plaintext)
    tag = hmac.digest(mac_key, encrypted, "sha256")
    return SignedMessage(encrypted=encrypted, ephemeral_point=point, tag=tag)


def derive_keys(shared: bytes, point: bytes, version: Version) -> tuple[bytes, bytes]:
    """Derive the AES and HMAC keys from a shared secret (32 bytes) and the sender's point (65 bytes)."""
    size = _KEY_BYTES[version]
    derived = HKDF(hashes.SHA256(), 2 * size, salt=None, info=SENDER.encode()).derive(point + shared)
    return derived[:size], derived[size:]
