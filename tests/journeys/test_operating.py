"""Operators run payments from the admin: each operation as a person does it, one order or eight, by two."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.journeys.operator import PASSWORD, Operator

if TYPE_CHECKING:
    from playwright.sync_api import StorageState

    from tests.journeys.conftest import NewCustomer
    from tests.journeys.live_shop import LiveShop

pytestmark = pytest.mark.browser

PaidOrders = Callable[..., list[str]]
NewOperator = Callable[..., Operator]

_batches = itertools.count(1)
MONEY = ("capture_payment", "refund_payment", "reverse_payment", "resolve_unknown", "view_transactionevent")
SEEING = ("view_paymentorder", "view_gatewaytransaction", "view_operationbatch")

PEOPLE = """
from django.contrib.auth.models import Permission, User
user, is_new = User.objects.get_or_create(username={name!r}, defaults={{"is_staff": True}})
if is_new:
    user.set_password({password!r})
    user.save()
user.user_permissions.set(Permission.objects.filter(codename__in={codenames!r}))
"""
ORDERS = """
from decimal import Decimal
from wallet_gateway import payments
from wallet_gateway.testing.control import SandboxControl
for number in range({count}):
    order = payments.create_order(
        reference=f"{prefix}-{{number:02}}", currency="EUR", amount=Decimal({amount!r}), type={type!r}
    )
    attempt = payments.start_checkout(order)
    SandboxControl({gateway!r}).complete_checkout(attempt.reference, "success")
    payments.reconcile(attempt)
"""


@pytest.fixture
def paid_orders(live_shop: LiveShop) -> PaidOrders:
    """Have customers pay orders; give the shop's references."""

    def make(
        count: int = 1,
        *,
        type: str = "preauthorization",  # noqa: A002
        amount: str = "20.00",
    ) -> list[str]:
        prefix = f"DESK{next(_batches)}"
        given = {"count": count, "prefix": prefix, "type": type, "amount": amount}
        given["gateway"] = live_shop.gateway
        live_shop.runs(ORDERS.format(**given))
        return [f"{prefix}-{number:02}" for number in range(count)]

    return make


@pytest.fixture(scope="module")
def logins() -> dict[str, StorageState]:
    """The cookies of everybody who has logged in: once is enough for all tests."""
    return {}


@pytest.fixture
def new_operator(
    new_customer: NewCustomer, live_shop: LiveShop, logins: dict[str, StorageState]
) -> NewOperator:
    """Make somebody of the staff with these permissions, logged in."""

    def make(name: str, *codenames: str, **special: object) -> Operator:
        allowed = (*SEEING, *codenames)
        given = {"name": name, "password": PASSWORD, "codenames": allowed}
        live_shop.runs(PEOPLE.format(**given))
        page = new_customer(storage_state=logins.get(name), **special).page
        operator = Operator(page=page, shop=live_shop.url)
        if name not in logins:
            operator.logs_in(name)
            logins[name] = page.context.storage_state()
        return operator

    return make


@pytest.fixture
def anna(new_operator: NewOperator) -> Operator:
    """Who may do everything."""
    return new_operator("anna", *MONEY)


RESUME = """
from datetime import timedelta
from django.db.models import F
from wallet_gateway.models import GatewayPause, GatewayTransaction
GatewayPause.objects.all().delete()
unknown = GatewayTransaction.objects.filter(state="UNKNOWN")
unknown.update(state_changed_at=F("state_changed_at") - timedelta(hours=1))
"""


@pytest.fixture
def faultless(live_shop: LiveShop) -> Iterator[None]:
    """Take back what a test has broken at the gateway."""
    yield
    live_shop.control.clear_faults()
    # So many outcomes unknown within minutes pause the sending, as they should; the next test is another day.
    live_shop.runs(RESUME)


def test_goods_are_shipped_in_two_parcels_and_one_comes_back(anna: Operator, paid_orders: PaidOrders) -> None:
    [reference] = paid_orders()
    anna.finds(reference)
    expect(anna.state).to_have_text("Authorized")

    anna.presses("Capture")
    expect(anna.page.locator("#id_amount")).to_have_value("20.00")
    anna.confirms(amount="12.00", reason="part-shipped", comment="first parcel")
    expect(anna.told).to_have_text("Capture of €12.00: Approved.")
    anna.presses("Capture")
    expect(anna.page.locator("#id_amount")).to_have_value("8.00")
    anna.confirms(reason="shipped")
    expect(anna.state).to_have_text("Paid")
    anna.presses("Refund")
    anna.confirms(amount="5.00", reason="returned")

    expect(anna.told).to_have_text("Refund of €5.00: Approved.")
    expect(anna.state).to_have_text("Part refunded")
    expect(anna.page.locator(".wallet-story__who").first).to_have_text("by anna")
    expect(anna.page.locator(".wallet-story")).to_contain_text("Part of the goods shipped: first parcel")


@pytest.mark.usefixtures("faultless")
def test_eight_orders_are_captured_of_which_three_fail_and_each_result_is_read(
    anna: Operator, paid_orders: PaidOrders, live_shop: LiveShop
) -> None:
    references = paid_orders(8)
    anna.finds(references[4])
    anna.presses("Capture")
    anna.confirms(amount="5.00", reason="shipped")
    anna.chooses(references, "capture_many")
    expect(anna.page.locator(".wallet-table tbody tr")).to_have_count(8)
    rows = anna.page.locator(".wallet-table tbody tr")
    rows.filter(has_text=references[7]).locator("input[type=text]").fill("2.50")
    anna.page.locator("#id_reason").select_option("shipped")
    anna.page.get_by_role("button", name="Check the sum").click()
    live_shop.control.fault("capture", "status_before", times=3, status=500)

    anna.page.get_by_role("button", name="Capture 8 orders, €137.50").click()

    expect(anna.page.locator(".wallet-order__head .wallet-badge")).to_have_text("Finished")
    expect(anna.page.locator(".wallet-order__head")).to_contain_text("8 of 8 orders")
    results = {reference: anna.result_of(reference).inner_text() for reference in references}
    assert sum("Unknown" in text for text in results.values()) == 3
    assert sum("Approved" in text for text in results.values()) == 5
    for reference, text in results.items():
        amount = {references[4]: "15.00", references[7]: "2.50"}.get(reference, "20.00")
        assert text.startswith(f"Capture of €{amount}: ")


def test_a_large_refund_takes_a_second_person_who_looks_and_agrees(
    anna: Operator, new_operator: NewOperator, paid_orders: PaidOrders
) -> None:
    [reference] = paid_orders(type="sale", amount="80.00")
    ben = new_operator("ben", *MONEY, "approve_operation")
    anna.finds(reference)
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
    expect(ben.page.locator(".wallet-story")).to_contain_text("Agreed to by a second person")
    anna.page.get_by_role("button", name="Withdraw").click()
    expect(anna.page.get_by_role("alert")).to_be_visible()
