"""Unsealing payment tokens: those nobody here wrote, our own, and every single bit of one."""

from __future__ import annotations

import base64
import json
from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.sandbox.wallet.tokens import (
    FILE,
    LATER,
    SIGNER,
    arguments,
    arguments_of,
    changed,
    collected,
    roots,
    token,
    with_message,
    with_signed_key,
)
from tests.support.tables import every
from wallet_gateway.sandbox.tokens import InvalidToken, new_key, open_token, read_payload

needs_collection = pytest.mark.skipif(
    not FILE.is_file(), reason=f"the collected tokens are not at {FILE}; WALLET_TOKEN_VECTORS can say where"
)
FOR_EVER = {"root_keys": roots(keyExpiration="32506264800000")}
POINT = base64.b64encode(b"\x04" + bytes(64)).decode()
OTHER_CURVE = ec.generate_private_key(ec.SECP384R1()).public_key()
OTHER_KEY = base64.b64encode(OTHER_CURVE.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))


NO_INTERMEDIATE: list[Any] = [
    "text",
    [],
    {},
    {"signedKey": "{}"},
    {"signedKey": {}, "signatures": []},
    {"signedKey": "{}", "signatures": "x"},
    {"signedKey": "{}", "signatures": [], "more": 1},
    {"signedKey": "{}", "signatures": ["x"] * 17},
]


def unseal(text: str, **given: Any) -> dict[str, Any]:
    return read_payload(open_token(text, **given))


def refusal(text: str, **changes: Any) -> str:
    with pytest.raises(InvalidToken) as refused:
        unseal(text, **arguments(**changes))
    return str(refused.value.reason)


def survivors(text: str, step: int = 1, **given: Any) -> list[str]:
    """The texts with one bit changed, for every step-th bit, that are opened all the same."""
    accepted = []
    for bit in range(0, 8 * len(text), step):
        place, mask = bit // 8, 1 << bit % 8
        other = text[:place] + chr(ord(text[place]) ^ mask) + text[place + 1 :]
        try:
            open_token(other, **given)
        except InvalidToken:
            continue
        accepted.append(other)
    return accepted


@needs_collection
@every("vector", collected(ok=True), ids=[one["id"] for one in collected(ok=True)])
def test_a_good_token_is_opened_and_its_bits_matter(vector: dict[str, Any]) -> None:
    given, expected = arguments_of(vector), vector["expect"]
    plaintext = open_token(vector["token"], **given).decode()
    assert expected.get("plaintext", plaintext) == plaintext
    assert "plaintextJson" not in expected or json.loads(plaintext) == expected["plaintextJson"]
    intermediate = json.loads(vector["token"]).get("intermediateSigningKey", {})
    # Where one signature of two does not hold as it is, it may as well be any other.
    idle = set(intermediate.get("signatures", [])[:-1])
    accepted = survivors(vector["token"], 211, **given)
    assert not [text for text in accepted if all(one in text for one in idle)]


@needs_collection
@every("vector", collected(ok=False), ids=[one["id"] for one in collected(ok=False)])
def test_a_bad_token_is_refused_for_its_reason(vector: dict[str, Any]) -> None:
    with pytest.raises(InvalidToken) as refused:
        unseal(vector["token"], **arguments_of(vector))
    assert refused.value.reason in vector["expect"]["reason"].split("|")


def test_no_single_bit_of_a_token_of_ours_may_change() -> None:
    text = token()
    assert unseal(text, **arguments())["messageId"] == "m-1"
    assert survivors(text, **arguments()) == []


def test_a_token_is_written_as_the_wallet_writes_it() -> None:
    text = token()
    outer = json.loads(text)
    assert list(outer) == ["signature", "intermediateSigningKey", "protocolVersion", "signedMessage"]
    assert list(outer["intermediateSigningKey"]) == ["signedKey", "signatures"]
    assert list(json.loads(outer["signedMessage"])) == ["encryptedMessage", "ephemeralPublicKey", "tag"]
    # No plain equals sign is left at any level.
    assert "=" not in text
    assert "=" not in outer["signedMessage"]
    assert json.loads(outer["signedMessage"])["tag"].endswith("=")
    assert refusal(text.replace("\\u003d", "\\u003D", 1)) == "malformed_token"


