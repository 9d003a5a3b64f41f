"""Making tokens: as the wallet writes them, and such that they open again."""

from __future__ import annotations

import json

from tests.sandbox.wallet.tokens import token


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
