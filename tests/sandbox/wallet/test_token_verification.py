"""Unsealing: tokens nobody here wrote, tokens of our own, and every single bit of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from tests.sandbox.wallet import token_vectors
from tests.sandbox.wallet.token_vectors import moment, needs_vectors, private_keys, vectors
from tests.sandbox.wallet.tokens import (
    LATER,
    NOW,
    arguments,
    ecv1_token,
    roots,
    token,
    token_of,
)
from tests.tables import every
from wallet_gateway.sandbox.wallet.token_encryption import new_key, open_bytes
from wallet_gateway.sandbox.wallet.token_format import read_signed_message, read_token
from wallet_gateway.sandbox.wallet.token_verification import (
    InvalidToken,
    Reason,
    intermediate_key,
    open_token,
    trusted_roots,
    unseal,
)


def flipped(text: str, step: int = 1) -> Iterator[str]:
    """The text with one bit changed, for every step-th bit of it."""
    for bit in range(0, 8 * len(text), step):
        place, mask = bit // 8, 1 << bit % 8
        yield text[:place] + chr(ord(text[place]) ^ mask) + text[place + 1 :]


def survivors(text: str, step: int = 1, **given: Any) -> list[str]:
    """The changed texts that are unsealed all the same."""
    accepted = []
    for changed in flipped(text, step):
        try:
            open_token(changed, **given)
        except InvalidToken:
            continue
        accepted.append(changed)
    return accepted


@needs_vectors
class TestVectors:
    @every("vector", vectors("unseal", ok=True))
    def test_a_good_token_is_opened(self, vector: dict[str, Any]) -> None:
        plaintext = open_token(vector["token"], **token_vectors.arguments(vector)).decode()
        expected = vector["expect"]
        if "plaintext" in expected:
            assert plaintext == expected["plaintext"]
        else:
            assert json.loads(plaintext) == expected["plaintextJson"]

    @every("vector", vectors("unseal", ok=False))
    def test_a_bad_token_is_refused_for_its_reason(self, vector: dict[str, Any]) -> None:
        with pytest.raises(InvalidToken) as refused:
            unseal(vector["token"], **token_vectors.arguments(vector))
        assert refused.value.reason in vector["expect"]["reason"].split("|")

    @pytest.mark.parametrize("vector", vectors("intermediate_only"))
    def test_a_root_vouches_for_the_intermediate_key(self, vector: dict[str, Any]) -> None:
        parts = read_token(vector["token"])
        trusted = trusted_roots(vector["rootKeys"], parts.version, now=vector["clockMs"])
        key = intermediate_key(parts, trusted, sender_id="Google", now=vector["clockMs"])
        assert key.curve.name == "secp256r1"

    @pytest.mark.parametrize("vector", vectors("decrypt_only"))
    def test_what_is_sealed_opens_with_the_right_key_only(self, vector: dict[str, Any]) -> None:
        parts = read_token(vector["token"])
        message = read_signed_message(parts.signed_message)
        if not vector["expect"]["ok"]:
            with pytest.raises(InvalidToken) as refused:
                open_bytes(message, private_keys(vector), parts.version)
            assert refused.value.reason is Reason.CANNOT_DECRYPT
            return
        plaintext = json.loads(open_bytes(message, private_keys(vector), parts.version))
        assert plaintext == vector["expect"].get("plaintextJson", plaintext)

    @pytest.mark.parametrize("identifier", ["oracle-cryptogram-visa", "tink-ecv1-ok"])
    def test_no_single_bit_of_a_collected_token_may_change(self, identifier: str) -> None:
        vector = token_vectors.vector(identifier)
        assert survivors(vector["token"], **token_vectors.arguments(vector)) == []

    @every("vector", vectors("unseal", ok=True))
    def test_bits_here_and_there_of_every_good_token_matter(self, vector: dict[str, Any]) -> None:
        intermediate = json.loads(vector["token"]).get("intermediateSigningKey", {})
        # Where one signature of two does not hold as it is, it may as well be any other.
        idle = set(intermediate.get("signatures", [])[:-1])
        accepted = survivors(vector["token"], 41, **token_vectors.arguments(vector))
        assert not [text for text in accepted if all(one in text for one in idle)]

    def test_milliseconds_decide(self) -> None:
        vector = token_vectors.vector("google-test-moov-ok")
        given = token_vectors.arguments(vector) | {"now": moment(vector["clockMs"] + 1)}
        with pytest.raises(InvalidToken) as refused:
            unseal(vector["token"], **given)
        assert refused.value.reason is Reason.EXPIRED_MESSAGE


@pytest.mark.parametrize(
    ("text", "root_keys"), [(token(), roots()), (ecv1_token(), roots(protocolVersion="ECv1"))], ids=["2", "1"]
)
def test_no_single_bit_of_a_token_of_ours_may_change(text: str, root_keys: dict[str, Any]) -> None:
    assert open_token(text, **arguments(root_keys=root_keys))
    assert survivors(text, **arguments(root_keys=root_keys)) == []


def refusal(text: Any, **changes: Any) -> Reason:  # noqa: ANN401
    with pytest.raises(InvalidToken) as refused:
        unseal(text, **arguments(**changes))
    return refused.value.reason


def test_at_the_moment_of_an_expiration_a_thing_has_expired() -> None:
    before = LATER - timedelta(milliseconds=1)
    far = roots(keyExpiration="32506264800000")
    assert unseal(token(), **arguments(now=before, root_keys=far))
    assert refusal(token(), now=LATER) is Reason.NO_TRUSTED_KEYS
    assert refusal(token(), now=LATER, root_keys=far) is Reason.EXPIRED_INTERMEDIATE_KEY


def test_a_remembered_intermediate_key_still_expires() -> None:
    text, far = token(), roots(keyExpiration="32506264800000")
    assert unseal(text, **arguments(root_keys=far))
    assert refusal(text, now=LATER, root_keys=far) is Reason.EXPIRED_INTERMEDIATE_KEY


def test_a_remembered_intermediate_key_still_needs_its_root() -> None:
    text = token()
    assert unseal(text, **arguments())
    assert refusal(text, root_keys=roots(new_key())) is Reason.BAD_INTERMEDIATE_SIGNATURE


@pytest.mark.parametrize(
    "changes",
    [
        {"protocolVersion": "ECv2SigningOnly"},
        {"protocolVersion": "ECv1"},
        {"keyExpiration": None},
        {"keyExpiration": "never"},
        {"keyExpiration": "1"},
    ],
)
def test_root_keys_that_are_not_for_this_are_skipped(changes: dict[str, Any]) -> None:
    assert refusal(token(), root_keys=roots(**changes)) is Reason.NO_TRUSTED_KEYS


def test_a_root_key_of_the_older_protocol_may_last_for_ever() -> None:
    older = roots(protocolVersion="ECv1", keyExpiration=None)
    assert unseal(ecv1_token(), **arguments(root_keys=older)) == {"messageId": "m-1"}


def test_a_refusal_quotes_nothing_of_the_payload() -> None:
    with pytest.raises(InvalidToken) as refused:
        unseal(token_of(b'{"pan":"4111111111111111"'), **arguments())
    assert "4111" not in f"{refused.value!r} {refused.value.__cause__!r}"
    assert NOW < LATER