@every(
    "members",
    [
        *({name: None} for name in json.loads(token())),
        *({"intermediateSigningKey": given} for given in NO_INTERMEDIATE),
        {"more": 1},
    ],
)
def test_a_token_has_exactly_its_members(members: dict[str, Any]) -> None:
    assert refusal(changed(**members)) == "malformed_token"


@every("version", ["ECv1", "ECv2SigningOnly", "ECv3", "ecv2", "", 2, None, ["ECv2"]])
def test_only_ecv2_is_read(version: object) -> None:
    text = json.dumps(json.loads(token()) | {"protocolVersion": version})
    assert refusal(text) == "unsupported_version"


@every(
    ("members", "reason"),
    [
        *(({name: None}, "malformed_signed_message") for name in ("tag", "encryptedMessage")),
        ({"ephemeralPublicKey": base64.b64encode(bytes(65)).decode()}, "malformed_signed_message"),
        ({"ephemeralPublicKey": base64.b64encode(bytes(33)).decode()}, "malformed_signed_message"),
        ({"tag": base64.b64encode(bytes(16)).decode()}, "malformed_signed_message"),
        ({"encryptedMessage": 7}, "malformed_signed_message"),
        ({"encryptedMessage": "?"}, "malformed_signed_message"),
        ({"x": ""}, "malformed_signed_message"),
        # On no curve, and of another message.
        ({"ephemeralPublicKey": POINT}, "cannot_decrypt"),
        ({"tag": base64.b64encode(bytes(32)).decode()}, "cannot_decrypt"),
    ],
)
def test_what_is_signed_has_exactly_three_members_that_belong_together(
    members: dict[str, Any], reason: str
) -> None:
    assert refusal(with_message(**members)) == reason


@every(
    "text",
    [
        *("{}", '{"keyValue":"a"}', '{"keyExpiration":"7"}', "[]", "x"),
        *(
            json.dumps({"keyValue": value, "keyExpiration": "32506264800000"})
            for value in ("AAAA", OTHER_KEY.decode())
        ),
    ],
)
def test_an_intermediate_key_names_a_key_on_the_curve_and_its_end(text: str) -> None:
    assert refusal(with_signed_key(text)) == "malformed_token"


@every("before", [(), ("AA==",), ("?",), (7, None)])
def test_one_good_signature_of_several_is_enough(before: tuple[object, ...]) -> None:
    signatures = [*before, *SIGNER.signatures, "AA=="]
    text = changed(intermediateSigningKey={"signedKey": SIGNER.signed_key, "signatures": signatures})
    assert unseal(text, **arguments())["messageId"] == "m-1"


def test_at_the_moment_of_an_expiration_a_thing_has_expired_even_if_it_was_verified_before() -> None:
    before = LATER - timedelta(milliseconds=1)
    assert unseal(token(), **arguments(now=before, **FOR_EVER))
    assert refusal(token(), now=LATER) == "no_trusted_keys"
    assert refusal(token(), now=LATER, **FOR_EVER) == "expired_intermediate_key"
    assert refusal(token(messageExpiration="1767225600000")) == "expired_message"


@every(
    ("root_keys", "reason"),
    [
        (roots(new_key()), "bad_intermediate_signature"),
        (roots(protocolVersion="ECv2SigningOnly"), "no_trusted_keys"),
        (roots(protocolVersion="ECv1"), "no_trusted_keys"),
        (roots(keyExpiration=None), "no_trusted_keys"),
        (roots(keyExpiration="never"), "no_trusted_keys"),
        (roots(keyExpiration="1"), "no_trusted_keys"),
    ],
)
def test_only_a_root_key_for_this_and_in_force_is_trusted(root_keys: dict[str, Any], reason: str) -> None:
    text = token()
    assert unseal(text, **arguments())
    assert refusal(text, root_keys=root_keys) == reason


@every(
    "changes", [{"sender_id": "Somebody"}, {"recipient_id": "gateway:other"}, {"private_keys": [new_key()]}]
)
def test_a_token_is_of_its_sender_for_its_recipient(changes: dict[str, Any]) -> None:
    assert refusal(token(), **changes) in {
        "bad_intermediate_signature",
        "bad_message_signature",
        "cannot_decrypt",
    }


def test_a_refusal_quotes_nothing_of_the_payload() -> None:
    with pytest.raises(InvalidToken) as refused:
        unseal(token(pan="4111111111111111", messageExpiration="4111111111111111 ms"), **arguments())
    assert "4111" not in f"{refused.value!r} {refused.value.__cause__!r}"
