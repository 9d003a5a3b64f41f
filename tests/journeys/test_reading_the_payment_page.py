"""The gateway's page says what the shop says, to the cent: tax, shipping, discount, in five languages."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.exhaustive import one_of

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from tests.journeys.conftest import NewCustomer
    from tests.journeys.customer import Customer

pytestmark = pytest.mark.browser

# How each language writes 1234.5: the sign between thousands, then the one before decimals.
SEPARATORS = {"en": (",", "."), "de": (".", ","), "fr": (" ", ","), "es": (".", ","), "ar": (",", ".")}
CURRENCIES = ("EUR", "JPY", "KWD")
# The signs that differ from a currency's code.
SIGNS = {
    **{("EUR", language): "€" for language in SEPARATORS},
    ("JPY", "en"): "¥",
    ("JPY", "de"): "¥",
    ("JPY", "ar"): "JP¥",
    ("KWD", "ar"): "د.ك.",
}
MUGS = {
    "en": "Harbour mug",
    "de": "Hafenbecher",
    "fr": "Tasse du port",
    "es": "Taza del puerto",
    "ar": "كوب الميناء",
}
COFFEES = {
    "en": "First Light coffee",
    "de": "Kaffee Morgenlicht",
    "fr": "Café Première Lueur",
    "es": "Café Primera Luz",
    "ar": "قهوة أول الضوء",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentTotals:
    """Two mugs and a bag of coffee by post, worked out by hand; numbers as English writes them."""

    subtotal: str
    shipping: str
    shipping_tax: str
    total: str
    tax: str
    lines: tuple[tuple[str, str], ...]
    """Of each line: its discount (or nothing) and the tax inside it."""
    credit: str = ""


TEN_PERCENT = {
    "EUR": PaymentTotals(
        subtotal="55.71", shipping="4.90", shipping_tax="0.78", total="60.61", tax="8.49",
        lines=(("4.80", "6.89"), ("1.39", "0.82")),
    ),
    "JPY": PaymentTotals(
        subtotal="9,090", shipping="800", shipping_tax="73", total="9,890", tax="865",
        lines=(("780", "639"), ("230", "153")),
    ),
    "KWD": PaymentTotals(
        subtotal="19.125", shipping="1.750", shipping_tax="0.083", total="20.875", tax="0.993",
        lines=(("1.650", "0.707"), ("0.475", "0.203")),
    ),
}  # fmt: skip
CREDIT = {
    "EUR": PaymentTotals(
        subtotal="61.90", shipping="4.90", shipping_tax="0.78", total="61.80", tax="9.35", credit="5.00",
        lines=(("", "7.66"), ("", "0.91")),
    ),
    "JPY": PaymentTotals(
        subtotal="10,100", shipping="800", shipping_tax="73", total="10,100", tax="953", credit="800",
        lines=(("", "710"), ("", "170")),
    ),
    "KWD": PaymentTotals(
        subtotal="21.250", shipping="1.750", shipping_tax="0.083", total="21.250", tax="1.095",
        credit="1.750", lines=(("", "0.786"), ("", "0.226")),
    ),
}  # fmt: skip

CODES = (("LARK10", TEN_PERCENT), ("THANKYOU", CREDIT))


def written(number: str, currency: str, language: str, *, minus: bool = False) -> str:
    """The amount as this language writes it."""
    thousands, decimals = SEPARATORS[language]
    local = "".join({",": thousands, ".": decimals}.get(sign, sign) for sign in number)
    sign, before = SIGNS.get((currency, language), currency), "\N{MINUS SIGN}" if minus else ""
    if language != "en":
        return f"{before}{local} {sign}"
    return f"{before}{sign} {local}" if currency == "KWD" else f"{before}{sign}{local}"


def read(amounts: Locator) -> list[str]:
    """The amounts, with every kind of blank made the same and invisible marks left out."""
    texts = (re.sub(r"[\u00a0\u202f]", " ", text) for text in amounts.all_inner_texts())
    return [re.sub(r"[\u200e\u200f\u061c]", "", text).strip() for text in texts]


def go_to_the_payment_page(customer: Customer, currency: str, language: str, code: str) -> None:
    customer.takes("harbour-mug", 2, currency=currency)
    customer.takes("first-light")
    customer.goes_to_the_review()
    customer.enters_code(code)
    customer.places_the_order()
    customer.opens_the_payment_page()


# Every currency in every language, the codes by turns: so each code meets every currency and every language.
CASES = [
    (language, currency, *CODES[number % 2])
    for number, (currency, language) in enumerate(itertools.product(CURRENCIES, SEPARATORS))
]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("language", "currency", "code", "worked"), one_of(CASES))
def test_tax_shipping_and_discount_are_read_to_the_cent(
    new_customer: NewCustomer, currency: str, language: str, code: str, worked: dict[str, PaymentTotals]
) -> None:
    customer = new_customer(language=language)
    go_to_the_payment_page(customer, currency, language, code)
    page, sums = customer.page, worked[currency]

    def amount(number: str, *, minus: bool = False) -> str:
        return written(number, currency, language, minus=minus)

    assert page.locator("html").get_attribute("lang") == language
    assert page.locator("html").get_attribute("dir") == ("rtl" if language == "ar" else "ltr")
    assert read(page.locator(".line h3")) == [MUGS[language], COFFEES[language]]
    assert read(page.locator(".sums > div:first-child dd")) == [amount(sums.subtotal)]
    assert read(page.locator(".sums > div:nth-child(2) dd")) == [amount(sums.shipping)]
    assert read(page.locator(".sums > div:nth-child(2) .tax bdi").first) == [amount(sums.shipping_tax)]
    assert read(page.locator(".sums .saving dd")) == (
        [amount(sums.credit, minus=True)] if sums.credit else []
    )
    assert read(page.locator(".sums .total dd")) == [amount(sums.total)]
    assert read(page.locator(".sums > .tax dd")) == [amount(sums.tax)]
    assert read(page.locator(".grand bdi")) == [amount(sums.total)]
    for line, (discount, tax) in zip(page.locator(".line").all(), sums.lines, strict=True):
        assert read(line.locator(".saving bdi:last-child")) == (
            [amount(discount, minus=True)] if discount else []
        )
        assert read(line.locator(".tax bdi").first) == [amount(tax)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("language", one_of(SEPARATORS))
def test_the_shops_own_pages_write_amounts_as_the_gateway_does(
    new_customer: NewCustomer, language: str
) -> None:
    customer = new_customer(language=language)
    go_to_the_payment_page(customer, "JPY", language, "LARK10")
    customer.decides("success")
    customer.goes_back_to_the_order()

    assert read(customer.page.locator(".sums__total dd")) == [written("9,890", "JPY", language)]
    assert read(customer.page.locator(".line__total"))[0] == written("7,020", "JPY", language)
