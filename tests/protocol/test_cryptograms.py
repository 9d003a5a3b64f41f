"""A cryptogram is Base64 of any usual length, and is found by its look where it stands in a wrong place."""

from __future__ import annotations

import hashlib

from tests.protocol.samples import CRYPTOGRAM_LENGTHS, cryptogram_of
from tests.support.tables import every
from wallet_gateway.protocol.cryptograms import is_cryptogram, mask_cryptograms, remove_cryptogram


@every("length", CRYPTOGRAM_LENGTHS)
def test_base64_of_any_length_has_the_form_of_a_cryptogram(length: int) -> None:
    assert is_cryptogram(cryptogram_of(length))


NONE: list[object] = [
    *(None, 7, "", "short", "QUJDREVG", "A" * 27, "A" * 29, "-" * 28, "\u0410" * 28, cryptogram_of(192)),
    *("A" * 26 + "=", "A" * 25 + "===", "A" * 27 + "=\n", "A" * 14 + "=" + "A" * 13, "A" * 27 + " "),
]


@every("value", NONE)
def test_anything_else_has_not(value: object) -> None:
    assert not is_cryptogram(value)


FOUND = [
    *(cryptogram_of(length, seed) for length in (16, 17, 19, 20, 22, 23, 40, 64) for seed in "abc"),
    *(cryptogram_of(length) for length in (8, 15, 18, 21, 24, 30, 36, 48, 300)),
    "ALnt+yWSJdXBACMLLWMNGgADFA==",
    "AgAAAAAABk4DWZ4C28yUQAAAAAA=",
    "AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    cryptogram_of(20).replace("=", "%3D"),
    cryptogram_of(19).rstrip("="),
]


@every("secret", FOUND)
def test_what_looks_like_a_cryptogram_is_found_wherever_it_stands(secret: str) -> None:
    for text in ("{}", "failed with {}", "({}), 05", '{{"name": "{}"}}', "field={}", "{} {}", "Ada\t{}\n"):
        assert mask_cryptograms(text.format(secret, secret)) == text.format("[removed]", "[removed]")


KEPT = [
    "Ada Lovelace, Unter den Linden 12/3a, 10117 Berlin",
    "Donaudampfschifffahrtsgesellschaftsstrasse",
    *("MusterStrasse12/3B/4", "Industriestrasse12/Halle4", "MaxMustermann1985Hamburg"),
    f"{cryptogram_of(24)}@mail.example",
    "clientSystemTransactionId=01JDNY3Q5W8Z7R2M4K6H9TXVBA",
    "3f0c6c1e-7d4f-4b1e-9a57-0a3f8d1c2b4e",
    *(hashlib.sha256(b"").hexdigest(), hashlib.sha256(b"").hexdigest().upper()),
    *("ACC-0123456789ABCDEF01234567", "49001234567890123456"),
    "TypeError: paymentMethodData.tokenizationData is undefined",
    "shippingAddress={}, emailRequired=",
    "ThreeDSecureNotPassed getFirstScaleIdForIndexAxis",
    "https://gateway.example/api/v5/paymentAccounts/01JDNY3Q5W",
    "src/components/checkout/WalletButton/index",
]


@every("text", KEPT)
def test_names_addresses_references_and_hashes_are_not_taken_for_cryptograms(text: str) -> None:
    assert mask_cryptograms(text) == text


def test_a_known_cryptogram_is_found_in_every_spelling_and_nothing_else_is() -> None:
    known = "AB+/AAAAAAAAAAAAAAAAAAAAAAA="
    spellings = [
        known,
        known.rstrip("="),
        known.replace("/", "\\/"),
        known.replace("+", "%2B").replace("/", "%2f").replace("=", "%3D"),
        known.replace("+", "\\u002b").replace("/", "\\u002F").replace("=", "\\u003d"),
    ]
    for spelling in spellings:
        assert remove_cryptogram(f'{{"a": "{spelling}"}}', known) == '{"a": "[removed]"}'
    other = "AB+/AAAAAAAAAAAAAAAAAAAAAAB="
    assert remove_cryptogram(other, known) == other
