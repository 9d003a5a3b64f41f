"""Operators run payments from the admin: one ships in parcels, and a large refund takes two."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.models import Permission, User
from playwright.sync_api import expect

from tests.admin.conftest import write_permissions
from tests.journeys.operator import PASSWORD, Operator
from wallet_gateway import payments

if TYPE_CHECKING:
    from tests.journeys.conftest import LiveShop, NewCustomer

pytestmark = pytest.mark.browser

MONEY = ("capture_payment", "refund_payment", "reverse_payment", "resolve_unknown", "view_transactionevent")
SEEING = ("view_paymentorder", "view_gatewaytransaction", "view_operationbatch")
NewOperator = Callable[..., Operator]


@pytest.fixture
def new_operator(new_customer: NewCustomer, live_shop: LiveShop) -> NewOperator:
    """Make somebody of the staff with these permissions, logged in."""
    write_permissions()

    def make(name: str, *codenames: str) -> Operator:
        user = User.objects.create_user(name, password=PASSWORD, is_staff=True)
        user.user_permissions.set(Permission.objects.filter(codename__in=(*SEEING, *codenames)))
        operator = Operator(page=new_customer().page, shop=live_shop.url)
        operator.logs_in(name)
        return operator

    return make


def paid_order(live_shop: LiveShop, amount: str, kind: str) -> str:
    """Have a customer pay an order; give the shop's reference."""
    order = payments.create_order(reference="DESK-1", currency="EUR", amount=Decimal(amount), type=kind)
    attempt = payments.start_checkout(order)
    live_shop.control.complete_checkout(attempt.reference, "success")
    payments.reconcile(attempt)
    return order.reference


def test_goods_are_shipped_in_two_parcels_and_a_large_refund_takes_a_second_person_who_looks_and_agrees(
    new_operator: NewOperator, live_shop: LiveShop
) -> None:
    anna, ben = new_operator("anna", *MONEY), new_operator("ben", *MONEY, "approve_operation")
    reference = paid_order(live_shop, "80.00", "preauthorization")
    anna.finds(reference)
    expect(anna.state).to_have_text("Authorized")
    anna.presses("Capture")
    expect(anna.page.locator("#id_amount")).to_have_value("80.00")
    anna.confirms(amount="72.00", reason="part-shipped", comment="first parcel")
    expect(anna.told).to_have_text("Capture of €72.00: Approved.")
    anna.presses("Capture")
    expect(anna.page.locator("#id_amount")).to_have_value("8.00")
    anna.confirms(reason="shipped")
    expect(anna.state).to_have_text("Paid")

    anna.presses("Refund")
    anna.confirms(amount="60.00", reason="returned", comment="box 7")
    expect(anna.told).to_contain_text("Refund of €60.00: waits for a second person.")
    expect(anna.state).to_have_text("Paid")
    anna.page.get_by_role("link", name="Withdraw").click()
    expect(anna.page.get_by_role("button", name="Withdraw")).to_be_visible()
    expect(anna.page.get_by_role("button", name="Agree: refund €60.00")).to_have_count(0)

    ben.page.goto(f"{ben.admin}/dashboard/")
    ben.page.locator(".wallet-work__kind--approvals a", has_text=reference).click()
    expect(ben.page.locator(".wallet-facts")).to_contain_text("Goods returned: box 7")
    ben.page.get_by_role("button", name="Decline").click()
    expect(ben.page.get_by_role("alert")).to_have_text("The reason is missing. Say why.")
    ben.page.locator("#id_reason").fill("seen the box")
    ben.page.get_by_role("button", name="Agree: refund €60.00").click()

    expect(ben.told).to_have_text("Refund of €60.00: Approved.")
    expect(ben.state).to_have_text("Part refunded")
    story = ben.page.locator(".wallet-story")
    expect(story).to_contain_text("Agreed to by a second person")
    expect(story).to_contain_text("Part of the goods shipped: first parcel")
    anna.page.get_by_role("button", name="Withdraw").click()
    expect(anna.page.get_by_role("alert")).to_be_visible()
