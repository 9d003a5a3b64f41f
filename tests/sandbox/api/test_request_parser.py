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
from wallet_gateway.protocol.status import StatusQuery
from wallet_gateway.sandbox.api.request_parser import (
    Operation,
    ParsedRequest,
    RawRequest,
    allowed_methods,
    parse_request,
)
from wallet_gateway.sandbox.refusals import (
    BodyTooLarge,
    MethodNotAllowed,
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


def test_a_query_is_a_message_too() -> None:
    parsed = queried(STATUS_QUERY)
    assert parsed.operation is Operation.STATUS
    assert parsed.message == StatusQuery.build(
        merchant_id="M", store_id="S", client_system_transaction_id="A"
    )


@every("name", ["type", "Type", "TYPE"])
@every("value", ["ecom.capture", "ECOM.CAPTURE", "Ecom.Capture"])
def test_the_type_is_found_in_any_letter_case(name: str, value: str) -> None:
    body = follow_up_body("A", "B")
    del body["type"]
    assert posted({name: value} | body).operation is Operation.CAPTURE


@pytest.mark.parametrize("value", ["ecom.sale", "", None, 7, ["ecom.refund"]], ids=repr)
def test_an_unknown_type_is_no_operation(value: object) -> None:
    parsed = posted(follow_up_body("A", "B") | {"type": value})
    assert parsed.operation is None
    assert isinstance(parsed.message, SchemaValidationError)
    assert "type: " in str(parsed.message)


def test_a_wrong_message_keeps_its_operation_and_its_unknown_fields() -> None:
    parsed = posted(checkout_body("A", amount="x", colour="red"), path=CHECKOUT)
    assert parsed.operation is Operation.CHECKOUT
    assert isinstance(parsed.message, SchemaValidationError)
    assert parsed.unknown_fields == ("colour",)


def test_unknown_parameters_are_told_as_well() -> None:
    assert queried(f"{STATUS_QUERY}&page=2").unknown_fields == ("page",)


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


def test_another_method_is_refused_with_the_right_ones() -> None:
    raw = RawRequest(method="PUT", path=TRANSACTIONS, base_url="http://gateway.example")
    parsed = parse_request(raw)
    assert isinstance(parsed.message, MethodNotAllowed)
    assert "GET or POST, not 'PUT'" in str(parsed.message)


def test_each_address_has_its_methods() -> None:
    assert allowed_methods(CHECKOUT) == ("POST",)
    assert allowed_methods(TRANSACTIONS) == ("GET", "POST")
    assert allowed_methods("/api/v5/elsewhere") == ()
