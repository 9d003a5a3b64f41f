"""The wallet's button in a real browser: wallet.js and the shop's server as they are, a played wallet.

What the scripts do with every answer is said by the tests in `tests/js`, whole payments by `tests/journeys`.
Here are the browser's own parts: where files come from, what moves, other documents in the same window.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django import Settings

from tests.support.static_host import StaticHost
from tests.web.conftest import BUTTON, FORM, PAID_HEADING, approve, bring_turbo, open_sheet, pay_page
from tests.web.test_browser import SHIFTED, SHIFTS, VISIT
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MakeOrder = Callable[..., PaymentOrder]


def with_wallet(settings: Settings, **changes: Any) -> None:
    changed = copy.deepcopy(settings.WALLET_GATEWAY)
    changed["GATEWAYS"]["default"]["WALLET"] |= changes
    settings.WALLET_GATEWAY = changed


def test_nothing_moves_when_the_button_comes_whoever_draws_it_or_does_not_and_the_form_pays(
    page: Page, context: BrowserContext, shop: str, make_order: MakeOrder, settings: Settings
) -> None:
    page.add_init_script(SHIFTS)
    page.set_viewport_size({"width": 320, "height": 640})
    for drawn_by_wallet, name in ((True, BUTTON), (False, "Pay with your wallet €24.90")):
        with_wallet(settings, BUTTON={} if drawn_by_wallet else None)
        page.goto(pay_page(shop, make_order()))
        expect(page.get_by_role("button", name=name)).to_be_visible()
        assert page.evaluate(SHIFTED) == []

    context.route("**/pay.js", lambda route: route.abort())
    page.goto(pay_page(shop, make_order()))
    page.wait_for_selector("[data-wallet-state=unavailable]")
    expect(page.get_by_role("button", name=name)).to_be_hidden()
    assert page.evaluate(SHIFTED) == []
    page.get_by_role("button", name=FORM).click()
    page.locator("button[name=outcome][value=success]").click()
    expect(page.locator("h1")).to_have_text(PAID_HEADING)


def test_the_button_works_each_time_its_page_is_shown_again(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl, complaints: list[str]
) -> None:
    order = make_order()
    path = f"/button/{order.reference}/"
    page.goto(f"{shop}/")
    bring_turbo(page)
    for _ in range(2):
        page.evaluate(VISIT, path)
        # Turbo shows at first a copy that it has kept.
        expect(page.locator("html:not([data-turbo-preview]) [data-wallet-state=ready]")).to_have_count(1)
        open_sheet(page)
        page.evaluate("delete window.approve")
        # With the sheet open, and never a word of the wallet again.
        page.evaluate(VISIT, "/")
        expect(page.get_by_role("heading", name="The shop")).to_be_visible()
        expect(page.locator("html[aria-busy]")).to_have_count(0)
    page.evaluate(VISIT, path)
    expect(page.locator("html:not([data-turbo-preview]) [data-wallet-state=ready]")).to_have_count(1)
    open_sheet(page)
    assert page.evaluate("window.isOneDocument")
    approve(page, wallet_sandbox)
    expect(page.locator("h1")).to_have_text(PAID_HEADING)
    assert payments.get_order(order.reference).is_paid
    assert complaints == []


INTO_A_SHADOW_TREE = """() => {
  const host = document.body.appendChild(document.createElement("div"))
  const styles = document.querySelectorAll("link[rel=stylesheet]")
  host.attachShadow({ mode: "open" }).append(...styles, document.querySelector("main"))
}"""


def test_it_pays_inside_a_shadow_tree_and_a_closed_sheet_leaves_both_ways(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    page.goto(f"{shop}/button/{order.reference}/")
    page.evaluate(INTO_A_SHADOW_TREE)
    open_sheet(page)
    page.evaluate("closeSheet()")
    expect(page.get_by_role("status")).to_have_text("You closed your wallet. Nothing was charged.")
    expect(page.get_by_role("button", name=BUTTON)).to_be_focused()
    expect(page.get_by_role("button", name=FORM)).to_be_enabled()
    page.evaluate("delete window.approve")
    open_sheet(page)
    approve(page, wallet_sandbox)
    expect(page.locator("h1")).to_have_text(PAID_HEADING)
    assert payments.get_order(order.reference).is_paid


# --- a wallet.js that the gateway hosts: nothing but the interface joins it and the page --------------------


def open_hosted_sheet(page: Page) -> None:
    page.get_by_role("button", name=BUTTON).click()
    expect(page.locator("html[data-sheet=open]")).to_have_count(1)


def test_with_the_gateways_own_script_a_card_without_account_is_told_and_the_next_pays_the_shops_price(
    page: Page,
    shop: str,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
    settings: Settings,
    tmp_path: Path,
) -> None:
    # Written from the interface document alone, and served without CORS.
    script = (Path(__file__).parent / "gateways_wallet.js").read_text(encoding="utf-8")
    hosted = script.replace("@GATEWAY@", wallet_sandbox.base_url)
    (tmp_path / "wallet.js").write_text(hosted, encoding="utf-8")
    order = make_order()
    data = wallet_sandbox.wallet_payment_data(request={"shippingAddressRequired": True})
    with StaticHost(tmp_path, allows_all=False) as host:
        with_wallet(
            settings,
            WALLET_JS=f"{host.url}wallet.js?v=7",
            PRICING="tests.api.shipping.price",
            SHIPPING={"ADDRESS": True},
        )
        wallet_sandbox.fault("create_payment_account", "bare_error", times=1, code="4000340")
        page.goto(pay_page(shop, order))
        open_hosted_sheet(page)
        page.evaluate("(data) => void approve(data)", data)
        expect(page.get_by_role("status")).not_to_be_empty()
        expect(page.locator("html[data-runs='2']")).to_have_count(1)
        expect(page.locator("body")).not_to_contain_text("4000340")

        open_hosted_sheet(page)
        refused = page.evaluate(
            "change({callbackTrigger: 'SHIPPING_ADDRESS', "
            "shippingAddress: {countryCode: 'AQ', postalCode: '1'}})"
        )
        assert refused["error"]["message"] == "Not there"
        home = {"countryCode": "DE", "postalCode": "10115", "locality": "Berlin", "administrativeArea": ""}
        update = page.evaluate(
            "(shippingAddress) => change({callbackTrigger: 'OFFER', shippingAddress,"
            " shippingOptionData: {id: 'fast'}, offerData: {redemptionCode: 'SAVE'}})",
            home,
        )
        info = update["newTransactionInfo"]
        shown = (info["totalPrice"], info["currencyCode"], info["totalPriceStatus"])
        assert shown == ("28.80", "EUR", "FINAL")
        page.evaluate("(data) => void approve(data)", data)
        expect(page.locator("h1")).to_have_text(PAID_HEADING)
    assert payments.get_order(order.reference).payments.get(captured__gt=0).captured == 2880
