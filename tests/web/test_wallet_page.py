"""The wallet's page in a real browser: wallet.js and the shop's server as they are, a played wallet."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator

import pytest
from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tests.chromium import PATIENCE_MS
from tests.exhaustive import one_of
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MakeOrder = Callable[..., PaymentOrder]
BUTTON = "Buy with the wallet"
FORM = "Pay in another way"
# A wallet whose sheet is operated by the test: `approve(data)` and `close()` on the page.
PAY_JS = """
window.google = { payments: { api: { PaymentsClient: class {
  constructor(options) { this.callbacks = options.paymentDataCallbacks }
  isReadyToPay() { return Promise.resolve({ result: true, paymentMethodPresent: true }) }
  createButton({ onClick }) {
    const button = Object.assign(document.createElement("button"), { textContent: "Buy with the wallet" })
    button.addEventListener("click", onClick)
    button.style.height = "100%"
    return button
  }
  loadPaymentData() {
    window.sheets = (window.sheets ?? 0) + 1
    return new Promise((resolve, reject) => {
      window.closeSheet = () => reject({ statusCode: "CANCELED", statusMessage: "closed" })
      window.approve = async (data) => {
        const result = await this.callbacks.onPaymentAuthorized(data)
        if (result.transactionState === "SUCCESS") resolve(data)
        return result
      }
    })
  }
} } } }
"""


@pytest.fixture
def shop(live_server: LiveServer, wallet_sandbox: SandboxControl, settings: Settings) -> str:
    """The address of a shop whose origin the sandbox knows."""
    cache.clear()
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"PUBLIC_ORIGIN": live_server.url}
    wallet_sandbox.add_merchant(
        merchant_id="SANDBOX-MERCHANT",
        store_id="SANDBOX-STORE",
        user_id="sandbox-user",
        provider="ExampleWalletV2",
        origins=(live_server.url,),
    )
    return live_server.url


@pytest.fixture
def complaints() -> list[str]:
    return []


@pytest.fixture
def context(browser: Browser, complaints: list[str]) -> Iterator[BrowserContext]:
    with browser.new_context(locale="en") as context:
        context.on("weberror", lambda fault: complaints.append(str(fault.error)))
        context.add_init_script(
            "addEventListener('securitypolicyviolation', (e) => console.error('policy', e.violatedDirective))"
        )
        context.on(
            "console",
            lambda message: complaints.append(message.text) if message.text.startswith("policy") else None,
        )
        context.route("**/pay.js", lambda route: route.fulfill(content_type="text/javascript", body=PAY_JS))
        # All threads of this server share one database in memory: of two requests at once one would fail.
        context.route("**/event/", lambda route: route.fulfill(status=204))
        context.set_default_timeout(PATIENCE_MS)
        yield context


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


def pay_page(shop: str, order: PaymentOrder) -> str:
    return shop + reverse("wallet_gateway:pay", args=[order.token])


def open_sheet(page: Page) -> None:
    page.get_by_role("button", name=BUTTON).click()
    page.wait_for_function("!!window.approve")


def approve(page: Page, control: SandboxControl, method: str = "CRYPTOGRAM_3DS") -> None:
    page.evaluate("(data) => void approve(data)", control.wallet_payment_data(auth_method=method))


@pytest.mark.exhaustive
def test_a_token_card_pays(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl, complaints: list[str]
) -> None:
    order = make_order()
    page.goto(pay_page(shop, order))
    open_sheet(page)
    approve(page, wallet_sandbox)
    expect(page.locator("h1")).to_have_text("Your payment went through")
    assert payments.get_order(order.reference).is_paid
    assert complaints == []


@pytest.mark.exhaustive
def test_a_plain_card_goes_through_three_d_secure(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl, complaints: list[str]
) -> None:
    order = make_order()
    page.goto(pay_page(shop, order))
    open_sheet(page)
    approve(page, wallet_sandbox, "PAN_ONLY")
    page.wait_for_url(re.compile(re.escape(wallet_sandbox.base_url)))
    reference = PaymentOrder.objects.get(pk=order.pk).payments.latest("pk").reference
    page.goto(wallet_sandbox.complete_three_d_secure(reference, "success"))
    expect(page.locator("h1")).to_have_text("Your payment went through")
    assert complaints == []


def test_an_order_that_has_tried_enough_cards_loses_its_button_and_keeps_its_form(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl, settings: Settings
) -> None:
    limited = copy.deepcopy(settings.WALLET_GATEWAY)
    limited["GATEWAYS"]["default"]["WALLET"] |= {"LIMITS": {"AUTHORIZATIONS": 1}}
    settings.WALLET_GATEWAY = limited
    order = make_order()
    page.goto(pay_page(shop, order))
    open_sheet(page)
    wallet_sandbox.fault("authorization", "errored")
    page.evaluate("(data) => approve(data)", wallet_sandbox.wallet_payment_data())
    another = page.evaluate("(data) => approve(data)", wallet_sandbox.wallet_payment_data())
    assert another["error"]["message"].startswith("The wallet was used too often for this order.")
    page.evaluate("closeSheet()")
    expect(page.get_by_role("status")).to_contain_text("The wallet was used too often for this order.")
    expect(page.get_by_role("button", name=BUTTON)).to_be_hidden()
    expect(page.get_by_role("button", name=FORM)).to_be_enabled()
    page.reload()
    expect(page.locator("wallet-pay-button")).to_have_count(0)
    expect(page.locator("form.wallet-checkout button")).to_be_enabled()


@pytest.mark.parametrize("answer", ["the gateway's own", "hidden from the page"])
def test_after_the_gateway_has_refused_the_key_the_second_press_pays_with_another(
    answer: str, page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    def deliver(route: Route) -> None:
        is_failure = '"ERROR"' in (route.request.post_data or "")
        route.continue_() if is_failure else route.fulfill(status=204)

    page.route("**/event/", deliver)
    order = make_order()
    page.goto(pay_page(shop, order))
    open_sheet(page)
    # The shop believes in its key for an hour; the gateway has ended it.
    wallet_sandbox.advance_clock(2 * 3600)
    if answer == "hidden from the page":
        page.route(f"{wallet_sandbox.base_url}/api/v5/paymentAccounts", lambda route: route.abort())
    refused = page.evaluate("(data) => approve(data)", wallet_sandbox.wallet_payment_data())
    words = "Nothing was charged. Take another card, or close your wallet and try again."
    assert refused["error"]["message"] == words
    page.unroute(f"{wallet_sandbox.base_url}/api/v5/paymentAccounts")
    with page.expect_response("**/session/"):
        page.evaluate("closeSheet()")
    expect(page.get_by_role("status")).to_contain_text("Nothing was charged. Try again")
    expect(page.locator(".wallet-button__place:not([inert])")).to_be_visible()
    page.evaluate("delete window.approve")
    open_sheet(page)
    approve(page, wallet_sandbox)
    expect(page.locator("h1")).to_have_text("Your payment went through")
    assert payments.get_order(order.reference).payments.filter(captured__gt=0).count() == 1


def test_a_closed_sheet_leaves_both_ways_to_pay(page: Page, shop: str, make_order: MakeOrder) -> None:
    page.goto(pay_page(shop, make_order()))
    open_sheet(page)
    page.evaluate("closeSheet()")
    expect(page.get_by_role("status")).to_have_text("You closed your wallet. Nothing was charged.")
    expect(page.get_by_role("button", name=BUTTON)).to_be_focused()
    expect(page.get_by_role("button", name=FORM)).to_be_enabled()


def test_while_the_account_is_made_the_form_begins_no_second_payment(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    locked: list[str | None] = []

    def lose_account(route: Route) -> None:
        if route.request.method != "POST":
            return route.fallback()
        locked.append(page.locator(".wallet-button form").get_attribute("inert"))
        return route.abort()

    page.route(f"{wallet_sandbox.base_url}/**", lose_account)
    page.goto(pay_page(shop, make_order()))
    open_sheet(page)
    approve(page, wallet_sandbox)
    expect(page.get_by_role("status")).to_contain_text("Try again, or pay in another way.")
    assert locked == [""]
    page.get_by_role("button", name=FORM).click(trial=True)


@pytest.mark.exhaustive
def test_a_double_click_opens_one_sheet(page: Page, shop: str, make_order: MakeOrder) -> None:
    page.goto(pay_page(shop, make_order()))
    page.get_by_role("button", name=BUTTON).dblclick()
    page.wait_for_function("window.sheets")
    page.wait_for_timeout(300)
    assert page.evaluate("window.sheets") == 1


@pytest.mark.exhaustive
def test_back_after_the_payment_there_is_nothing_to_press(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    page.goto(shop + "/wallet/return/nothing/")
    page.goto(pay_page(shop, make_order()))
    open_sheet(page)
    approve(page, wallet_sandbox)
    expect(page.locator("h1")).to_have_text("Your payment went through")
    page.go_back()
    assert "/pay/" not in page.url


@pytest.mark.exhaustive
def test_a_reload_in_the_middle_pays_once(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    page.goto(pay_page(shop, order))
    open_sheet(page)
    page.reload()
    open_sheet(page)
    approve(page, wallet_sandbox)
    expect(page.locator("h1")).to_have_text("Your payment went through")
    assert payments.get_order(order.reference).payments.filter(captured__gt=0).count() == 1


@pytest.mark.exhaustive
def test_two_tabs_pay_once(
    context: BrowserContext, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    one, other = context.new_page(), context.new_page()
    for tab in (one, other):
        tab.goto(pay_page(shop, order))
        open_sheet(tab)
    approve(one, wallet_sandbox)
    expect(one.locator("h1")).to_have_text("Your payment went through")
    approve(other, wallet_sandbox)
    # The same browser and order: the second tab is told what became of the first one's card.
    expect(other.locator("h1")).to_have_text("Your payment went through")
    assert payments.get_order(order.reference).payments.filter(captured__gt=0).count() == 1


def test_when_the_shops_answer_is_lost_the_page_says_what_became_of_the_payment(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()

    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route(
        "**/result/", lambda route: lose(route) if route.request.method == "POST" else route.continue_()
    )
    page.goto(pay_page(shop, order))
    open_sheet(page)
    approve(page, wallet_sandbox)
    expect(page.get_by_role("status")).to_have_text(re.compile("finding out|^Your payment"))
    page.evaluate("window.closeSheet?.()")
    expect(page.locator("h1")).to_have_text("Your payment went through")


def _key_service_down(control: SandboxControl, context: BrowserContext) -> None:
    control.fault("public_key", "drop_before", times=9)


def _no_pay_js(control: SandboxControl, context: BrowserContext) -> None:
    context.unroute("**/pay.js")
    context.route("**/pay.js", lambda route: route.abort())


def _no_module(control: SandboxControl, context: BrowserContext) -> None:
    context.route("**/wallet/main.js", lambda route: route.abort())


@pytest.mark.usefixtures("nobody_sleeps")
@pytest.mark.parametrize("trouble", one_of([_no_module, _key_service_down, _no_pay_js]))
def test_without_a_wallet_the_form_pays(
    page: Page,
    context: BrowserContext,
    shop: str,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
    trouble: Callable[[SandboxControl, BrowserContext], None],
) -> None:
    trouble(wallet_sandbox, context)
    page.goto(pay_page(shop, make_order()))
    page.wait_for_selector("[data-wallet-state=unavailable]")
    expect(page.get_by_role("button", name=BUTTON)).to_be_hidden()
    page.get_by_role("button", name=FORM).click()
    page.locator("button[name=outcome][value=success]").click()
    expect(page.locator("h1")).to_have_text("Your payment went through")


@pytest.mark.exhaustive
def test_without_javascript_the_form_pays(browser: Browser, shop: str, make_order: MakeOrder) -> None:
    with browser.new_context(java_script_enabled=False, locale="en") as context:
        page = context.new_page()
        page.goto(pay_page(shop, make_order()))
        expect(page.get_by_role("button", name=BUTTON)).to_be_hidden()
        expect(page.locator(".wallet-button__slot")).to_be_hidden()
        page.get_by_role("button", name="Pay now").click()
        page.locator("button[name=outcome][value=success]").click()
        expect(page.locator("h1")).to_have_text("Your payment went through")


def test_the_form_does_not_move_when_the_button_appears(page: Page, shop: str, make_order: MakeOrder) -> None:
    def late(route: Route) -> None:
        page.wait_for_timeout(300)
        route.continue_()

    page.route("**/session/", late)
    page.goto(pay_page(shop, make_order()), wait_until="domcontentloaded")
    form = page.locator(".wallet-button form")
    before = form.bounding_box()
    expect(page.get_by_role("button", name=BUTTON)).to_be_visible()
    assert form.bounding_box() == before
