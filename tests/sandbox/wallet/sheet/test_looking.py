"""The sheet and the button to eyes, ears and keyboard: five languages, light and dark, narrow and wide."""

from __future__ import annotations

from typing import Any, Final

import pytest
from playwright.sync_api import expect

from tests.sandbox.wallet.sheet.buyer import ADDRESSED, Buyer
from tests.sandbox.wallet.sheet.conftest import PHONE, NewBuyer
from tests.support.axe import violations_in_every_look
from tests.support.exhaustive import LANGUAGES, one_of

pytestmark = pytest.mark.browser

INFO: Final[dict[str, Any]] = {
    "currencyCode": "EUR",
    "totalPriceStatus": "ESTIMATED",
    "totalPrice": "1234.50",
    "totalPriceLabel": "Total",
    "displayItems": [{"label": "Books", "type": "LINE_ITEM", "price": "1234.50", "status": "PENDING"}],
}
SPILL: Final = """() => [...document.querySelectorAll("main *")]
  .filter((one) => !one.closest(".visually-hidden, svg"))
  .map((one) => [one, one.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.right > innerWidth + 1 || box.left < -1))
  .map(([one]) => `${one.tagName}.${one.className}`)"""
ROWS: Final = ["account", "card", "address", "option", "offer"]
BILLING: Final = {"billingAddressRequired": True, "billingAddressParameters": {"format": "FULL"}}


@pytest.mark.exhaustive
@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing_in_any_look(new_buyer: NewBuyer, language: str) -> None:
    buyer = new_buyer(language=language, viewport=PHONE)
    buyer.is_offered({**ADDRESSED, "transactionInfo": INFO}, parameters=BILLING)
    buyer.answers(
        "authorized",
        "() => ({transactionState: 'ERROR', error:"
        " {intent: 'PAYMENT_AUTHORIZATION', reason: 'OTHER_ERROR', message: 'No.'}})",
    )
    buyer.opens()
    buyer.approves()
    expect(buyer.alert()).to_have_text("No.")
    sheet = buyer.page.frames[1]
    found = []
    for part in (*(f"[data-row={row}]" for row in ROWS), "[data-tests]"):
        buyer.sheet.locator(f"{part} summary").click()
        found += [f"{part}, {fault}" for fault in violations_in_every_look(buyer.page, frame=sheet)]
    assert found == []
    assert violations_in_every_look(buyer.page, without=("iframe",)) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("language", one_of(LANGUAGES))
def test_nothing_stands_out_over_the_edge(new_buyer: NewBuyer, language: str) -> None:
    buyer = new_buyer(language=language)
    buyer.is_offered({**ADDRESSED, "transactionInfo": INFO}, parameters=BILLING)
    buyer.opens()
    buyer.sheet.locator("[data-tests] summary").click()
    for row in ("account", "card", "offer"):
        buyer.sheet.locator(f"[data-row={row}] summary").click()
        for width in (320, 390, 1280):
            buyer.page.set_viewport_size({"width": width, "height": 844})
            assert buyer.page.frames[1].evaluate(SPILL) == [], (row, width)


@pytest.mark.exhaustive
def test_everything_can_be_done_without_a_mouse(buyer: Buyer) -> None:
    buyer.is_offered(ADDRESSED)
    keyboard = buyer.page.keyboard
    keyboard.press("Tab")
    keyboard.press("Tab")
    assert buyer.button.evaluate("button => getComputedStyle(button).outlineStyle") == "solid"
    keyboard.press("Enter")
    expect(buyer.pay).to_have_attribute("aria-disabled", "false")
    frame = buyer.page.frames[1]
    assert frame.evaluate("document.activeElement.dataset.sheet") == ""
    for _ in ("close", "account", "card"):
        keyboard.press("Tab")
    assert frame.evaluate("document.activeElement.closest('[data-row]').dataset.row") == "card"
    keyboard.press("Enter")
    keyboard.press("Tab")
    keyboard.press("ArrowDown")
    keyboard.press("ArrowDown")
    for _ in range(20):
        keyboard.press("Tab")
        if frame.evaluate("document.activeElement.matches('[data-pay]')"):
            break
    keyboard.press("Enter")
    assert buyer.ended()["data"]["paymentMethodData"]["description"] == "Mastercard 4444"


@pytest.mark.exhaustive
def test_the_focus_stays_in_the_sheet(buyer: Buyer) -> None:
    buyer.is_offered()
    buyer.opens()
    frame = buyer.page.frames[1]
    for key in ("Tab", "Shift+Tab"):
        seen = []
        for _ in range(12):
            buyer.page.keyboard.press(key)
            assert buyer.page.evaluate("document.activeElement.localName") == "iframe"
            seen.append(frame.evaluate("document.activeElement.outerHTML.slice(0, 60)"))
        assert len(set(seen)) == 5


@pytest.mark.exhaustive
def test_a_screen_reader_hears_a_dialog_with_a_name(buyer: Buyer) -> None:
    buyer.is_offered()
    buyer.opens()
    expect(buyer.page.get_by_role("dialog", name="Sandbox Pay")).to_be_visible()
    assert buyer.page.locator("iframe").get_attribute("title") == "Sandbox Pay"
    assert buyer.page.locator("dialog").evaluate("dialog => dialog.matches(':modal')")
    expect(buyer.sheet.get_by_role("main", name="Pay Bücher & Söhne")).to_be_visible()
    buyer.sheet.locator("[data-row=card] summary").click()
    expect(buyer.sheet.get_by_role("radio", name="Visa ending in 1881 Debit · Card number")).to_be_visible()
