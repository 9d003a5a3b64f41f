"""What a request asks for, told from its bytes alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.sandbox.merchant import CHECKOUT, TRANSACTIONS, checkout_body, detached_body, follow_up_body
from tests.tables import every
from wallet_gateway.protocol.checkout import CheckoutRequest
from wallet_gateway.protocol.follow_ups import DetachedRefundRequest, FollowUpRequest
from wallet_gateway.sandbox.api.request_parser import (
    Operation,
    ParsedRequest,
    RawRequest,
    parse_request,
)
from wallet_gateway.sandbox.refusals import (
    BodyTooLarge,
    Refusal,
    SchemaValidationError,
    UnknownPath,
    UnsupportedMediaType,
)
from wallet_gateway.sandbox.server.bodies import MAX_BODY_BYTES

STATUS_QUERY = "merchantId=M&storeId=S&clientSystemTransactionId=A"


def posted(
    body: object, *, path: str = TRANSACTIONS, content_type: str = "application/json"
) -> ParsedRequest:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    raw = RawRequest(
        method="POST", path=path, content_type=content_type, body=data, base_url="http://gateway.example"
    )
    return parse_request(raw)


def queried(query: str) -> ParsedRequest:
    raw = RawRequest(method="GET", path=TRANSACTIONS, raw_query=query, base_url="http://gateway.example")
    return parse_request(raw)


@pytest.mark.parametrize(
    ("body", "path", "operation", "message"),
    [
        (checkout_body("A"), CHECKOUT, "checkout", CheckoutRequest),
        (follow_up_body("A", "B", type="ecom.capture"), TRANSACTIONS, "capture", FollowUpRequest),
        (follow_up_body("A", "B", type="ecom.refund"), TRANSACTIONS, "refund", FollowUpRequest),
        (
            follow_up_body("A", "B", type="ecom.reversalPreauthorization"),
            TRANSACTIONS,
            "reversal",
            FollowUpRequest,
        ),
        (detached_body("A", "B"), TRANSACTIONS, "detached_refund", DetachedRefundRequest),
    ],
    ids=["checkout", "capture", "refund", "reversal", "detached refund"],
)
def test_a_request_is_its_operation_and_its_message(
    body: dict[str, Any], path: str, operation: str, message: type
) -> None:
    parsed = posted(body, path=path)
    assert parsed.operation == operation
    assert isinstance(parsed.message, message)
    assert parsed.unknown_fields == ()


@every("name", ["type", "Type", "TYPE"])
@every("value", ["ecom.capture", "ECOM.CAPTURE", "Ecom.Capture"])
def test_the_type_is_found_in_any_letter_case(name: str, value: str) -> None:
    body = follow_up_body("A", "B")
    del body["type"]
    assert posted({name: value} | body).operation is Operation.CAPTURE


@every(
    ("parsed", "refusal", "operation"),
    [
        (lambda: posted(b"{", path=CHECKOUT), SchemaValidationError, Operation.CHECKOUT),
        (lambda: posted(b"[]"), SchemaValidationError, None),
        (lambda: posted(b" " * (MAX_BODY_BYTES + 1)), BodyTooLarge, None),
        (lambda: posted({}, content_type="text/plain"), UnsupportedMediaType, None),
        (lambda: posted({}, content_type=""), UnsupportedMediaType, None),
        (lambda: posted({}, path="/api/v5/elsewhere"), UnknownPath, None),
        (lambda: queried("merchantId=M"), SchemaValidationError, Operation.STATUS),
        (lambda: queried(f"{STATUS_QUERY}&STOREID=T"), SchemaValidationError, Operation.STATUS),
        (lambda: queried("a=%FF"), SchemaValidationError, Operation.STATUS),
        (lambda: queried("&".join(f"a{number}=" for number in range(101))), SchemaValidationError, "status"),
    ],
    ids=[
        "no JSON",
        "no object",
        "too large",
        "media type",
        "no media type",
        "address",
        "parameter missing",
        "parameter twice",
        "no UTF-8",
        "too many",
    ],
)
def test_what_cannot_be_understood_is_the_refusal_it_earns(
    parsed: Callable[[], ParsedRequest], refusal: type[Refusal], operation: Operation | None
) -> None:
    found = parsed()
    assert type(found.message) is refusal
    assert found.operation == operation
