"""The shape of a token: exact members, one spelling of each value, lengths in bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.sandbox.wallet.tokens import b64, token
from tests.tables import every
from wallet_gateway.sandbox.wallet.token_format import (
    InvalidToken,
    Reason,
    decode,
    read_signed_key,
    read_signed_message,
    read_token,
)


def changed(**members: Any) -> str:
    outer = json.loads(token()) | members
    return json.dumps({name: value for name, value in outer.items() if value is not None})


def refusal(text: str) -> InvalidToken:
    with pytest.raises(InvalidToken) as refused:
        read_token(text)
    return refused.value


@pytest.mark.parametrize("name", ["signature", "intermediateSigningKey", "protocolVersion", "signedMessage"])
def test_no_member_may_be_missing(name: str) -> None:
    assert refusal(changed(**{name: None})).reason is Reason.MALFORMED_TOKEN


@every(
    "intermediate",
    [
        "text",
        [],
        {},
        {"signedKey": "{}"},
        {"signedKey": {}, "signatures": []},
        {"signedKey": "{}", "signatures": "x"},
        {"signedKey": "{}", "signatures": [], "more": 1},
        {"signedKey": "{}", "signatures": ["x"] * 17},
    ],
)
def test_the_intermediate_key_has_exactly_two_members(intermediate: object) -> None:
    assert refusal(changed(intermediateSigningKey=intermediate)).reason is Reason.MALFORMED_TOKEN


def test_the_escapes_of_the_wallet_are_read_and_those_in_capitals_are_not() -> None:
    text = token()
    assert "\\\\u003d" in text
    plain = changed(signature="AA==")
    escaped = plain.replace("AA==", "AA\\u003d\\u003d")
    assert read_token(escaped).signature == "AA=="
    assert refusal(plain.replace("AA==", "AA\\u003D\\u003D")).reason is Reason.MALFORMED_TOKEN


@every(
    "message",
    [
        {},
        {"tag": b64(bytes(32)), "encryptedMessage": ""},
        {"tag": b64(bytes(32)), "encryptedMessage": "", "ephemeralPublicKey": b64(bytes(65))},
        {"tag": b64(bytes(32)), "encryptedMessage": "", "ephemeralPublicKey": b64(b"\x02" + bytes(32))},
        {"tag": b64(bytes(16)), "encryptedMessage": "", "ephemeralPublicKey": b64(b"\x04" + bytes(64))},
        {
            "tag": b64(bytes(32)),
            "encryptedMessage": "",
            "ephemeralPublicKey": b64(b"\x04" + bytes(64)),
            "x": "",
        },
        {"tag": b64(bytes(32)), "encryptedMessage": 7, "ephemeralPublicKey": b64(b"\x04" + bytes(64))},
        {"tag": b64(bytes(32)), "encryptedMessage": "?", "ephemeralPublicKey": b64(b"\x04" + bytes(64))},
    ],
)
def test_a_signed_message_has_exactly_three_members_of_fixed_lengths(message: dict[str, Any]) -> None:
    with pytest.raises(InvalidToken) as refused:
        read_signed_message(json.dumps(message))
    assert refused.value.reason is Reason.MALFORMED_SIGNED_MESSAGE


@pytest.mark.parametrize("text", ["{}", '{"keyValue":"a"}', '{"keyExpiration":"7"}', "[]", "x"])
def test_a_signed_key_names_itself_and_its_end(text: str) -> None:
    with pytest.raises(InvalidToken):
        read_signed_key(text)


@every("text", ["AB==", "AA=", "AA", "A A=", "AA==\n", "_-8=", "?", "é"])
def test_base64_has_one_spelling(text: str) -> None:
    with pytest.raises(InvalidToken) as refused:
        decode(text, Reason.CANNOT_DECRYPT, "tag")
    assert refused.value.reason is Reason.CANNOT_DECRYPT
    assert decode("AA==", Reason.CANNOT_DECRYPT, "tag") == b"\x00"
