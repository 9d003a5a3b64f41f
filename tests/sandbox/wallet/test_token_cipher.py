"""The encryption: key derivation against a known answer, both directions, and what does not open."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from tests.sandbox.wallet.token_vectors import needs_vectors, private_keys, vectors
from tests.sandbox.wallet.tokens import RECIPIENT_KEY
from wallet_gateway.sandbox.wallet.token_encryption import derive_keys, open_bytes, seal_bytes
from wallet_gateway.sandbox.wallet.token_format import InvalidToken, Reason, Version


@needs_vectors
@pytest.mark.parametrize("vector", vectors("kdf"))
def test_keys_are_derived_as_elsewhere(vector: dict[str, Any]) -> None:
    point = base64.b64decode(vector["ephemeralPublicKey"])
    ephemeral = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    shared = private_keys(vector)[0].exchange(ec.ECDH(), ephemeral)
    aes_key, mac_key = derive_keys(shared, point, Version.ECV1)
    expected = vector["expect"]["keys"]
    assert (aes_key.hex(), mac_key.hex()) == (expected["aesKey"], expected["macKey"])


@pytest.mark.parametrize("version", list(Version))
def test_what_is_sealed_is_opened(version: Version) -> None:
    message = seal_bytes(b"payload", RECIPIENT_KEY.public_key(), version)
    assert open_bytes(message, [RECIPIENT_KEY], version) == b"payload"
    assert b"payload" not in message.encrypted


def test_a_point_off_the_curve_is_refused() -> None:
    message = seal_bytes(b"payload", RECIPIENT_KEY.public_key(), Version.ECV2)
    off = message._replace(
        ephemeral_point=message.ephemeral_point[:-1] + bytes([message.ephemeral_point[-1] ^ 1])
    )
    with pytest.raises(InvalidToken) as refused:
        open_bytes(off, [RECIPIENT_KEY], Version.ECV2)
    assert refused.value.reason is Reason.CANNOT_DECRYPT
    assert "P-256" in str(refused.value)


def test_a_changed_tag_or_ciphertext_is_refused() -> None:
    message = seal_bytes(b"payload", RECIPIENT_KEY.public_key(), Version.ECV2)
    for changed in (message._replace(tag=bytes(32)), message._replace(encrypted=bytes(7))):
        with pytest.raises(InvalidToken) as refused:
            open_bytes(changed, [RECIPIENT_KEY], Version.ECV2)
        assert refused.value.reason is Reason.CANNOT_DECRYPT
