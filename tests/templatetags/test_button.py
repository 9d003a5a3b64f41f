"""What the pay form knows of an order, for every state an order can be in."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone

import wallet_gateway
from tests.web.rows import an_order
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.templatetags.button import checkout_button

pytestmark = pytest.mark.django_db

ICONS = Path(wallet_gateway.__file__).parent / "templates" / "wallet_gateway" / "icons"
PAYABLE = [OrderState.OPEN, OrderState.FAILED, OrderState.EXPIRED, OrderState.REVERSED]
REASONS = {
    OrderState.PENDING: "We are checking a payment for this order. Please do not pay again.",
    OrderState.FROZEN: "We are checking a payment for this order. Please do not pay again.",
    OrderState.REFUNDED: "This order was paid and has been refunded.",
    OrderState.AUTHORIZED: "This order is already paid.",
    OrderState.PART_CAPTURED: "This order is already paid.",
    OrderState.PAID: "This order is already paid.",
    OrderState.PART_REFUNDED: "This order is already paid.",
    OrderState.OVERPAID: "This order is already paid.",
    OrderState.CANCELLED: "This order can no longer be paid.",
}


@pytest.mark.parametrize("state", PAYABLE)
def test_an_order_that_can_be_paid_has_a_form(state: OrderState) -> None:
    order = an_order(state)
    button = checkout_button(order)
    assert button.opens
    assert button.reason == ""
    assert button.action == reverse("wallet_gateway:checkout", args=[order.token])


@pytest.mark.parametrize(("state", "reason"), REASONS.items())
def test_an_order_that_must_not_be_paid_says_why(state: OrderState, reason: str) -> None:
    button = checkout_button(an_order(state))
    assert not button.opens
    assert button.reason == reason


@pytest.mark.parametrize("state", PAYABLE)
def test_an_order_whose_time_is_over_says_that_it_can_no_longer_be_paid(state: OrderState) -> None:
    button = checkout_button(an_order(state, payable_until=timezone.now() - timedelta(seconds=1)))
    assert (button.opens, button.reason) == (False, "This order can no longer be paid.")
    assert checkout_button(an_order(state, payable_until=timezone.now() + timedelta(minutes=5))).opens


@pytest.mark.parametrize("state", list(OrderState))
def test_a_payment_under_way_can_be_followed(state: OrderState) -> None:
    order = an_order(state)
    pay = reverse("wallet_gateway:pay", args=[order.token])
    assert checkout_button(order).progress_url == (pay if state is OrderState.PENDING else "")


@pytest.mark.parametrize("icon", sorted(ICONS.glob("*.svg")), ids=lambda path: path.stem)
def test_a_drawing_is_as_large_as_a_letter_where_no_stylesheet_is_linked(icon: Path) -> None:
    assert '<svg width="24" height="24" ' in icon.read_text(encoding="utf-8")
