"""Orders that are paid through the sandbox."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from pytest_django import Settings

from tests.support.tables import every
from wallet_gateway.testing.configuration import BUILT_IN_MERCHANT
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.orders import create_order, pay

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("outcome", "state"), [("success", "PAID"), ("refused", "FAILED"), ("pending", "PENDING")]
)
def test_an_order_stands_as_it_was_decided(wallet_sandbox: SandboxControl, outcome: str, state: str) -> None:
    assert pay(create_order(), control=wallet_sandbox, outcome=outcome).state == state


def test_an_order_of_another_gateways_merchant_is_paid(
    wallet_sandbox: SandboxControl, settings: Settings
) -> None:
    ids = {"MERCHANT_ID": "OUTLET", "STORE_ID": "S", "USER_ID": "u", "PROVIDER": "OtherV2"}
    wallet_sandbox.add_merchant(merchant_id="OUTLET", store_id="S", user_id="u", provider="OtherV2")
    known = settings.WALLET_GATEWAY["GATEWAYS"]
    outlet = BUILT_IN_MERCHANT | ids | {"BASE_URL": wallet_sandbox.base_url}
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"GATEWAYS": known | {"outlet": outlet}}
    assert pay(create_order(gateway="outlet"), control=wallet_sandbox).is_paid


@every(
    ("given", "amount"),
    [
        ({}, "25.00 EUR"),
        ({"amount": Decimal("3.10"), "currency": "USD"}, "3.10 USD"),
        ({"type": "preauthorization"}, "25.00 EUR"),
    ],
)
def test_an_order_has_what_is_given_and_is_complete_otherwise(
    given: dict[str, Any], amount: str, wallet_sandbox: SandboxControl
) -> None:
    order = create_order(**given)
    assert str(order.amount) == amount
    assert order.type == given.get("type", "sale")
