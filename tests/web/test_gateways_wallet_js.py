"""The wallet's page with a wallet.js that the gateway hosts: nothing but the interface joins the two.

The script (`gateways_wallet.js`) is written from the interface document alone and comes from another origin
without CORS. Shop, page and gateway are as they are.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django import Settings

from tests.exhaustive import one_of
from tests.static_host import StaticHost
from tests.web.test_wallet_page import (
    BUTTON,
    FORM,
    MakeOrder,
    approve,
    complaints,
    context,
    page,
    pay_page,
    shop,
)
from wallet_gateway import payments
from wallet_gateway.testing.control import SandboxControl

__all__ = ["complaints", "context", "page", "shop"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SCRIPT = (Path(__file__).parent / "gateways_wallet.js").read_text(encoding="utf-8")
OWN_BUTTON = "Pay with your wallet €24.90"
PAID = "Your payment went through"
FAILED = "Your wallet could not be used. Nothing was charged. Try again, or pay in another way."


def with_wallet(settings: Settings, **changes: Any) -> None:
    changed = copy.deepcopy(settings.WALLET_GATEWAY)
    changed["GATEWAYS"]["default"]["WALLET"] |= changes
    settings.WALLET_GATEWAY = changed


@pytest.fixture(autouse=True)
def gateways_script(
    shop: str, wallet_sandbox: SandboxControl, settings: Settings, tmp_path: Path
) -> Iterator[None]:
    """Have the page load the gateway's script, from a host of its own."""
    text = SCRIPT.replace("@GATEWAY@", wallet_sandbox.base_url)
    (tmp_path / "wallet.js").write_text(text, encoding="utf-8")
    with StaticHost(tmp_path, allows_all=False) as host:
        with_wallet(settings, WALLET_JS_URL=f"{host.url}wallet.js?v=7")
        yield


def open_sheet(page: Page, button: str = BUTTON) -> None:
    page.get_by_role("button", name=button).click()
    expect(page.locator("html[data-sheet=open]")).to_have_count(1)


def references(page: Page) -> list[str]:
    given: list[str] = page.evaluate("runs")
    return given


@pytest.mark.parametrize("callbacks", one_of([["PAYMENT_AUTHORIZATION"], []]))
def test_the_first_card_pays_the_order(
    page: Page,
    shop: str,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
    settings: Settings,
    complaints: list[str],
    callbacks: list[str],
) -> None:
    with_wallet(settings, CALLBACKS=callbacks)
    order = make_order()
    page.goto(pay_page(shop, order))
    open_sheet(page)
    approve(page, wallet_sandbox)
    expect(page.locator("h1")).to_have_text(PAID)
    assert payments.get_order(order.reference).is_paid
    assert complaints == []


def test_a_card_that_the_gateway_takes_no_account_for_is_told_in_the_shops_words(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.fault("create_payment_account", "bare_error", times=1, code="4000340")
    page.goto(pay_page(shop, make_order()))
    open_sheet(page)
    approve(page, wallet_sandbox)
    expect(page.get_by_role("status")).not_to_be_empty()
    expect(page.locator("html[data-runs='2']")).to_have_count(1)
    expect(page.locator("body")).not_to_contain_text("4000340")
    open_sheet(page)
    approve(page, wallet_sandbox)
    expect(page.locator("h1")).to_have_text(PAID)


def break_the_script(page: Page, context: BrowserContext) -> None:
    page.evaluate("window.scriptIsBroken = true")


def cut_the_gateway_off(page: Page, context: BrowserContext) -> None:
    context.route("**/api/v5/paymentAccounts", lambda route: route.abort())


@pytest.mark.parametrize("trouble", [break_the_script, cut_the_gateway_off])
def test_a_failure_in_the_script_is_told_in_words_for_customers_alone(
    page: Page,
    context: BrowserContext,
    shop: str,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
    settings: Settings,
    trouble: Callable[[Page, BrowserContext], None],
) -> None:
    with_wallet(settings, USE_WALLET_BUTTON=False)
    page.goto(pay_page(shop, make_order()))
    expect(page.get_by_role("button", name=OWN_BUTTON)).to_be_visible()
    trouble(page, context)
    page.get_by_role("button", name=OWN_BUTTON).click()
    if trouble is cut_the_gateway_off:
        expect(page.locator("html[data-sheet=open]")).to_have_count(1)
        approve(page, wallet_sandbox)
    expect(page.get_by_role("status")).to_have_text(FAILED)
    expect(page.locator("body")).not_to_contain_text(re.compile("undefined|Failed to fetch"))
    for button in (OWN_BUTTON, FORM):
        expect(page.get_by_role("button", name=button)).to_be_enabled()


@pytest.mark.exhaustive
def test_a_wallet_that_is_never_ready_leaves_the_form(page: Page, shop: str, make_order: MakeOrder) -> None:
    page.add_init_script("window.walletIsSilent = true")
    page.goto(pay_page(shop, make_order()))
    page.wait_for_selector("[data-wallet-state=unavailable]")
    expect(page.locator(".wallet-button__slot")).to_be_hidden()
    page.get_by_role("button", name=FORM).click()
    page.locator("button[name=outcome][value=success]").click()
    expect(page.locator("h1")).to_have_text(PAID)


def test_a_sheet_that_the_shop_prices_gets_updates_of_the_documented_form_and_is_charged_its_price(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl, settings: Settings
) -> None:
    with_wallet(settings, PRICING="tests.api.shipping.price", SHIPPING_ADDRESS=True)
    order = make_order()
    page.goto(pay_page(shop, order))
    open_sheet(page)
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


@pytest.mark.exhaustive
def test_a_button_that_the_script_draws_is_there_once_after_a_second_run(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    page.goto(pay_page(shop, make_order()))
    open_sheet(page)
    wallet_sandbox.fault("authorization", "errored")
    approve(page, wallet_sandbox)
    expect(page.locator("html[data-runs='2']")).to_have_count(1)
    expect(page.get_by_role("button", name=BUTTON)).to_have_count(1)
    assert len(set(references(page))) == 2
