"""The wallet's button in a real browser: wallet.js and the shop's server as they are, a played wallet.

What the scripts do with every answer is said by the tests in `tests/js`. Here are the browser's own parts:
where files come from, what moves, other documents in the same window, and whole payments with a fault.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect
from pytest_django import Settings

from tests.static_host import StaticHost
from tests.web.conftest import BUTTON, FORM, approve, bring_turbo, open_sheet, pay_page
from tests.web.test_browser import SHIFTED, SHIFTS, VISIT
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MakeOrder = Callable[..., PaymentOrder]
PAID = "Your payment went through"


def with_wallet(settings: Settings, **changes: Any) -> None:
    changed = copy.deepcopy(settings.WALLET_GATEWAY)
    changed["GATEWAYS"]["default"]["WALLET"] |= changes
    settings.WALLET_GATEWAY = changed


# --- a fault on the way -----------------------------------------------------------------------------------


def test_an_order_that_has_tried_enough_cards_loses_its_button_and_keeps_its_form(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl, settings: Settings
) -> None:
    with_wallet(settings, LIMITS={"AUTHORIZATIONS": 1})
    page.goto(pay_page(shop, make_order()))
    open_sheet(page)
    wallet_sandbox.fault("authorization", "errored")
    page.evaluate("(data) => approve(data)", wallet_sandbox.wallet_payment_data())
    another = page.evaluate("(data) => approve(data)", wallet_sandbox.wallet_payment_data())
    assert another["error"]["message"].startswith("The wallet was used too often for this order.")
    page.evaluate("closeSheet()")
    expect(page.get_by_role("status")).to_contain_text("The wallet was used too often for this order.")
    expect(page.get_by_role("button", name=BUTTON)).to_be_hidden()
    expect(page.get_by_role("button", name=FORM)).to_be_enabled()


def test_after_the_gateway_has_refused_the_key_the_second_press_pays_with_another(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    page.goto(pay_page(shop, order))
    open_sheet(page)
    # The shop believes in its key for an hour; the gateway has ended it, and the page may not read so.
    wallet_sandbox.advance_clock(2 * 3600)
    page.route("**/api/v5/paymentAccounts", lambda route: route.abort())
    refused = page.evaluate("(data) => approve(data)", wallet_sandbox.wallet_payment_data())
    words = "Nothing was charged. Take another card, or close your wallet and try again."
    assert refused["error"]["message"] == words
    page.unroute("**/api/v5/paymentAccounts")
    with page.expect_response("**/session/"):
        page.evaluate("closeSheet()")
    expect(page.locator(".wallet-button__place:not([inert])")).to_be_visible()
    page.evaluate("delete window.approve")
    open_sheet(page)
    approve(page, wallet_sandbox)
    expect(page.locator("h1")).to_have_text(PAID)
    assert payments.get_order(order.reference).payments.filter(captured__gt=0).count() == 1


def test_while_the_account_is_made_the_form_begins_no_second_payment(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    locked: list[str | None] = []

    def lose_account(route: Route) -> None:
        locked.append(page.locator(".wallet-button form").get_attribute("inert"))
        route.abort()

    page.route("**/api/v5/paymentAccounts", lose_account)
    page.goto(pay_page(shop, make_order()))
    open_sheet(page)
    approve(page, wallet_sandbox)
    expect(page.get_by_role("status")).to_contain_text("Try again, or pay in another way.")
    assert locked == [""]
    page.get_by_role("button", name=FORM).click(trial=True)


def test_when_the_shops_answer_is_lost_the_page_says_what_became_of_the_payment(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route(
        "**/result/", lambda route: lose(route) if route.request.method == "POST" else route.fallback()
    )
    page.goto(pay_page(shop, make_order()))
    open_sheet(page)
    approve(page, wallet_sandbox)
    expect(page.get_by_role("status")).to_have_text(re.compile("finding out|^Your payment"))
    page.evaluate("window.closeSheet?.()")
    expect(page.locator("h1")).to_have_text(PAID)


def test_without_a_wallet_the_form_pays_and_has_not_moved(
    page: Page, context: BrowserContext, shop: str, make_order: MakeOrder
) -> None:
    context.route("**/pay.js", lambda route: route.abort())
    page.add_init_script(SHIFTS)
    page.goto(pay_page(shop, make_order()))
    page.wait_for_selector("[data-wallet-state=unavailable]")
    expect(page.get_by_role("button", name=BUTTON)).to_be_hidden()
    assert page.evaluate(SHIFTED) == 0
    page.get_by_role("button", name=FORM).click()
    page.locator("button[name=outcome][value=success]").click()
    expect(page.locator("h1")).to_have_text(PAID)


# --- how it comes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("drawn_by_wallet", [True, False])
def test_nothing_moves_when_the_button_comes(
    page: Page, shop: str, make_order: MakeOrder, settings: Settings, drawn_by_wallet: bool
) -> None:
    with_wallet(settings, USE_WALLET_BUTTON=drawn_by_wallet)
    page.add_init_script(SHIFTS)
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(pay_page(shop, make_order()))
    name = BUTTON if drawn_by_wallet else "Pay with your wallet €24.90"
    expect(page.get_by_role("button", name=name)).to_be_visible()
    assert page.evaluate(SHIFTED) == 0


# --- where it stands --------------------------------------------------------------------------------------


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
    expect(page.locator("h1")).to_have_text(PAID)
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
    expect(page.locator("h1")).to_have_text(PAID)
    assert payments.get_order(order.reference).is_paid


# --- a wallet.js that the gateway hosts: nothing but the interface joins it and the page --------------------


@pytest.fixture
def hosted_script(wallet_sandbox: SandboxControl, settings: Settings, tmp_path: Path) -> Iterator[None]:
    """Have the page load a script that is written from the interface document alone, without CORS."""
    script = (Path(__file__).parent / "gateways_wallet.js").read_text(encoding="utf-8")
    (tmp_path / "wallet.js").write_text(
        script.replace("@GATEWAY@", wallet_sandbox.base_url), encoding="utf-8"
    )
    with StaticHost(tmp_path, allows_all=False) as host:
        with_wallet(settings, WALLET_JS_URL=f"{host.url}wallet.js?v=7")
        yield


def open_hosted_sheet(page: Page) -> None:
    page.get_by_role("button", name=BUTTON).click()
    expect(page.locator("html[data-sheet=open]")).to_have_count(1)


@pytest.mark.usefixtures("hosted_script")
def test_with_the_gateways_own_script_a_card_without_account_is_told_and_the_next_one_pays(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.fault("create_payment_account", "bare_error", times=1, code="4000340")
    page.goto(pay_page(shop, make_order()))
    open_hosted_sheet(page)
    approve(page, wallet_sandbox)
    expect(page.get_by_role("status")).not_to_be_empty()
    expect(page.locator("html[data-runs='2']")).to_have_count(1)
    expect(page.locator("body")).not_to_contain_text("4000340")
    open_hosted_sheet(page)
    approve(page, wallet_sandbox)
    expect(page.locator("h1")).to_have_text(PAID)


@pytest.mark.usefixtures("hosted_script")
def test_a_sheet_that_the_shop_prices_gets_updates_of_the_documented_form_and_is_charged_its_price(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl, settings: Settings
) -> None:
    with_wallet(settings, PRICING="tests.api.shipping.price", SHIPPING_ADDRESS=True)
    order = make_order()
    page.goto(pay_page(shop, order))
    open_hosted_sheet(page)
    refused = page.evaluate(
        "change({callbackTrigger: 'SHIPPING_ADDRESS', shippingAddress: {countryCode: 'AQ', postalCode: '1'}})"
    )
    assert refused["error"]["message"] == "Not there"
    home = {"countryCode": "DE", "postalCode": "10115", "locality": "Berlin", "administrativeArea": ""}
    update = page.evaluate(
        "(shippingAddress) => change({callbackTrigger: 'OFFER', shippingAddress,"
        " shippingOptionData: {id: 'fast'}, offerData: {redemptionCode: 'SAVE'}})",
        home,
    )
    info = update["newTransactionInfo"]
    assert (info["totalPrice"], info["currencyCode"], info["totalPriceStatus"]) == ("28.80", "EUR", "FINAL")
    data = wallet_sandbox.wallet_payment_data(request={"shippingAddressRequired": True})
    page.evaluate("(data) => void approve(data)", data)
    expect(page.locator("h1")).to_have_text(PAID)
    assert str(payments.get_order(order.reference).payments.get(captured__gt=0).captured) == "2880"
