"""The operations of the admin: what is left for each, why nothing is left, and what a dead gateway does."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import Settings

from tests.admin.conftest import PaidOrder, payment_of
from tests.models.rows import a_payment
from wallet_gateway.admin.operation_registry import (
    BY_KIND,
    BY_SLUG,
    CAPTURE,
    REFUND,
    REVERSE,
    NotDone,
    Operation,
    execute,
)
from wallet_gateway.admin.permissions import OF_KIND
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.protocol.money import Money

pytestmark = pytest.mark.django_db


def test_each_operation_has_its_own_permission_and_address() -> None:
    assert set(BY_SLUG) == {"capture", "refund", "reversal"}
    for kind, operation in BY_KIND.items():
        assert OF_KIND[kind] == operation.permission
        assert operation.reasons[-1][0] == "other"


def test_what_is_left_is_what_the_domain_says() -> None:
    payment = a_payment(authorized=2000, captured=500, refunded=100, capture_reserved=300)

    assert str(CAPTURE.available_of(payment)) == "12.00 EUR"
    assert str(REFUND.available_of(payment)) == "4.00 EUR"
    assert str(REVERSE.available_of(payment)) == "0.00 EUR"


@pytest.mark.parametrize(
    ("columns", "operation", "why"),
    [
        ({"authorized": 2000, "captured": 2000}, CAPTURE, "Nothing is left to capture."),
        (
            {"authorized": 2000, "captured": 2000, "refunded": 2000},
            REFUND,
            "Nothing is left to refund.",
        ),
        ({"authorized": 2000}, REFUND, "Nothing is captured."),
        (
            {"authorized": 2000, "captured": 1},
            REVERSE,
            "A capture has been made or is under way. Refund it instead of reversing.",
        ),
        (
            {"authorized": 2000, "is_frozen": True},
            CAPTURE,
            "The payment is frozen because of a difference. Decide on the difference first.",
        ),
    ],
)
def test_why_nothing_is_left_is_said(columns: dict[str, Any], operation: Operation, why: str) -> None:
    payment = a_payment(**columns)
    assert operation.available_of(payment).minor_units == 0
    assert operation.why_not_of(payment) == why


def test_an_order_whose_gateway_is_gone_is_told_and_nothing_is_done(
    paid_order: PaidOrder, settings: Settings
) -> None:
    order = paid_order()
    payment = payment_of(order)
    payment.order.gateway = "elsewhere"

    with pytest.raises(NotDone, match="elsewhere"):
        execute(
            CAPTURE,
            payment,
            Money.parse("1.00", "EUR"),
            key="k",
            by="anna",
            reason_code="shipped",
            comment="",
        )
    assert not GatewayTransaction.objects.filter(kind="CAPTURE").exists()


def test_what_never_left_is_given_up_and_the_next_try_is_a_new_operation(
    paid_order: PaidOrder, settings: Settings
) -> None:
    payment = payment_of(paid_order())
    alive = settings.WALLET_GATEWAY
    default = alive["GATEWAYS"]["default"]
    settings.WALLET_GATEWAY = alive | {"GATEWAYS": {"default": default | {"BASE_URL": "http://127.0.0.1:9"}}}
    with pytest.raises(NotDone, match="nothing is reserved"):
        execute(
            CAPTURE,
            payment,
            Money.parse("1.00", "EUR"),
            key="k1",
            by="anna",
            reason_code="shipped",
            comment="",
        )
    settings.WALLET_GATEWAY = alive

    transaction = execute(
        CAPTURE, payment, Money.parse("20.00", "EUR"), key="k2", by="anna", reason_code="shipped", comment=""
    )

    assert transaction.state == TransactionState.APPROVED
    states = GatewayTransaction.objects.filter(kind="CAPTURE").order_by("pk").values_list("state", flat=True)
    assert list(states) == ["ABANDONED", "APPROVED"]
