"""The table of endpoints, against the interface, section Endpoints."""

from __future__ import annotations

import pytest

from tests.tables import every
from wallet_gateway.protocol.authorizations import AuthorizationType
from wallet_gateway.protocol.checkout import CheckoutType
from wallet_gateway.protocol.endpoints import (
    AUTHORIZATION,
    CHECKOUT,
    CREATE_PAYMENT_ACCOUNT,
    DETACHED_REFUND,
    ENDPOINTS,
    FOLLOW_UP,
    GET_PAYMENT_ACCOUNT,
    OPERATIONS,
    PUBLIC_KEY,
    STATUS,
    WIRE_TYPES,
    Endpoint,
    wire_type,
)
from wallet_gateway.protocol.follow_ups import DETACHED_REFUND_TYPE, FollowUpType


@every(
    ("endpoint", "method", "path"),
    [
        (CHECKOUT, "POST", "/api/v5/checkout"),
        (FOLLOW_UP, "POST", "/api/v5/apmTransactions"),
        (DETACHED_REFUND, "POST", "/api/v5/apmTransactions"),
        (STATUS, "GET", "/api/v5/apmTransactions"),
        (PUBLIC_KEY, "POST", "/api/v5/publicKeys"),
        (CREATE_PAYMENT_ACCOUNT, "POST", "/api/v5/paymentAccounts"),
        (GET_PAYMENT_ACCOUNT, "GET", "/api/v5/paymentAccounts/{transactionAccountId}"),
        (AUTHORIZATION, "POST", "/api/v5/transactions"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_an_endpoint_has_the_method_and_path_of_the_interface(
    endpoint: Endpoint, method: str, path: str
) -> None:
    assert (endpoint.method, endpoint.path) == (method, path)
    assert endpoint in ENDPOINTS


def test_the_type_of_a_body_tells_what_is_done() -> None:
    assert dict(OPERATIONS) == {
        "ecom.capture": "capture",
        "ecom.refund": "refund",
        "ecom.reversalPreauthorization": "reversal",
        "detached.refund": "detached_refund",
    }


@pytest.mark.parametrize(
    ("operation", "payment_type", "expected"),
    [
        ("checkout", "sale", "ecom.sale"),
        ("CHECKOUT", "preauthorization", "ecom.preAuthorization"),
        ("AUTHORIZATION", "sale", "ecom.sale"),
        ("authorization", "preauthorization", "ecom.preauthorization"),
        ("CAPTURE", "", "ecom.capture"),
        ("refund", "sale", "ecom.refund"),
        ("REVERSAL", "preauthorization", "ecom.reversalPreauthorization"),
        ("DETACHED_REFUND", "", "detached.refund"),
    ],
)
def test_each_operation_has_its_type_on_the_wire(operation: str, payment_type: str, expected: str) -> None:
    assert wire_type(operation, payment_type) == expected


@pytest.mark.parametrize("operation", ["checkout", "authorization"])
def test_an_original_has_no_type_without_its_payment_type(operation: str) -> None:
    with pytest.raises(KeyError):
        wire_type(operation)


def test_every_value_of_the_wire_enumerations_is_in_the_table() -> None:
    values = {kind.value for kinds in (CheckoutType, AuthorizationType, FollowUpType) for kind in kinds}
    assert set(WIRE_TYPES.values()) == values | {DETACHED_REFUND_TYPE}
