"""A corpus of requests that are wrong: each is answered 4xx with the error body, quickly, and never 5xx."""

from __future__ import annotations

import json
import time
from typing import Any

from tests.sandbox.merchant import (
    CHECKOUT,
    JSON,
    TRANSACTIONS,
    Answer,
    Merchant,
    checkout_body,
    follow_up_body,
)
from tests.tables import every
from wallet_gateway.testing.control import SandboxControl

RIGHT = json.dumps(checkout_body("A"))

BODIES: dict[str, bytes] = {
    "nothing": b"",
    "blank": b"   ",
    "no JSON": b"hello",
    "a form": b"merchantId=1&amount=10",
    "XML": b"<checkout/>",
    "cut off": RIGHT[:-20].encode(),
    "two documents": (RIGHT + RIGHT).encode(),
    "rest after the end": (RIGHT + "x").encode(),
    "trailing comma": (RIGHT[:-1] + ",}").encode(),
    "single quotes": RIGHT.replace('"', "'").encode(),
    "a comment": (RIGHT[:-1] + "/* hi */}").encode(),
    "two byte order marks": b"\xef\xbb\xbf" * 2 + RIGHT.encode(),
    "UTF-16": RIGHT.encode("utf-16"),
    "Latin-1": checkout_body("A", providerDiscretionaryData="caf\u00e9").__repr__().encode("latin-1"),
    "half a character": b'{"a":"\xc3"}',
    "overlong UTF-8": b'{"a":"\xc0\xaf"}',
    "half a surrogate pair": b'{"a":"\\ud800"}',
    "control character": b'{"a":"\x01"}',
    "NaN": RIGHT.replace('"10.00"', "NaN").encode(),
    "Infinity": RIGHT.replace('"10.00"', "-Infinity").encode(),
    "hexadecimal": RIGHT.replace('"10.00"', "0x10").encode(),
    "leading zero": RIGHT.replace('"10.00"', "010").encode(),
    "plus sign": RIGHT.replace('"10.00"', "+10").encode(),
    "an array": b"[]",
    "an array of requests": f"[{RIGHT}]".encode(),
    "a text": b'"text"',
    "a number": b"10",
    "null": b"null",
    "true": b"true",
    "an empty object": b"{}",
    "duplicate key": RIGHT.replace("{", '{"amount":"1.00",', 1).encode(),
    "colliding keys": RIGHT.replace("{", '{"Amount":"1.00",', 1).encode(),
    "both carts": (RIGHT[:-1] + ',"shoppingCartDetails":{},"shoppingCardDetails":{}}').encode(),
    "deep array": b"[" * 5_000 + b"]" * 5_000,
    "deep object": b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    "deep and open": b"[" * 400_000,
    "deep inside a field": (RIGHT[:-1] + ',"x":' + "[" * 50 + "]" * 50 + "}").encode(),
    "huge number": RIGHT.replace('"10.00"', "1" * 100_000).encode(),
    "huge exponent": RIGHT.replace('"10.00"', "1e999999999").encode(),
    "many backslashes": b'{"a":"' + b"\\" * 99_999 + b'"}',
    "many keys of one name": b"{" + b'"a":1,' * 50_000 + b'"a":1}',
}

VALUES: dict[str, Any] = {
    "empty": "",
    "blank": " ",
    "comma": "10,00",
    "sign": "-10.00",
    "plus": "+10.00",
    "exponent": "1e3",
    "NaN text": "NaN",
    "thousands": "1.000.00",
    "apostrophe": "1'000.00",
    "too fine": "10.001",
    "zero": "0.00",
    "too long": "123456789012345",
    "Arabic digits": "\u0661\u0660.\u0660\u0660",
    "full width digits": "\uff11\uff10",
    "white space around": " 10.00 ",
    "inner line break": "10\n.00",
    "NUL": "10.00\x00",
    "currency sign": "\u20ac10.00",
    "true": True,
    "null": None,
    "list": ["10.00"],
    "object": {"amount": "10.00"},
    "negative number": -10,
    "number in exponent notation": 1e22,
}


def assert_refused_with_the_error_body(answer: Answer, *, status: int = 400) -> None:
    assert answer.status == status
    assert answer.headers["content-type"] == "application/json"
    assert set(answer.json) == {"code", "details"}
    assert isinstance(answer.code, str)
    assert answer.message


@every("path", [CHECKOUT, TRANSACTIONS])
@every("body", BODIES.values(), ids=BODIES)
def test_a_malformed_body_is_400_at_once(merchant: Merchant, path: str, body: bytes) -> None:
    started = time.monotonic()
    answer = merchant.send("POST", path, body, JSON)
    assert time.monotonic() - started < 10
    assert_refused_with_the_error_body(answer)
    assert answer.code == "4107940"
    assert answer.message.startswith("SchemaValidationError: ")


@every("value", VALUES.values(), ids=VALUES)
def test_a_malformed_amount_names_the_field(merchant: Merchant, value: object) -> None:
    for body, path in (
        (checkout_body("A", amount=value), CHECKOUT),
        (follow_up_body("B", "A", amount=value), TRANSACTIONS),
    ):
        answer = merchant.post(path, body)
        assert_refused_with_the_error_body(answer)
        assert "amount" in answer.message


@every("field", sorted(checkout_body("A")))
def test_every_mandatory_field_of_a_checkout_is_missed(merchant: Merchant, field: str) -> None:
    body = checkout_body("A")
    del body[field]
    answer = merchant.post(CHECKOUT, body)
    assert_refused_with_the_error_body(answer)
    assert field in answer.message


@every("field", sorted(follow_up_body("B", "A")))
def test_every_mandatory_field_of_a_follow_up_is_missed(merchant: Merchant, field: str) -> None:
    body = follow_up_body("B", "A")
    del body[field]
    answer = merchant.post(TRANSACTIONS, body)
    assert_refused_with_the_error_body(answer)
    assert field in answer.message


def test_the_corpus_left_nothing_behind(merchant: Merchant, control: SandboxControl) -> None:
    for body in BODIES.values():
        merchant.send("POST", CHECKOUT, body, JSON)
    assert len(control.journal()) == len(BODIES)
    assert merchant.records("A") == []
    assert merchant.checkout("A").status == 200
