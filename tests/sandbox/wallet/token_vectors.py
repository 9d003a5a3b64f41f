"""The tokens nobody here wrote: where they are found, and how one is read.

They are no part of this project: they lie beside it, or where ``WALLET_TOKEN_VECTORS`` says.
"""

from __future__ import annotations

import base64
import json
import os
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_der_private_key, load_pem_private_key

_BESIDE_THE_PROJECT = Path(__file__).resolve().parents[4] / "shared/vectors/google_pay_tokens.json"
FILE = Path(os.environ.get("WALLET_TOKEN_VECTORS", _BESIDE_THE_PROJECT))
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

needs_vectors = pytest.mark.skipif(
    not FILE.is_file(), reason=f"the collected tokens are not at {FILE}; WALLET_TOKEN_VECTORS can say where"
)


@cache
def _all() -> tuple[dict[str, Any], ...]:
    return tuple(json.loads(FILE.read_bytes())["vectors"]) if FILE.is_file() else ()


def vectors(*kinds: str, ok: bool | None = None) -> list[Any]:
    """The vectors of these kinds as parameters of a test, those with that result where one is asked for."""
    chosen = (vector for vector in _all() if vector["kind"] in kinds and ok in (None, vector["expect"]["ok"]))
    return [pytest.param(vector, id=vector["id"]) for vector in chosen]


def vector(identifier: str) -> dict[str, Any]:
    """One vector by its id."""
    return next(one for one in _all() if one["id"] == identifier)


def private_keys(vector: dict[str, Any]) -> list[ec.EllipticCurvePrivateKey]:
    """The recipient's keys, loaded."""
    return [_private_key(key["format"], key["value"]) for key in vector["privateKeys"]]


def _private_key(form: str, value: str) -> ec.EllipticCurvePrivateKey:
    if form.endswith("pem"):
        key = load_pem_private_key(value.encode(), password=None)
    else:
        key = load_der_private_key(base64.b64decode(value), password=None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    return key


def moment(milliseconds: int) -> datetime:
    """The vector's clock."""
    return EPOCH + timedelta(milliseconds=milliseconds)


def arguments(vector: dict[str, Any]) -> dict[str, Any]:
    """What ``unseal`` is given beside the token."""
    return verifying(vector) | {"private_keys": private_keys(vector)}


def verifying(vector: dict[str, Any]) -> dict[str, Any]:
    """What ``verify`` is given beside the token."""
    return {
        "recipient_id": vector["recipientId"],
        "sender_id": vector.get("senderId", "Google"),
        "root_keys": vector["rootKeys"],
        "now": moment(vector["clockMs"]),
    }
