"""Payment tokens made for tests: keys of their own, and every part open to being wrong."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

from wallet_gateway.sandbox.wallet.token_encryption import (
    SIGNING,
    Signer,
    html_safe_json,
    key_value,
    milliseconds_text,
    new_key,
    new_signer,
    seal,
    seal_bytes,
)
from wallet_gateway.sandbox.wallet.token_format import Version, signed_bytes

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LATER = NOW + timedelta(days=7)
RECIPIENT = "gateway:examplegateway"
ROOT, RECIPIENT_KEY = new_key(), new_key()
SIGNER = new_signer(ROOT, expires_at=LATER)


def roots(*keys: ec.EllipticCurvePrivateKey, **changes: Any) -> dict[str, Any]:
    """A key document with these root keys, or the one of this file."""
    document = {"protocolVersion": "ECv2", "keyExpiration": milliseconds_text(LATER)} | changes
    kept = {name: value for name, value in document.items() if value is not None}
    return {"keys": [{"keyValue": key_value(key)} | kept for key in keys or (ROOT,)]}


def arguments(**changes: Any) -> dict[str, Any]:
    """What ``unseal`` is given beside the token."""
    return {
        "recipient_id": RECIPIENT,
        "private_keys": [RECIPIENT_KEY],
        "root_keys": roots(),
        "now": NOW,
    } | changes


def payload(**changes: Any) -> dict[str, Any]:
    """What the wallet says of a card."""
    return {
        "gatewayMerchantId": "SANDBOX-MERCHANT",
        "messageExpiration": milliseconds_text(LATER),
        "messageId": "m-1",
        "paymentMethod": "CARD",
    } | changes


def token(*, signer: Signer = SIGNER, **changes: Any) -> str:
    """An ECv2 token that holds."""
    return seal(
        payload(**changes), signer=signer, recipient_id=RECIPIENT, recipient_key=RECIPIENT_KEY.public_key()
    )


def token_of(plaintext: bytes) -> str:
    """An ECv2 token of any plaintext."""
    message = seal_bytes(plaintext, RECIPIENT_KEY.public_key(), Version.ECV2)
    return signed_again(
        json.loads(token()), signed_message(message.encrypted, message.ephemeral_point, message.tag)
    )


def ecv1_token(plaintext: bytes = b'{"messageId":"m-1"}') -> str:
    """A token of the older protocol, which the root key itself signs."""
    message = seal_bytes(plaintext, RECIPIENT_KEY.public_key(), Version.ECV1)
    text = signed_message(*message)
    signature = ROOT.sign(signed_bytes("Google", RECIPIENT, "ECv1", text), SIGNING)
    return html_safe_json({"protocolVersion": "ECv1", "signature": b64(signature), "signedMessage": text})


def signed_message(encrypted: bytes, point: bytes, tag: bytes) -> str:
    """The text that is signed."""
    return html_safe_json(
        {"encryptedMessage": b64(encrypted), "ephemeralPublicKey": b64(point), "tag": b64(tag)}
    )


def signed_again(outer: dict[str, Any], message: str) -> str:
    """The token with another signed message, and the signature for it."""
    signature = SIGNER.private_key.sign(signed_bytes("Google", RECIPIENT, "ECv2", message), SIGNING)
    return html_safe_json(outer | {"signedMessage": message, "signature": b64(signature)})


def b64(data: bytes) -> str:
    """Base64 as tokens have it."""
    return base64.b64encode(data).decode()
