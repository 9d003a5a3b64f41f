"""The encryption of a payment token: ECIES on P-256 with AES in counter mode and an HMAC over what it gives.

Both directions stand here, so that a reader sees that they mirror: ``seal_bytes`` and ``open_bytes``.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from typing import Final

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from wallet_gateway.sandbox.token_format import SENDER, InvalidToken, Reason, SignedMessage, Version

# Each key pair is used once, so the counter may start at zero.
_COUNTER: Final = modes.CTR(bytes(16))
_KEY_BYTES: Final = {Version.ECV1: 16, Version.ECV2: 32}
_ECDH: Final = ec.ECDH()


def open_bytes(
    message: SignedMessage, private_keys: Iterable[ec.EllipticCurvePrivateKey], version: Version
) -> bytes:
    """Decrypt with whichever key fits, its tag checked first, in constant time; raises ``InvalidToken``."""
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
    """Encrypt for the owner of a key, with a new key of our own each time."""
    ephemeral = ec.generate_private_key(ec.SECP256R1())
    point = ephemeral.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    aes_key, mac_key = derive_keys(ephemeral.exchange(_ECDH, public_key), point, version)
    encrypted = Cipher(algorithms.AES(aes_key), _COUNTER).encryptor().update(plaintext)
    tag = hmac.digest(mac_key, encrypted, "sha256")
    return SignedMessage(encrypted=encrypted, ephemeral_point=point, tag=tag)


def derive_keys(shared: bytes, point: bytes, version: Version) -> tuple[bytes, bytes]:
    """Give the AES and the HMAC key for a shared secret (32 bytes) and the sender's point (65 bytes)."""
    size = _KEY_BYTES[version]
    derived = HKDF(hashes.SHA256(), 2 * size, salt=None, info=SENDER.encode()).derive(point + shared)
    return derived[:size], derived[size:]
