"""Masking by name and by what card numbers look like; ordinary numbers stay."""

from __future__ import annotations

import pytest

from tests.tables import every
from wallet_gateway.protocol import strict_json
from wallet_gateway.sandbox.api.journal import MASK, mask, mask_path, mask_text

CARDS = ("4111111111111111", "378282246310005", "6011111111111117", "3530111333300000")


NAMES = (
    "apikey",
    "authenticationvalue",
    "authorization",
    "cryptogram",
    "eciindicator",
    "encryptedmessage",
    "encryptionkeyid",
    "paymentdata",
    "signedmessage",
    "token",
)


@every("name", NAMES)
def test_every_secret_name_is_masked_in_any_letter_case(name: str) -> None:
    assert mask({name.upper(): {"a": "x"}}) == {name.upper(): MASK}
    assert "CANARY" not in mask_text(f'{{"{name.title()}" : "CANARY", ')
    assert "CANARY" not in mask_text(f'{{"{name}":CANARY}}')
    assert mask_path(f"/x?a=1&{name}=CANARY&b=2") == f"/x?a=1&{name}={MASK}&b=2"


@pytest.mark.parametrize("number", CARDS)
def test_card_numbers_keep_their_last_four_digits(number: str) -> None:
    masked = mask({"note": number})
    assert masked == {"note": f"***{number[-4:]}"}


@pytest.mark.parametrize(
    "text",
    ["4111111111111112", "12345678901", "41111111111111111111"],
    ids=["wrong check digit", "too short", "too long"],
)
def test_other_numbers_stay(text: str) -> None:
    assert mask({"note": text}) == {"note": text}


def test_what_is_no_secret_is_given_as_it_was() -> None:
    value = strict_json.loads('{"a":[1.50,true,null,{"b":"text"}],"id":"4111111111111111"}')
    assert strict_json.dumps(mask(value)) == strict_json.dumps(value)


def test_a_secret_that_is_cut_off_is_masked_too() -> None:
    assert "CANARY" not in mask_text('{"cryptogram":"CANARY')


def test_an_object_that_is_a_secret_ends_a_broken_text_and_others_are_read_on() -> None:
    broken = '{"a": {"token": "CANARY", "b": 1}, "paymentData": {"x": "CANARY"}, "c": "CANARY"'
    assert mask_text(broken) == f'{{"a": {{"token": "{MASK}", "b": 1}}, "paymentData": "{MASK}"'
