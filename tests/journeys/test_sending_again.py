"""What never left the shop waits for a person, who sends it once more: one request, however many want to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.journeys.test_operating import MONEY
from tests.journeys.test_operating import anna as anna
from tests.journeys.test_operating import logins as logins
from tests.journeys.test_operating import new_operator as new_operator
from tests.journeys.test_operating import paid_orders as paid_orders

if TYPE_CHECKING:
    from tests.journeys.live_shop import LiveShop
    from tests.journeys.operator import Operator
    from tests.journeys.test_operating import NewOperator, PaidOrders

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

# Nobody stands by when the shop's own code captures, so what did not leave is kept.
UNREACHABLE = """
from decimal import Decimal
from django.conf import settings
from django.test import override_settings
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
order = PaymentOrder.objects.get(reference={reference!r})
given = settings.WALLET_GATEWAY
dead = {{**given["GATEWAYS"]["default"], "BASE_URL": "http://127.0.0.1:9"}}
with override_settings(WALLET_GATEWAY={{**given, "GATEWAYS": {{**given["GATEWAYS"], "default": dead}}}}):
    transaction = payments.capture(order, Decimal("5.00"))
assert transaction.state == "NOT_SENT", transaction.state
"""


def captures(shop: LiveShop) -> int:
    """Count the captures that have reached the gateway."""
    return sum(entry["operation"] == "capture" for entry in shop.control.journal())


def test_what_never_left_is_sent_again_by_a_person_with_a_reason_and_once(
    anna: Operator, new_operator: NewOperator, paid_orders: PaidOrders, live_shop: LiveShop
) -> None:
    [reference] = paid_orders()
    live_shop.runs(UNREACHABLE.format(reference=reference))
    before, ben = captures(live_shop), new_operator("ben", *MONEY)
    for person in (anna, ben):
        person.finds(reference)
        expect(person.page.locator(".wallet-task__what")).to_contain_text("Capture of €5.00: Not sent.")
        person.page.locator(".wallet-task").get_by_role("link", name="Send again").click()
        expect(person.page.locator(".wallet-panel")).to_contain_text("Not one byte of this request has left.")

    anna.page.get_by_role("button", name="Send again: Capture of €5.00").click()
    expect(anna.page.get_by_role("alert")).to_have_text("This field is required.")
    assert captures(live_shop) == before
    anna.page.locator("#id_reason").fill("the gateway is back")
    anna.page.get_by_role("button", name="Send again: Capture of €5.00").click()

    expect(anna.told).to_have_text("Capture of €5.00: Approved.")
    expect(anna.page.locator(".wallet-task")).to_have_count(0)
    expect(anna.page.locator(".wallet-glance")).to_contain_text(re.compile(r"Captured\s*5\.00"))
    expect(anna.page.locator(".wallet-story")).to_contain_text("the gateway is back")
    ben.page.locator("#id_reason").fill("me too")
    ben.page.get_by_role("button", name="Send again: Capture of €5.00").click()
    alert = ben.page.get_by_role("alert")
    expect(alert).to_contain_text("Only a request that was never sent can be sent again")
    assert captures(live_shop) == before + 1
