"""The table of endpoints, against the interface, section Endpoints."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from tests.tables import every
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
    Endpoint,
)


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


def test_every_endpoint_has_a_name_of_its_own() -> None:
    assert [endpoint.name for endpoint in ENDPOINTS] == [
        "checkout",
        "follow_up",
        "detached_refund",
        "status",
        "public_key",
        "create_payment_account",
        "get_payment_account",
        "authorization",
    ]


def test_the_type_of_a_body_tells_what_is_done() -> None:
    assert dict(OPERATIONS) == {
        "ecom.capture": "capture",
        "ecom.refund": "refund",
        "ecom.reversalPreauthorization": "reversal",
        "detached.refund": "detached_refund",
    }


def test_a_checkout_is_no_operation_on_an_earlier_transaction() -> None:
    assert not OPERATIONS.keys() & {kind.value for kind in CheckoutType}


def test_the_table_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        CHECKOUT.path = "/x"  # type: ignore[misc]
    with pytest.raises(TypeError):
        OPERATIONS["ecom.sale"] = "sale"  # type: ignore[index]
