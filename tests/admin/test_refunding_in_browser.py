"""Customers of the earlier provider are repaid as a clerk does it: search, tick, amounts, reason, results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.admin.test_deposit_import import GOOD, HEADER, HERE
from tests.admin.test_importing_in_browser import workbench  # noqa: F401 - a fixture
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.testing.control import SandboxControl

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]


def test_two_customers_are_repaid_and_one_gets_less_than_asked(
    workbench: tuple[Page, list[str]],  # noqa: F811 - the fixture
    wallet_sandbox: SandboxControl,
) -> None:
    page, complaints = workbench
    file = HEADER + GOOD + GOOD.replace("OLD-1", "OLD-4").replace("PRV-1", "PRV-4")
    wallet_sandbox.migration_file(file)
    payments.maintenance.import_migration_file(file.encode().splitlines(keepends=True))

    page.goto(page.url.replace("import/", ""))
    page.locator("#searchbar").fill("PRV-")
    page.locator("#searchbar").press("Enter")
    # Until its script runs, the box that ticks all rows ticks nothing.
    page.wait_for_url("**q=PRV-*")
    page.locator("#action-toggle").check()
    page.locator("select[name=action]").select_option("refund_many")
    page.locator("button[name=index]").click()
    page.wait_for_url(f"**{HERE}refund/**")
    page.get_by_label("Amount in EUR for OLD-1").fill("1,234")
    page.get_by_label("Reason").select_option("returned")
    page.get_by_role("button", name="Check the sum").click()
    page.get_by_text("“1,234” can be read as €1,234.00").wait_for()
    assert not GatewayTransaction.objects.exists()

    page.get_by_label("Amount in EUR for OLD-1").fill("1,50")
    page.get_by_role("button", name="Check the sum").click()
    page.get_by_text("Nothing was sent yet.").wait_for()
    assert not GatewayTransaction.objects.exists()
    wallet_sandbox.fault("detached_refund", "partial")
    page.get_by_role("button", name="Refund 2 deposits, €41.50").click()
    page.get_by_text("2 of 2 deposits").wait_for()

    assert page.get_by_text("Finished", exact=True).is_visible()
    results = page.locator(".wallet-table tbody tr")
    assert (
        "Asked for €1.50, approved €0.75. The rest is a task on the dashboard." in results.nth(0).inner_text()
    )
    assert "Detached refund of €40.00: Approved." in results.nth(1).inner_text()
    assert complaints == []
