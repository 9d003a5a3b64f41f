"""The button, the sheet and the result in every language, on a phone and on a desk, in light and in dark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.axe import violations
from tests.exhaustive import one_of
from tests.journeys.sheet import Sheet

if TYPE_CHECKING:
    from tests.journeys.conftest import NewCustomer

pytestmark = pytest.mark.browser

# The sheet's words, and those of the page afterwards.
WORDS = {
    "en": ("Pay", "Your payment went through"),
    "de": ("zahlen", "Ihre Zahlung"),
    "fr": ("Payer", "Votre paiement"),
    "es": ("Pagar", "pago"),
    "ar": ("ادفع", "دفع"),
}
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 800}


@pytest.mark.parametrize("language", one_of(WORDS))
def test_button_sheet_and_result_speak_the_customers_language(
    new_customer: NewCustomer, language: str
) -> None:
    is_arabic = language == "ar"
    customer = new_customer(
        language=language,
        viewport=PHONE if is_arabic else DESK,
        color_scheme="dark" if language in {"ar", "de"} else "light",
    )
    customer.takes("harbour-mug")
    customer.goes_to_the_review()
    customer.places_the_order()
    sheet, (pay, paid) = Sheet(page=customer.page), WORDS[language]
    expect(sheet.button).to_have_attribute("lang", language)
    assert violations(customer.page) == []
    sheet.opens()
    frame = next(frame for frame in customer.page.frames if "/wallet/sheet" in frame.url)

    assert frame.evaluate("[document.documentElement.lang, document.documentElement.dir]") == [
        language,
        "rtl" if is_arabic else "ltr",
    ]
    expect(sheet.pay).to_contain_text(pay)
    assert violations(frame) == []
    assert customer.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    sheet.approves()
    expect(customer.heading).to_contain_text(paid)
    customer.goes_back_to_the_order()
    expect(customer.page.locator(".receipt__card")).to_contain_text("1111")
    assert violations(customer.page) == []
    assert customer.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
