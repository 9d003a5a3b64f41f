"""Hostile bodies: each is refused in our shape, whole, and never with a fault of the server's."""

from __future__ import annotations

import json
from io import BytesIO

import pytest
from django.http.request import UnreadablePostError

from tests.api.browser import Browser
from tests.tables import every
from wallet_gateway.models import PaymentOrder, WalletAttempt

pytestmark = pytest.mark.django_db
KINDS = ["session", "reference", "price", "result"]
MOST = 16 * 1024


@pytest.fixture
def browser(order: PaymentOrder) -> Browser:
    browser = Browser()
    browser.open(order)
    return browser


NO_JSON: dict[str, bytes] = {
    "nothing-but-space": b"  ",
    "half": b'{"reference": "A',
    "deep-lists": b"[" * 8_000,
    "deep-objects": b'{"a":' * 2_000 + b"1" + b"}" * 2_000,
    "bad-utf-8": b'{"reference": "\xff\xfe"}',
    "utf-16": '{"reference": "A"}'.encode("utf-16"),
    "two-byte-order-marks": b'\xef\xbb\xbf\xef\xbb\xbf{"reference": "A"}',
    "half-a-surrogate": b'{"reference": "\\ud800"}',
    "duplicate": b'{"reference": "A", "reference": "B"}',
    "duplicate-in-another-case": b'{"reference": "A", "Reference": "B"}',
    "not-a-number": b'{"reference": NaN}',
    "infinity": b'{"reference": -Infinity}',
    "two-values": b'{"reference": "A"} {"reference": "B"}',
    "list": b'[{"reference": "A"}]',
    "text": b'"reference"',
    "number": b"1" * 5_000,
    "null": b"null",
    "form": b"reference=A&csrfmiddlewaretoken=x",
    "nul-bytes": b"\x00" * 100,
}


@every("body", NO_JSON.values(), ids=NO_JSON)
def test_what_is_no_object_in_strict_json_is_refused_whole(
    order: PaymentOrder, browser: Browser, body: bytes
) -> None:
    # A result is counted by the throttle before it is read.
    for kind in ("price", "event"):
        answer = browser.post(kind, order, body)
        assert (answer.status_code, answer.json()["code"]) == (400, "parse_error")
    assert not WalletAttempt.objects.filter(results_count__gt=0).exists()


@every(
    "content_type",
    [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "*/*",
        "application/*",
        "application/json; charset=latin-1",
        "application/json; charset=utf-16",
        "application/problem+json",
        "text/plain; application/json",
    ],
)
def test_only_json_in_utf_8_is_taken(order: PaymentOrder, browser: Browser, content_type: str) -> None:
    for kind in KINDS:
        answer = browser.post(kind, order, b'{"reference": "A"}', content_type=content_type)
        assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


@every("kind", KINDS)
def test_a_body_above_16_kilobytes_is_refused_unread(
    order: PaymentOrder, browser: Browser, kind: str
) -> None:
    answer = browser.post(kind, order, json.dumps({"reference": "A" * MOST}))
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@every("length", ["-1", "1e3", "١٢", "9" * 400, " 12"])
def test_a_length_that_is_no_number_is_no_fault_of_ours(
    order: PaymentOrder, browser: Browser, length: str
) -> None:
    # As long as the longest that is read: the test client fails where a server would wait for more.
    body = b" " * (MOST + 1)
    assert browser.post("session", order, body, CONTENT_LENGTH=length).status_code < 500


class Cut(BytesIO):
    """The body of a customer who goes away in the middle."""

    def read(self, *_: object) -> bytes:
        raise UnreadablePostError("gone")


def test_a_customer_who_goes_away_in_the_middle_is_no_fault_of_ours(
    order: PaymentOrder, browser: Browser
) -> None:
    cut = {"wsgi.input": Cut(), "CONTENT_LENGTH": "9"}
    assert browser.post("price", order, {}, **cut).json()["code"] == "parse_error"


def test_a_refusal_does_not_repeat_the_body(order: PaymentOrder, browser: Browser) -> None:
    answer = browser.post("result", order, b'{"cryptogram": "AgAAAAABk4DWZ4C28yUQAAAAAAA=", "cryptogram": 1}')
    assert "cryptogram" not in answer.content.decode()
