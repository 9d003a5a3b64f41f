"""A transaction keeps the account that it was sent under, whatever the settings name later."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.client.servers import unused_port
from tests.operations.conftest import MakeContext, MakeOrder, Pay, Start, VirtualClock
from tests.refusals import refuses
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.models import GatewayTransaction, TransactionEvent
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import GatewayRefused, GatewayUnreachable, InvalidState
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund, reverse
from wallet_gateway.operations.follow_ups.execute import Initiator
from wallet_gateway.operations.follow_ups.resend import send_again
from wallet_gateway.operations.maintenance import retention
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.merchant_accounts import foreign_merchant_account
from wallet_gateway.protocol.cart_lines import Item
from wallet_gateway.testing.control import SandboxControl


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


# What follows a payment goes to the account that it was made with


CHANGED = {"gateway": "default", "used": "merchantId SANDBOX-MERCHANT, storeId SANDBOX-STORE"}


@pytest.mark.parametrize("verb", [capture, refund, reverse])
def test_nothing_follows_a_payment_of_a_former_account(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, verb: Callable[..., GatewayTransaction]
) -> None:
    payment = pay(type="sale" if verb is refund else "preauthorization")
    moved = moved_to(context, merchant_id="NEW")
    before = len(wallet_sandbox.journal())
    with refuses(InvalidState, ErrorCode.MERCHANT_ACCOUNT_CHANGED, **CHANGED) as refused:
        verb(payment=payment, context=moved)
    assert refused.value.params["now"] == "merchantId NEW, storeId SANDBOX-STORE"
    assert len(wallet_sandbox.journal()) == before
    payment.refresh_from_db()
    assert (payment.capture_reserved, payment.refund_reserved, payment.reversal) == (0, 0, Reversal.NONE)
    assert payment.transactions.count() == 1
    assert verb(payment=payment, context=context).state == TransactionState.APPROVED


def test_a_repeated_key_still_brings_what_was_done_before(pay: Pay, context: GatewayContext) -> None:
    who = Initiator(idempotency_key="R-1")
    payment = pay()
    done = refund(payment=payment, context=context, who=who)
    assert refund(payment=payment, context=moved_to(context, store_id="NEW"), who=who) == done


def test_what_never_left_does_not_leave_under_another_account(
    pay: Pay, make_context: MakeContext, context: GatewayContext, clock: VirtualClock
) -> None:
    unreachable = make_context(f"http://127.0.0.1:{unused_port()}")
    unsent = refund(payment=pay(), context=unreachable)
    assert unsent.state == TransactionState.NOT_SENT
    moved = moved_to(context, merchant_id="NEW")
    with refuses(InvalidState, ErrorCode.MERCHANT_ACCOUNT_CHANGED, **CHANGED):
        send_again(unsent, context=moved)
    clock.advance_to(unsent.next_send_at)
    sweep(context=moved)
    unsent.refresh_from_db()
    assert (unsent.state, unsent.needs_operator, unsent.next_send_at) == (
        TransactionState.NOT_SENT,
        True,
        None,
    )
    assert send_again(unsent, context=context).state == TransactionState.APPROVED


def test_a_page_that_was_never_requested_is_requested_under_the_account_of_today(
    make_order: MakeOrder, start: Start, make_context: MakeContext, context: GatewayContext
) -> None:
    order = make_order()
    with pytest.raises(GatewayUnreachable):
        start(order, make_context(f"http://127.0.0.1:{unused_port()}"))
    with pytest.raises(GatewayRefused):
        # The sandbox does not know this merchant: what it refuses names the account of today.
        start(order, moved_to(context, merchant_id="NEW"))
    first, second = GatewayTransaction.objects.order_by("pk")
    assert (first.merchant_id, second.merchant_id) == ("SANDBOX-MERCHANT", "NEW")
