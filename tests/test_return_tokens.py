"""What a return token says, and every text that must not be taken for one."""

from __future__ import annotations

import string

import pytest
from django.core import signing
from django.test import override_settings

from wallet_gateway import return_tokens
from wallet_gateway.return_tokens import (
    BadReturnToken,
    ReturnOutcome,
    read,
    sign,
    sign_attempt,
    with_outcome,
)

REFERENCE = "01JD3V9K2M-7fQx9s_A"
URL_SAFE = set(string.ascii_letters + string.digits + "-_:")


@pytest.mark.parametrize("outcome", list(ReturnOutcome))
def test_a_token_says_which_attempt_and_which_url(outcome: ReturnOutcome) -> None:
    token = read(sign(REFERENCE, outcome))
    assert (token.reference, token.outcome, token.expired) == (REFERENCE, outcome, False)


def test_the_longest_reference_makes_a_token_that_fits_a_url_path_unescaped() -> None:
    token = sign("r" * 64, ReturnOutcome.SUCCESS)
    assert set(token) <= URL_SAFE
    assert len(token) < 200


@pytest.mark.parametrize(
    "reference",
    ["", "r" * 65, "a b", "a/b", "a\n", "é", "a:b", "../x"],
    ids=["empty", "long", "blank", "slash", "line end", "accent", "colon", "path"],
)
def test_a_reference_we_would_never_make_is_not_signed(reference: str) -> None:
    with pytest.raises(ValueError, match="expected 1 to 64"):
        sign(reference, ReturnOutcome.RETURN)


def test_an_outcome_that_is_none_of_the_six_is_not_signed() -> None:
    with pytest.raises(ValueError, match="paid"):
        sign(REFERENCE, "paid")  # type: ignore[arg-type]


def test_every_altered_character_is_noticed() -> None:
    token = sign(REFERENCE, ReturnOutcome.REFUSED)
    for position, character in enumerate(token):
        altered = token[:position] + ("A" if character != "A" else "B") + token[position + 1 :]
        with pytest.raises(BadReturnToken):
            read(altered)


@pytest.mark.parametrize(
    "text",
    ["", ":", "::", "abc", "a:b:c", "a" * 100_000, "\x00", "\ud800:a:b", "é:é:é", ".eJwr:1:x"],
    ids=["empty", "colon", "colons", "word", "parts", "huge", "nul", "surrogate", "accents", "compressed"],
)
def test_text_that_is_no_token_is_refused(text: str) -> None:
    with pytest.raises(BadReturnToken):
        read(text)


def test_a_token_signed_for_another_purpose_is_refused() -> None:
    with pytest.raises(BadReturnToken):
        read(signing.dumps([REFERENCE, "success"], salt="password-reset"))


@pytest.mark.parametrize(
    "payload",
    [
        {"reference": REFERENCE, "outcome": "success"},
        [REFERENCE],
        [REFERENCE, "success", "more"],
        [REFERENCE, "paid"],
        [7, "success"],
        [REFERENCE, None],
        ["a/b", "success"],
        ["", "success"],
        REFERENCE + "success",
        [],
        None,
    ],
    ids=str,
)
def test_a_signed_value_of_another_shape_is_refused(payload: object) -> None:
    with pytest.raises(BadReturnToken, match="reference, outcome"):
        read(signing.dumps(payload, salt=return_tokens.SALT))


def test_a_token_lives_for_the_longest_payment_page_and_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.core.signing.time.time", lambda: 1_000_000.0)
    token = sign(REFERENCE, ReturnOutcome.SUCCESS)
    monkeypatch.setattr("django.core.signing.time.time", lambda: 1_000_000.0 + 900 + 86_400)
    assert not read(token).expired
    monkeypatch.setattr("django.core.signing.time.time", lambda: 1_000_000.0 + 900 + 86_401)
    old = read(token)
    assert (old.expired, old.reference, old.outcome) == (True, REFERENCE, ReturnOutcome.SUCCESS)


def test_a_token_made_before_the_key_was_rotated_is_still_read() -> None:
    with override_settings(SECRET_KEY="old key"):
        token = sign(REFERENCE, ReturnOutcome.CANCEL)
    with override_settings(SECRET_KEY="new key", SECRET_KEY_FALLBACKS=["old key"]):
        assert read(token).reference == REFERENCE
    with override_settings(SECRET_KEY="new key"), pytest.raises(BadReturnToken):
        read(token)


def test_the_parts_of_a_token_cannot_run_into_each_other() -> None:
    with pytest.raises(ValueError, match="expected 1 to 64"):
        sign(f'{REFERENCE}","success', ReturnOutcome.ERROR)
    assert sign("ab", ReturnOutcome.ERROR).split(":")[0] != sign("a", ReturnOutcome.ERROR).split(":")[0]


def test_the_outcome_is_plain_and_a_changed_one_reaches_the_same_attempt() -> None:
    signed = sign_attempt(REFERENCE)
    assert {read(with_outcome(signed, outcome)).outcome for outcome in ReturnOutcome} == set(ReturnOutcome)
    assert {read(with_outcome(signed, outcome)).reference for outcome in ReturnOutcome} == {REFERENCE}


@pytest.mark.parametrize("outcome", list(ReturnOutcome))
def test_a_link_with_the_outcome_inside_what_is_signed_is_still_read(outcome: ReturnOutcome) -> None:
    earlier = signing.dumps([REFERENCE, outcome.value], salt=return_tokens.SALT)
    token = read(earlier)
    assert (token.reference, token.outcome, token.expired) == (REFERENCE, outcome, False)
    with pytest.raises(BadReturnToken, match="reference, outcome"):
        read(with_outcome(earlier, ReturnOutcome.SUCCESS))
