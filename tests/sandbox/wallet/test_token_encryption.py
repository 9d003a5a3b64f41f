"""Making tokens: as the wallet writes them, and such that they open again."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from cryptography.hazmat.primitives.asymmetric import ec

from tests.sandbox.wallet.tokens import RECIPIENT, RECIPIENT_KEY, SIGNER, arguments, payload, token
from wallet_gateway.sandbox.wallet.token_encryption import html_safe_json, milliseconds_text, new_key, seal
from wallet_gateway.sandbox.wallet.token_verification import unseal


def test_a_token_has_the_members_of_the_wallet_in_its_order() -> None:
    outer = json.loads(token())
    assert list(outer) == ["signature", "intermediateSigningKey", "protocolVersion", "signedMessage"]
    assert list(outer["intermediateSigningKey"]) == ["signedKey", "signatures"]
    assert list(json.loads(outer["signedMessage"])) == ["encryptedMessage", "ephemeralPublicKey", "tag"]
    assert outer["protocolVersion"] == "ECv2"


def test_no_plain_equals_sign_is_left_at_any_level() -> None:
    text = token()
    assert "=" not in text
    outer = json.loads(text)
    assert "\\u003d" in outer["signedMessage"]
    assert "=" not in outer["signedMessage"]
    assert json.loads(outer["signedMessage"])["tag"].endswith("=")


def test_json_is_safe_in_a_page() -> None:
    assert html_safe_json({"a": "<&>='é"}) == '{"a":"\\u003c\\u0026\\u003e\\u003d\\u0027é"}'


def test_a_payload_comes_back_as_it_went() -> None:
    told = payload(text="Ünïcode <&='>", nested={"number": 12, "list": [1, True, None]})
    text = seal(told, signer=SIGNER, recipient_id=RECIPIENT, recipient_key=RECIPIENT_KEY.public_key())
    assert unseal(text, **arguments()) == told


def test_times_are_whole_milliseconds() -> None:
    assert milliseconds_text(datetime(2025, 10, 9, 8, 53, 20, 123_999, tzinfo=UTC)) == "1760000000123"


def test_private_keys_are_not_shown() -> None:
    assert isinstance(new_key().curve, ec.SECP256R1)
    assert "private" not in repr(SIGNER)
    assert SIGNER.signed_key not in repr(SIGNER)
