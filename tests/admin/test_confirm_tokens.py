"""A page's token: signed, for one person and one thing, for an hour."""

from __future__ import annotations

import pytest
from django.core import signing

from wallet_gateway.admin import confirm_tokens

PAGE = (7, "capture")


def issued(person: str = "7") -> str:
    return confirm_tokens.issue(*PAGE, person=person, available=1500)


@pytest.mark.parametrize(
    ("page", "person"), [(PAGE, "8"), ((7, "refund"), "7"), ((8, "capture"), "7"), ((7,), "7")]
)
def test_a_token_is_for_one_person_one_payment_and_one_operation(
    page: tuple[object, ...], person: str
) -> None:
    with pytest.raises(confirm_tokens.StalePage, match="somebody or something else"):
        confirm_tokens.read(issued(), *page, person=person)


@pytest.mark.parametrize("token", ["", "x", "a:b:c"])
def test_a_forged_token_is_refused(token: str) -> None:
    with pytest.raises(confirm_tokens.StalePage, match="too old or was changed"):
        confirm_tokens.read(token, *PAGE, person="7")


@pytest.mark.parametrize("content", [[], "text", ["key", "7"], 7])
def test_a_signed_text_of_another_shape_is_refused(content: object) -> None:
    with pytest.raises(confirm_tokens.StalePage):
        confirm_tokens.read(signing.dumps(content, salt=confirm_tokens._SALT), *PAGE, person="7")


def test_a_token_ends_after_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    token = issued()
    monkeypatch.setattr(confirm_tokens, "LIFETIME_SECONDS", -1)

    with pytest.raises(confirm_tokens.StalePage, match="too old"):
        confirm_tokens.read(token, *PAGE, person="7")
