"""The operations of the admin: what is left for each, why nothing is left, and what a dead gateway does."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import Settings

from tests.admin.conftest import PaidOrder, payment_of
from tests.models.rows import a_payment
from wallet_gateway.admin.operation_registry import (
    CAPTURE,
    REFUND,
    REVERSE,
    NotDone,
    Operation,
    execute,
)
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.protocol.money import Money

pytestmark = pytest.mark.django_db


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
