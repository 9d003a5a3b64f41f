"""The API's door: addresses, methods, media types, sizes and names of hosts."""

from __future__ import annotations

import json

import pytest

from tests.sandbox.merchant import CHECKOUT, JSON, TRANSACTIONS, Answer, Merchant, checkout_body
from tests.tables import every

RIGHT = json.dumps(checkout_body("A"))
ONE_MIB = 1_048_576


def assert_refused_with_the_error_body(answer: Answer, *, status: int = 400) -> None:
    assert answer.status == status
    assert answer.headers["content-type"] == "application/json"
    assert set(answer.json) == {"code", "details"}
    assert isinstance(answer.code, str)
    assert answer.message


@every(
    "content_type",
    [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/json5",
        "json",
    ],
)
def test_another_media_type_is_415(merchant: Merchant, content_type: str) -> None:
    headers = {"Content-Type": content_type} if content_type else {}
    answer = merchant.send("POST", CHECKOUT, RIGHT.encode(), headers)
    assert_refused_with_the_error_body(answer, status=415)


@pytest.mark.parametrize("size", [ONE_MIB + 1, 3 * ONE_MIB])
def test_a_body_over_one_mib_is_read_out_and_answered_413(merchant: Merchant, size: int) -> None:
    answer = merchant.send("POST", CHECKOUT, b" " * size, JSON)
    assert_refused_with_the_error_body(answer, status=413)
    assert merchant.checkout("A").status == 200


def test_a_chunked_body_over_one_mib_is_413_too(merchant: Merchant) -> None:
    chunks = [b" " * 300_000] * 5
    connection = merchant._connection
    connection.request("POST", CHECKOUT, iter(chunks), JSON, encode_chunked=True)
    with connection.getresponse() as response:
        assert response.status == 413
        response.read()


@every(
    "path",
    ["/api/", "/api/v5", "/api/v5/", "/api/v5/checkout/", "/api/v4/checkout", "/api/v5/Checkout", "/api/%00"],
)
@every("method", ["GET", "POST", "DELETE"])
def test_an_unknown_address_is_404(merchant: Merchant, path: str, method: str) -> None:
    answer = merchant.send(method, path, b"{}", JSON)
    assert_refused_with_the_error_body(answer, status=404)


@every(
    ("path", "allowed"), [(CHECKOUT, {"POST"}), (TRANSACTIONS, {"GET", "POST"})], ids=["checkout", "other"]
)
@every("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"])
def test_another_method_is_405_and_says_which_are_right(
    merchant: Merchant, path: str, allowed: set[str], method: str
) -> None:
    answer = merchant.send(method, path, RIGHT.encode(), JSON)
    if method in allowed:
        assert answer.status != 405
    else:
        assert_refused_with_the_error_body(answer, status=405)
        assert set(answer.headers["allow"].split(", ")) == allowed


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "a b"], ids=repr)
def test_a_request_for_another_name_is_refused(merchant: Merchant, host: str) -> None:
    answer = merchant.send("POST", CHECKOUT, RIGHT.encode(), JSON | {"Host": host})
    assert_refused_with_the_error_body(answer)
