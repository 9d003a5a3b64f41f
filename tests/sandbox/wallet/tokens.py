"""Payment tokens made for tests, every part of which may be wrong, and tokens that nobody here wrote.

The collected ones are no part of this project: they lie beside it, or where ``WALLET_TOKEN_VECTORS`` says.
"""

from __future__ import annotations

import base64
import json
import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_der_private_key, load_pem_private_key

from wallet_gateway.sandbox.tokens import (
    key_value,
    milliseconds_text,
    new_key,
    new_signer,
    seal,
)

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
    """What ``open_token`` is given beside the token."""
    own = {"recipient_id": RECIPIENT, "private_keys": [RECIPIENT_KEY], "root_keys": roots(), "now": NOW}
    return own | changes


def token(**changes: Any) -> str:
    """A token that holds."""
    payload = {"messageExpiration": milliseconds_text(LATER), "messageId": "m-1"} | changes
    recipient = RECIPIENT_KEY.public_key()
    return seal(payload, signer=SIGNER, recipient_id=RECIPIENT, recipient_key=recipient)


def changed(**members: Any) -> str:
    """The token with other members; those that are None are left out."""
    outer = json.loads(token()) | members
    return json.dumps({name: value for name, value in outer.items() if value is not None})


def signed(key: ec.EllipticCurvePrivateKey, *parts: str) -> str:
    """A signature over these texts, each with its length before it."""
    encoded = [part.encode() for part in parts]
    message = b"".join(len(part).to_bytes(4, "little") + part for part in encoded)
    return base64.b64encode(key.sign(message, ec.ECDSA(hashes.SHA256()))).decode()


def with_message(**members: Any) -> str:
    """The token with other members of what is signed, signed again."""
    message = json.loads(json.loads(token())["signedMessage"]) | members
    text = json.dumps({name: value for name, value in message.items() if value is not None})
    signature = signed(SIGNER.private_key, "Google", RECIPIENT, "ECv2", text)
    return changed(signedMessage=text, signature=signature)


def with_signed_key(text: str) -> str:
    """The token with another intermediate key, signed by the root."""
    key = {"signedKey": text, "signatures": [signed(ROOT, "Google", "ECv2", text)]}
    return changed(intermediateSigningKey=key)


_BESIDE_THE_PROJECT = Path(__file__).resolve().parents[4] / "shared/vectors/google_pay_tokens.json"
FILE = Path(os.environ.get("WALLET_TOKEN_VECTORS", _BESIDE_THE_PROJECT))


def collected(*, ok: bool) -> list[dict[str, Any]]:
    """The collected tokens that are to be opened, or refused; none where there is no collection.

    Those of the version before, ECv1, are all refused for their version.
    """
    known = json.loads(FILE.read_bytes())["vectors"] if FILE.is_file() else []
    for one in known:
        if re.search(r'"protocolVersion"\s*:\s*"ECv1"', str(one.get("token"))):
            one["expect"] = {"ok": False, "reason": "unsupported_version"}
    return [one for one in known if one["kind"] == "unseal" and one["expect"]["ok"] is ok]


def arguments_of(vector: dict[str, Any]) -> dict[str, Any]:
    """What ``open_token`` is given beside a collected token."""
    return {
        "recipient_id": vector["recipientId"],
        "sender_id": vector.get("senderId", "Google"),
        "root_keys": vector["rootKeys"],
        "private_keys": [_private_key(key["format"], key["value"]) for key in vector["privateKeys"]],
        "now": datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=vector["clockMs"]),
    }


def _private_key(form: str, value: str) -> ec.EllipticCurvePrivateKey:
    if form.endswith("pem"):
        key = load_pem_private_key(value.encode(), password=None)
    else:
        key = load_der_private_key(base64.b64decode(value), password=None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    return key
