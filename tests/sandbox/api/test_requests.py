"""The service's door: addresses, methods, media types, sizes, names of hosts, and pages of which sites."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from tests.sandbox.merchant import (
    CHECKOUT,
    JSON,
    TRANSACTIONS,
    Answer,
    Merchant,
    checkout_body,
    new_reference,
)
from tests.sandbox.wallet_buyer import ACCOUNTS, AUTHORIZATIONS, KEYS, Buyer
from tests.support.tables import every
from wallet_gateway.testing.control import SandboxControl

RIGHT = json.dumps(checkout_body("A")).encode()
ONE_MIB = 1_048_576


NOWHERE = (
    "/api/",
    "/api/v5",
    "/api/v5/",
    "/api/v5/checkout/",
    "/api/v4/checkout",
    "/api/v5/Checkout",
    "/api/%00",
)
MEDIA_TYPES = ("text/plain", "application/x-www-form-urlencoded", "application/json5", "json")
OTHER_METHODS = ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW")
ALLOWED = {CHECKOUT: {"POST"}, TRANSACTIONS: {"GET", "POST"}}
REFUSED: list[tuple[str, str, bytes, dict[str, str], int, str]] = [
    ("POST", CHECKOUT, RIGHT, {}, 415, "4415001"),
    *(("POST", CHECKOUT, RIGHT, {"Content-Type": one}, 415, "4415001") for one in MEDIA_TYPES),
    *(("POST", CHECKOUT, one, JSON, 400, "4107940") for one in (b"{", b"[]", b'{"a":1,"A":2}', b"\xff")),
    *((method, one, b"{}", JSON, 404, "4404001") for one in NOWHERE for method in ("GET", "POST", "DELETE")),
    *((method, CHECKOUT, RIGHT, JSON, 405, "4405001") for method in ("GET", *OTHER_METHODS)),
    *((method, TRANSACTIONS, RIGHT, JSON, 405, "4405001") for method in OTHER_METHODS),
    *(
        ("POST", CHECKOUT, RIGHT, JSON | {"Host": host}, 400, "4400000")
        for host in ("evil.example", "127.0.0.1.evil.example", "", "a b")
    ),
]


def assert_refused(answer: Answer, status: int, code: str) -> None:
    assert (answer.status, answer.headers["content-type"]) == (status, "application/json")
    assert set(answer.json) == {"code", "details"}
    assert answer.code == code
    assert answer.message


@every(("method", "path", "body", "headers", "status", "code"), REFUSED)
def test_what_is_no_call_of_the_service_is_refused_with_the_error_body(
    merchant: Merchant, method: str, path: str, body: bytes, headers: dict[str, str], status: int, code: str
) -> None:
    answer = merchant.send(method, path, body, headers)
    assert_refused(answer, status, code)
    if status == 405:
        assert set(answer.headers["allow"].split(", ")) == ALLOWED[path]


@every("chunks", [[b" " * (ONE_MIB + 1)], [b" " * ONE_MIB] * 3])
@every("chunked", [True, False])
def test_a_body_over_one_mib_is_read_out_and_answered_413(
    merchant: Merchant, chunks: list[bytes], chunked: bool
) -> None:
    body: bytes | Iterator[bytes] = iter(chunks) if chunked else b"".join(chunks)
    assert_refused(merchant.send("POST", CHECKOUT, body, JSON), 413, "4413001")


# Pages of which sites may create payment accounts

SHOP_ORIGIN = "https://shop.example"
LOOPBACK = ["http://127.0.0.1:8000", "http://localhost:3000", "http://[::1]:8000", "http://127.0.0.1"]
STRANGE = [
    "null",
    "",
    "https://evil.example",
    "http://127.0.0.1.evil.example:80",
    "http://127.0.0.1:8000.evil.example",
    "http://127.0.0.1:x",
    "http://127.0.0.1:8000/",
    "http://user@127.0.0.1:8000",
    "https://127.0.0.1:8000",
]
ASKING = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}


@every("origin", LOOPBACK)
def test_pages_of_this_machine_may_for_the_built_in_merchant_and_can_read_a_refusal(
    buyer: Buyer, origin: str
) -> None:
    for data, key, status in (
        (buyer.data(), buyer.headers["Authorization"], 200),
        ({}, buyer.headers["Authorization"], 400),
        (buyer.data(), "", 401),
    ):
        answer = buyer.create(data, headers={"Origin": origin, "Authorization": key})
        assert answer.status == status
        assert answer.headers["access-control-allow-origin"] == origin
        assert answer.headers["vary"] == "Origin"


@every("origin", STRANGE)
def test_pages_of_others_may_not(buyer: Buyer, origin: str) -> None:
    data = buyer.data()
    answer = buyer.create(data, headers={"Origin": origin})
    assert (answer.status, answer.code) == (403, "4403005")
    assert "access-control-allow-origin" not in answer.headers
    assert buyer.create(data).status == 200


def test_a_browser_is_told_in_advance_and_waits_for_no_fault(
    merchant: Merchant, control: SandboxControl
) -> None:
    control.add_merchant(merchant_id="SHOP", store_id="S", user_id="u", origins=(SHOP_ORIGIN,))
    control.fault("*", "drop_before")
    for origin in (*LOOPBACK, SHOP_ORIGIN):
        answer = merchant.send("OPTIONS", ACCOUNTS, headers=ASKING | {"Origin": origin})
        assert (answer.status, answer.body) == (204, b"")
        assert answer.headers["access-control-allow-origin"] == origin
        assert answer.headers["access-control-allow-methods"] == "POST"
        assert answer.headers["access-control-allow-headers"] == "Authorization, Content-Type"
        assert answer.headers["vary"] == "Origin"
    assert control.journal() == []


@pytest.mark.parametrize("path", [KEYS, AUTHORIZATIONS, f"{ACCOUNTS}/x"])
def test_no_other_operation_is_for_browsers(merchant: Merchant, path: str) -> None:
    answer = merchant.send("OPTIONS", path, headers=ASKING | {"Origin": LOOPBACK[0]})
    assert answer.status == 405
    assert not [name for name in answer.headers if name.startswith("access-control")]


# The form of answers


def names_in(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from names_in(part)


@every(
    ("letter_case", "pattern"),
    [("canonical", r"[a-z][A-Za-z0-9]*"), ("pascal", r"[A-Z][A-Za-z0-9]*"), ("lower", r"[a-z0-9]+")],
)
def test_every_name_of_every_answer_is_in_the_letter_case_asked_for(
    merchant: Merchant, control: SandboxControl, reserved: str, deposit: str, letter_case: str, pattern: str
) -> None:
    control.behaviour(letter_case=letter_case)
    answers = [
        merchant.checkout(new_reference()),
        merchant.capture(new_reference(), reserved, "1.00"),
        merchant.detached(new_reference(), deposit, "1.00"),
        merchant.status(reserved),
        merchant.refund(new_reference(), "unknown"),
        merchant.send("GET", "/api/v5/nowhere"),
    ]
    names = [name for answer in answers for name in names_in(answer.json)]
    assert len(names) > 40
    assert [name for name in names if not re.fullmatch(pattern, name)] == []


def test_a_text_amount_becomes_a_number_where_asked_for(
    merchant: Merchant, control: SandboxControl, deposit: str
) -> None:
    assert b'"amount":"12.50"' in merchant.detached(new_reference(), deposit, "12.50").body
    control.behaviour(numeric_amounts=True)
    assert b'"amount":12.50' in merchant.detached(new_reference(), deposit, "12.50").body
