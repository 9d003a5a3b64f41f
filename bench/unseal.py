"""What unsealing one payment token costs, against the bare cryptographic calls it cannot do without."""

from __future__ import annotations

import base64
import hmac
import itertools
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import load_der_public_key

from bench.measure import compare
from wallet_gateway.sandbox.wallet.token_encryption import (
    key_value,
    milliseconds_text,
    new_key,
    new_signer,
    seal,
)
from wallet_gateway.sandbox.wallet.token_format import signed_bytes
from wallet_gateway.sandbox.wallet.token_verification import unseal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.measure import Finding
    from wallet_gateway.sandbox.wallet.token_encryption import Signer

# More than are remembered, so that going round and round never meets an intermediate key again.
STRANGERS = 400
RECIPIENT = "gateway:examplegateway"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
LATER = NOW + timedelta(days=7)
PAYLOAD = {
    "gatewayMerchantId": "SANDBOX-MERCHANT",
    "messageExpiration": milliseconds_text(LATER),
    "messageId": "AH2EjtcPO1Kj7bYvQ1TLtJ5sR1fSFbbXvC3TkZzJxvb4iXhWvQ",
    "paymentMethod": "CARD",
    "paymentMethodDetails": {
        "pan": "4111111111111111",
        "expirationMonth": 12,
        "expirationYear": 2030,
        "authMethod": "CRYPTOGRAM_3DS",
        "cryptogram": "AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "eciIndicator": "05",
    },
}
ALGORITHM = ec.ECDSA(hashes.SHA256())
ROOT, RECIPIENT_KEY = new_key(), new_key()
ROOTS = {
    "keys": [
        {
            "keyValue": key_value(ROOT),
            "protocolVersion": "ECv2",
            "keyExpiration": milliseconds_text(LATER),
        }
    ]
}


@dataclass(frozen=True)
class Sample:
    """A token, and everything of it that the bare calls need, taken apart beforehand."""

    token: str
    intermediate_signature: bytes
    intermediate_bytes: bytes
    intermediate: bytes
    signature: bytes
    message_bytes: bytes
    point: bytes
    encrypted: bytes


def sample(signer: Signer) -> Sample:
    """Seal the payload once."""
    token = seal(PAYLOAD, signer=signer, recipient_id=RECIPIENT, recipient_key=RECIPIENT_KEY.public_key())
    outer = json.loads(token)
    inner = json.loads(outer["signedMessage"])
    point = base64.b64decode(inner["ephemeralPublicKey"])
    return Sample(
        token=token,
        intermediate_signature=base64.b64decode(outer["intermediateSigningKey"]["signatures"][0]),
        intermediate_bytes=signed_bytes("Google", "ECv2", signer.signed_key),
        intermediate=base64.b64decode(key_value(signer.private_key)),
        signature=base64.b64decode(outer["signature"]),
        message_bytes=signed_bytes("Google", RECIPIENT, "ECv2", outer["signedMessage"]),
        point=point,
        encrypted=base64.b64decode(inner["encryptedMessage"]),
    )


def ours(one: Sample) -> object:
    """Unseal from the text on."""
    return unseal(one.token, recipient_id=RECIPIENT, private_keys=[RECIPIENT_KEY], root_keys=ROOTS, now=NOW)


def bare(one: Sample) -> object:
    """The calls alone: two verifications, ECDH, HKDF, HMAC, AES-CTR.

    The two keys that come with a token are loaded here, for nobody can have them loaded before; JSON, Base64
    and everything that is compared are left out.
    """
    ROOT_PUBLIC.verify(one.intermediate_signature, one.intermediate_bytes, ALGORITHM)
    intermediate = load_der_public_key(one.intermediate)
    assert isinstance(intermediate, ec.EllipticCurvePublicKey)
    intermediate.verify(one.signature, one.message_bytes, ALGORITHM)
    ephemeral = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), one.point)
    shared = RECIPIENT_KEY.exchange(ec.ECDH(), ephemeral)
    derived = HKDF(hashes.SHA256(), 64, salt=None, info=b"Google").derive(one.point + shared)
    hmac.digest(derived[32:], one.encrypted, "sha256")
    return Cipher(algorithms.AES(derived[:32]), modes.CTR(bytes(16))).decryptor().update(one.encrypted)


ROOT_PUBLIC = ROOT.public_key()


def measure() -> Iterator[Finding]:
    """Compare at the first sight of every intermediate key, and with one that is known."""
    strangers = [sample(new_signer(ROOT, expires_at=LATER)) for _ in range(STRANGERS)]
    met, compared = itertools.cycle(strangers), itertools.cycle(strangers)
    first = compare(lambda: ours(next(met)), lambda: bare(next(compared)))
    yield first.finding("unsealing, new intermediate key, to the bare calls", at_most=1.4)
    known = strangers[0]
    again = compare(lambda: ours(known), lambda: bare(known))
    yield again.finding("unsealing, known intermediate key, to the bare calls", at_most=0.9)
