"""What a return token and an access token say, how long, and every text that must not be taken for one."""

from __future__ import annotations

import string
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core import signing
from pytest_django import Settings

from tests.tables import every
from wallet_gateway import access_tokens, return_tokens
from wallet_gateway.return_tokens import (
    ReturnOutcome,
)

REFERENCE = "01JD3V9K2M-7fQx9s_A"
ORDER = "3q2-7wEjRk6vT0sZ9yXh1A"
HOUR = timedelta(hours=1)
URL_SAFE = set(string.ascii_letters + string.digits + "-_:")
PREFIX = access_tokens.PREFIX
GARBAGE = ("", ":", "::", "abc", "a:b:c", "\x00", "\ud800:a:b", "é:é:é", ".eJwr:1:x", "a" * 100_000)
START = 1_000_000.0


def read_access(token: str) -> str:
    return access_tokens.read(token, max_age=HOUR)


def sign_return(reference: str) -> str:
    return return_tokens.sign(reference, ReturnOutcome.REFUSED)


def reference_of(token: str) -> str:
    return return_tokens.read(token).reference


Sign = Callable[[str], str]
each_token = pytest.mark.parametrize(
    ("sign", "read", "bad"),
    [
        (sign_return, reference_of, return_tokens.BadReturnToken),
        (access_tokens.sign, read_access, access_tokens.BadAccessToken),
    ],
    ids=["return", "access"],
)


@each_token
def test_every_altered_character_and_every_other_text_is_refused(
    sign: Sign, read: Sign, bad: type[Exception]
) -> None:
    token = sign(REFERENCE)
    assert read(token) == REFERENCE
    altered = (
        token[:at] + ("A" if character != "A" else "B") + token[at + 1 :]
        for at, character in enumerate(token)
    )
    for text in (
        *altered,
        *GARBAGE,
        *(PREFIX + text for text in GARBAGE),
        REFERENCE,
        token.removeprefix(PREFIX)[1:],
    ):
        with pytest.raises(bad):
            read(text)


@each_token
def test_a_token_made_before_the_key_was_rotated_is_still_read(
    sign: Sign, read: Sign, bad: type[Exception], settings: Settings
) -> None:
    settings.SECRET_KEY = "old key"
    token = sign(REFERENCE)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "new key", ["old key"]
    assert read(token) == REFERENCE
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(bad):
        read(token)


def test_a_token_signed_for_another_purpose_is_refused() -> None:
    of_return = return_tokens.sign(ORDER, ReturnOutcome.SUCCESS)
    of_access = access_tokens.sign(ORDER)
    for other in (of_return, PREFIX + of_return, signing.dumps(ORDER), of_access.removeprefix(PREFIX)):
        with pytest.raises(access_tokens.BadAccessToken):
            read_access(other)
    for other in (of_access, signing.dumps([REFERENCE, "success"], salt="password-reset")):
        with pytest.raises(return_tokens.BadReturnToken):
            return_tokens.read(other)


def test_each_token_lives_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def at(seconds: float) -> None:
        monkeypatch.setattr("django.core.signing.time.time", lambda: START + seconds)

    at(0)
    returning, access = sign_return(REFERENCE), access_tokens.sign(ORDER)
    at(3600)
    assert read_access(access) == ORDER
    at(3601)
    with pytest.raises(access_tokens.BadAccessToken):
        read_access(access)
    # The longest payment page and a day.
    at(900 + 86_400)
    assert not return_tokens.read(returning).expired
    at(900 + 86_401)
    old = return_tokens.read(returning)
    assert (old.expired, old.reference, old.outcome) == (True, REFERENCE, ReturnOutcome.REFUSED)


@every("outcome", ReturnOutcome)
def test_a_token_says_which_attempt_and_which_url_and_another_outcome_reaches_the_same(
    outcome: ReturnOutcome,
) -> None:
    # Earlier releases had the outcome inside what is signed.
    earlier = signing.dumps([REFERENCE, outcome.value], salt=return_tokens.SALT)
    changed = return_tokens.with_outcome(return_tokens.sign_attempt(REFERENCE), outcome)
    for signed in (return_tokens.sign(REFERENCE, outcome), changed, earlier):
        token = return_tokens.read(signed)
        assert (token.reference, token.outcome, token.expired) == (REFERENCE, outcome, False)
    with pytest.raises(return_tokens.BadReturnToken, match="reference, outcome"):
        return_tokens.read(return_tokens.with_outcome(earlier, ReturnOutcome.SUCCESS))


def test_the_longest_reference_makes_a_token_that_fits_a_url_path_unescaped() -> None:
    token = return_tokens.sign("r" * 64, ReturnOutcome.SUCCESS)
    assert set(token) <= URL_SAFE
    assert len(token) < 200


@every("reference", ["", "r" * 65, "a b", "a/b", "a\n", "é", "a:b", "../x", f'{REFERENCE}","success'])
def test_a_reference_or_an_outcome_we_would_never_make_is_not_signed(reference: str) -> None:
    with pytest.raises(ValueError, match="expected 1 to 64"):
        return_tokens.sign(reference, ReturnOutcome.RETURN)
    with pytest.raises(ValueError, match="paid"):
        return_tokens.sign(REFERENCE, "paid")  # type: ignore[arg-type]


@every(
    "payload",
    [
        {"reference": REFERENCE, "outcome": "success"},
        *(
            [REFERENCE],
            [REFERENCE, "success", "more"],
            [REFERENCE, "paid"],
            [7, "success"],
            [REFERENCE, None],
        ),
        *(["a/b", "success"], ["", "success"], REFERENCE + "success", [], None),
    ],
)
def test_a_signed_value_of_another_shape_is_refused(payload: object) -> None:
    with pytest.raises(return_tokens.BadReturnToken, match="reference, outcome"):
        return_tokens.read(signing.dumps(payload, salt=return_tokens.SALT))


def test_all_tokens_of_an_order_have_one_binding_and_no_other_order_has_it() -> None:
    binding = access_tokens.binding_of(ORDER)
    assert binding == access_tokens.binding_of(ORDER) != access_tokens.binding_of("another")
    assert len(binding) == 64
