"""Whose signatures are believed: trusted roots, intermediate keys, and what is remembered of them."""

from __future__ import annotations

import json

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.sandbox.wallet.tokens import LATER, RECIPIENT, ROOT, SIGNER, b64, ecv1_token, token
from wallet_gateway.sandbox.wallet.token_encryption import (
    SIGNING,
    html_safe_json,
    key_value,
    milliseconds_text,
    new_key,
)
from wallet_gateway.sandbox.wallet.token_format import (
    InvalidToken,
    Reason,
    Token,
    read_token,
    signed_bytes,
)
from wallet_gateway.sandbox.wallet.token_verification import (
    check_message_signature,
    intermediate_key,
)

ROOT_VALUE = key_value(ROOT)


def with_signatures(*signatures: object) -> Token:
    outer = json.loads(token())
    good = outer["intermediateSigningKey"]["signatures"][0]
    entries = [good if one == "good" else one for one in signatures]
    outer["intermediateSigningKey"]["signatures"] = entries
    return read_token(json.dumps(outer))


@pytest.mark.parametrize(
    "signatures", [("good",), ("AA==", "good"), ("?", "good"), (7, None, "good"), ("good", "AA==")]
)
def test_one_good_signature_of_several_is_enough(signatures: tuple[object, ...]) -> None:
    key = intermediate_key(with_signatures(*signatures), [ROOT_VALUE], sender_id="Google", now=0)
    assert key.public_numbers() == SIGNER.private_key.public_key().public_numbers()


def test_the_sender_is_part_of_what_is_signed() -> None:
    with pytest.raises(InvalidToken) as refused:
        intermediate_key(read_token(token()), [ROOT_VALUE], sender_id="Somebody", now=0)
    assert refused.value.reason is Reason.BAD_INTERMEDIATE_SIGNATURE


def signed_key_token(signed_key: str) -> Token:
    signature = b64(ROOT.sign(signed_bytes("Google", "ECv2", signed_key), SIGNING))
    outer = json.loads(token())
    outer["intermediateSigningKey"] = {"signedKey": signed_key, "signatures": [signature]}
    return read_token(json.dumps(outer))


@pytest.mark.parametrize(
    "value",
    [
        "AAAA",
        b64(
            ec.generate_private_key(ec.SECP384R1())
            .public_key()
            .public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        ),
    ],
    ids=["no key", "another curve"],
)
def test_a_signed_key_must_be_on_the_curve(value: str) -> None:
    signed_key = html_safe_json({"keyValue": value, "keyExpiration": milliseconds_text(LATER)})
    with pytest.raises(InvalidToken) as refused:
        intermediate_key(signed_key_token(signed_key), [ROOT_VALUE], sender_id="Google", now=0)
    assert refused.value.reason is Reason.MALFORMED_TOKEN


def test_a_root_that_is_no_key_is_an_error_of_the_document() -> None:
    with pytest.raises(ValueError, match=r".") as error:
        intermediate_key(read_token(token()), ["AAAA"], sender_id="Google", now=0)
    assert not isinstance(error.value, InvalidToken)


def test_a_message_is_signed_by_one_of_its_signers() -> None:
    older = read_token(ecv1_token())
    keys = [new_key().public_key(), ROOT.public_key()]
    check_message_signature(older, keys, sender_id="Google", recipient_id=RECIPIENT)
    with pytest.raises(InvalidToken) as refused:
        check_message_signature(older, keys[:1], sender_id="Google", recipient_id=RECIPIENT)
    assert refused.value.reason is Reason.BAD_MESSAGE_SIGNATURE
