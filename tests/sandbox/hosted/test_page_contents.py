"""What the hosted page shows: every name, line and word of the shop, as text and in its language."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.sandbox.pages.soundness import assert_sound
from tests.sandbox.pages.visitor import Visitor
from wallet_gateway.protocol.cart import build_cart
from wallet_gateway.protocol.cart_lines import Item

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7|add:7 }}{% now 'Y' %}",
    "</h3></li></ul></main>",
    "' onmouseover='alert(1)",
    "\u202egnp.exe \u0627\u0644\u0633\u0639\u0631",
    "a" * 300,
]


@pytest.mark.parametrize(
    ("asked", "language", "heading"),
    [
        ("en", "en", "Your order"),
        ("de", "de", "Ihre Bestellung"),
        ("de-DE", "de", "Ihre Bestellung"),
        ("de_DE", "de", "Ihre Bestellung"),
        ("fr-CA", "fr", "Votre commande"),
        ("ES", "es", "Su pedido"),
        ("ar-EG", "ar", "طلبك"),
        ("tlh", "en", "Your order"),
        ("", "en", "Your order"),
    ],
)
def test_the_page_speaks_the_language_the_shop_asked_for(
    visitor: Visitor, asked: str, language: str, heading: str
) -> None:
    page = visitor.get(visitor.start_checkout(language=asked), Accept_Language="pt,nl")
    assert page.markup.one("html").attributes["lang"] == language
    assert page.markup.with_id("order-heading").text.startswith(heading)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_of_the_shop_are_words(visitor: Visitor, text: str) -> None:
    item = Item(
        product_id="1",
        product_name=text,
        product_description=text,
        unit_amount=Decimal(10),
        discount_amount=Decimal(1),
        discount_name=text,
    )
    link = visitor.start_checkout(
        shopping_cart=build_cart(currency="EUR", items=[item]),
        cardholderFirstName=text,
        cardholderEmail="".join(text.split())[:64] + "@shop.example",
        language=text,
        skinId=text,
        changes={"providerDiscretionaryData": text, "clientSystemTransactionId": text[:255]},
    )
    page = visitor.get(link)
    # What turns the direction of a text is left out of the names of products.
    assert page.markup.all("h3")[0].text == text.replace("\u202e", "")
    assert_sound(page)
    plain = visitor.get(visitor.start_checkout(cardholderFirstName="A")).markup
    assert [e.name for e in page.markup.elements if e.name in {"script", "img", "a", "form"}] == [
        e.name for e in plain.elements if e.name in {"script", "img", "a", "form"}
    ]


def test_lines_shipping_discounts_and_tax_are_named(visitor: Visitor) -> None:
    text = visitor.get(visitor.start_checkout()).text
    for words in (
        "Enamel mug",
        "Half a litre",
        "2 \u00d7 €1,234.56",
        "Autumn sale",
        "incl. €0.13 tax (7.7%)",
        "Digital",
        "Shipping Parcel",
        "Discount Welcome",
        "Gift card Voucher 7",
        "Tax included in the total",
    ):
        assert words in text


def test_the_payers_details_are_shown_where_the_shop_gave_them(visitor: Visitor) -> None:
    address = {
        "houseNumber": "1",
        "street": "High Street",
        "city": "Bath",
        "zipPostalCode": "B1",
        "countryCode": "GBR",
    }
    link = visitor.start_checkout(
        cardholderFirstName="Grace",
        cardholderLastName="Hopper",
        cardholderEmail="grace@example.com",
        changes={"addressDetails": {"billingAddress": address}},
    )
    details = visitor.get(link).markup.with_id("payer-heading")
    assert details.text == "Your details, as the shop passed them on"
    text = visitor.get(link).text
    for words in ("Grace Hopper", "grace@example.com", "High Street 1", "B1 Bath", "GBR"):
        assert words in text
    assert "payer-heading" not in visitor.get(visitor.start_checkout()).html
