"""What a return token and an access token say, how long, and every text that must not be taken for one."""

from __future__ import annotations

import string
import time
from collections.abc import Callable
from contextlib import nullcontext
from datetime import timedelta

import pytest
from django.core import signing
from pytest_django import Settings

from tests.support.tables import every
from wallet_gateway import access_tokens, return_tokens
from wallet_gateway.return_tokens import ReturnOutcome

REFERENCE = "01JD3V9K2M-7fQx9s_A"
ORDER = "3q2-7wEjRk6vT0sZ9yXh1A"
HOUR = timedelta(hours=1)
URL_SAFE = set(string.ascii_letters + string.digits + "-_:")
PREFIX = access_tokens.PREFIX
GARBAGE = ("", ":", "::", "abc", "a:b:c", "\x00", "\ud800:a:b", "é:é:é", ".eJwr:1:x", "a" * 10_000)


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
    altered = [
        token[:at] + ("A" if character != "A" else "B") + token[at + 1 :]
        for at, character in enumerate(token)
    ]
    garbage = [*GARBAGE, *(PREFIX + text for text in GARBAGE)]
    for text in (*altered, *garbage, REFERENCE, token.removeprefix(PREFIX)[1:]):
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


class Earlier(signing.TimestampSigner):
    """Signs as the shop did so many seconds ago."""

    def __init__(self, seconds: float, salt: str) -> None:
        super().__init__(salt=salt)
        self.seconds = seconds

    def timestamp(self) -> str:
        return signing.b62_encode(int(time.time() - self.seconds))


@every(("seconds", "is_alive"), [(0, True), (3590, True), (3602, False)])
def test_an_access_token_lives_as_long_as_the_settings_say(seconds: float, is_alive: bool) -> None:
    token = PREFIX + Earlier(seconds, access_tokens.SALT).sign_object(ORDER)
    refused = nullcontext() if is_alive else pytest.raises(access_tokens.BadAccessToken)
    with refused:
        assert read_access(token) == ORDER


@every(("seconds", "expired"), [(0, False), (900 + 86_390, False), (900 + 86_402, True)])
def test_a_return_token_lives_as_long_as_the_longest_page_and_a_day(seconds: float, expired: bool) -> None:
    signed = Earlier(seconds, return_tokens.SALT).sign_object(REFERENCE)
    token = return_tokens.read(f"{signed}:{ReturnOutcome.REFUSED}")
    assert (token.expired, token.reference, token.outcome) == (expired, REFERENCE, ReturnOutcome.REFUSED)


@every("outcome", ReturnOutcome)
def test_a_token_says_which_attempt_and_which_url_and_another_outcome_reaches_the_same(
    outcome: ReturnOutcome,
) -> None:
    signed, _, _suffix = return_tokens.sign(REFERENCE, ReturnOutcome.RETURN).rpartition(":")
    for text in (return_tokens.sign(REFERENCE, outcome), f"{signed}:{outcome}"):
        token = return_tokens.read(text)
        assert (token.reference, token.outcome, token.expired) == (REFERENCE, outcome, False)


def test_the_longest_reference_makes_a_token_that_fits_a_url_path_unescaped() -> None:
    token = return_tokens.sign("r" * 64, ReturnOutcome.SUCCESS)
    assert set(token) <= URL_SAFE
    assert len(token) < 200


def test_a_reference_or_an_outcome_we_would_never_make_is_not_signed() -> None:
    for reference in ("", "r" * 65, "a b", "a/b", "a\n", "é", "a:b", "../x", f'{REFERENCE}","success'):
        with pytest.raises(ValueError, match="expected 1 to 64"):
            return_tokens.sign(reference, ReturnOutcome.RETURN)
    with pytest.raises(ValueError, match="paid"):
        return_tokens.sign(REFERENCE, "paid")  # type: ignore[arg-type]


@every(
    "payload",
    [
        {"reference": REFERENCE, "outcome": "success"},
        *([REFERENCE], [REFERENCE, "success"], [], None, 7),
        *("a/b", "", "r" * 65, REFERENCE + "\n"),
    ],
)
def test_a_signed_value_that_is_no_reference_is_refused(payload: object) -> None:
    signed = signing.dumps(payload, salt=return_tokens.SALT)
    with pytest.raises(return_tokens.BadReturnToken, match="not as a reference"):
        return_tokens.read(f"{signed}:{ReturnOutcome.SUCCESS}")


@every("outcome", ["paid", "", "SUCCESS", "success "])
def test_an_outcome_that_no_url_has_is_refused(outcome: str) -> None:
    signed, _, _suffix = return_tokens.sign(REFERENCE, ReturnOutcome.RETURN).rpartition(":")
    with pytest.raises(return_tokens.BadReturnToken, match="not a return token"):
        return_tokens.read(f"{signed}:{outcome}")


def test_all_tokens_of_an_order_have_one_binding_and_no_other_order_has_it() -> None:
    binding = access_tokens.binding_of(ORDER)
    assert binding == access_tokens.binding_of(ORDER) != access_tokens.binding_of("another")
    assert len(binding) == 64
