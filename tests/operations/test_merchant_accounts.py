"""A transaction keeps the account that it was sent under, whatever the settings name later."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.operations.conftest import Pay, VirtualClock
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import TransactionEvent
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.maintenance import retention
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.merchant_accounts import foreign_merchant_account
from wallet_gateway.protocol.cart_lines import Item


def moved_to(context: GatewayContext, **account: Any) -> GatewayContext:
    """The same gateway after the settings have changed."""
    gateway = context.gateway
    moved = Gateway(account=replace(gateway.account, **account), transport=gateway._transport)
    return replace(context, gateway=moved)


def test_the_account_of_the_settings_is_not_foreign(pay: Pay, context: GatewayContext) -> None:
    assert foreign_merchant_account(pay().opening, context) == ""


def test_an_account_that_the_settings_no_longer_name_is_named(pay: Pay, context: GatewayContext) -> None:
    sent = pay().opening
    for account in ({"merchant_id": "NEW"}, {"store_id": "NEW"}):
        found = foreign_merchant_account(sent, moved_to(context, **account))
        assert found == "merchantId SANDBOX-MERCHANT, storeId SANDBOX-STORE"


def test_after_retention_the_account_is_still_known(
    pay: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    sent = pay().opening
    clock.advance(minutes=60 * 24 * 401)
    retention.erase_old_bodies(clock=clock, kept=timedelta(days=400))
    sent.refresh_from_db()
    assert "SANDBOX-STORE" in foreign_merchant_account(sent, moved_to(context, store_id="NEW"))


def test_a_page_of_a_cart_whose_stored_body_was_cut_expires_like_any_other(
    open_page: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    items = [
        Item(product_id=f"P{n}", product_name="n" * 90, unit_amount=Decimal("1.00"), quantity=1)
        for n in range(150)
    ]
    opening = open_page(items=items, amount=None).opening
    stored = TransactionEvent.objects.get(transaction=opening).request_body
    with pytest.raises(json.JSONDecodeError):
        json.loads(stored)
    while opening.state == TransactionState.OPEN:
        clock.advance_to(opening.next_query_at)
        sweep(context=context)
        opening.refresh_from_db()
    assert opening.state == TransactionState.EXPIRED
