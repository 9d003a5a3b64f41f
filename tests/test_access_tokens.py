"""What an access token says, how long, and every text that must not be taken for one."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import signing
from django.test import override_settings

from wallet_gateway import return_tokens
from wallet_gateway.access_tokens import PREFIX, BadAccessToken, binding_of, read, sign
from wallet_gateway.return_tokens import ReturnOutcome

ORDER = "3q2-7wEjRk6vT0sZ9yXh1A"
HOUR = timedelta(hours=1)


def test_a_token_says_which_order_it_is_for() -> None:
    assert read(sign(ORDER), max_age=HOUR) == ORDER


def test_every_altered_character_is_noticed() -> None:
    token = sign(ORDER)
    for position, character in enumerate(token):
        altered = token[:position] + ("A" if character != "A" else "B") + token[position + 1 :]
        with pytest.raises(BadAccessToken):
            read(altered, max_age=HOUR)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ORDER,
        PREFIX,
        f"{PREFIX}a:b:c",
        f"{PREFIX}é:é:é",
        f"{PREFIX}\ud800:a:b",
        f"{PREFIX}.eJwr:1:x",
        "wg_\x00",
    ],
    ids=["empty", "order", "prefix", "parts", "accents", "surrogate", "compressed", "nul"],
)
def test_text_that_is_no_token_is_refused(text: str) -> None:
    with pytest.raises(BadAccessToken):
        read(text, max_age=HOUR)


def test_a_token_signed_for_another_purpose_is_refused() -> None:
    for other in (return_tokens.sign(ORDER, ReturnOutcome.SUCCESS), signing.dumps(ORDER), sign(ORDER)[3:]):
        with pytest.raises(BadAccessToken):
            read(other, max_age=HOUR)
    with pytest.raises(BadAccessToken):
        read(PREFIX + return_tokens.sign(ORDER, ReturnOutcome.SUCCESS), max_age=HOUR)
    with pytest.raises(return_tokens.BadReturnToken):
        return_tokens.read(sign(ORDER))


def test_a_token_ends_after_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.core.signing.time.time", lambda: 1_000_000.0)
    token = sign(ORDER)
    monkeypatch.setattr("django.core.signing.time.time", lambda: 1_000_000.0 + 3600)
    assert read(token, max_age=HOUR) == ORDER
    monkeypatch.setattr("django.core.signing.time.time", lambda: 1_000_000.0 + 3601)
    with pytest.raises(BadAccessToken):
        read(token, max_age=HOUR)


def test_a_token_made_before_the_key_was_rotated_is_still_read() -> None:
    with override_settings(SECRET_KEY="old key"):
        token = sign(ORDER)
    with override_settings(SECRET_KEY="new key", SECRET_KEY_FALLBACKS=["old key"]):
        assert read(token, max_age=HOUR) == ORDER
    with override_settings(SECRET_KEY="new key"), pytest.raises(BadAccessToken):
        read(token, max_age=HOUR)


def test_all_tokens_of_an_order_have_one_binding_and_no_other_order_has_it() -> None:
    assert binding_of(ORDER) == binding_of(ORDER)
    assert binding_of(ORDER) != binding_of("another")
    assert len(binding_of(ORDER)) == 64
