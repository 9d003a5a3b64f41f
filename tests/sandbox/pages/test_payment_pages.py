"""The hosted checkout and the 3-D Secure page, as the customer's browser meets them without scripts."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.utils import translation

from tests.sandbox.merchant import Merchant
from tests.sandbox.orders import SHOP, SMALLEST, UNIT, URLS
from tests.sandbox.soundness import assert_sound
from tests.sandbox.visitor import Page, Visitor
from tests.sandbox.wallet_buyer import Buyer, back_at
from tests.support.exhaustive import LANGUAGES
from tests.support.tables import every
from wallet_gateway.formats import format_money
from wallet_gateway.protocol.cart import Item, build_cart
from wallet_gateway.protocol.money import Money

OUTCOMES = {
    "success": "successUrl",
    "pending": "pendingUrl",
    "refused": "refusedUrl",
    "error": "errorUrl",
    "cancelled": "cancelUrl",
    "return": "returnUrl",
}
UNKNOWN = ["nothing", "a" * 500, "%00", "%F0%9F%98%80"]


def buttons(page: Page) -> set[str | None]:
    return {one.attributes["value"] for one in page.markup.all("button") if "value" in one.attributes}


# Deciding a checkout


@every("outcome", OUTCOMES)
def test_each_button_leads_to_its_url_of_the_shop_and_uses_the_link_up(
    visitor: Visitor, outcome: str
) -> None:
    link = visitor.start_checkout()
    page = visitor.get(link)
    assert buttons(page) == set(OUTCOMES)
    # The link alone is the right to decide.
    assert page.headers["Set-Cookie"] is None
    answer = visitor.post(link, {"outcome": outcome}, Origin="null")
    assert (answer.status, answer.headers["Location"]) == (303, URLS[OUTCOMES[outcome]])
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    if outcome == "return":
        assert visitor.get(link).status == 200
        return
    for page in (visitor.get(link), visitor.post(link, {"outcome": "success"})):
        assert page.status == 410
        assert page.markup.one("h1").text == "This payment link is used up"
        assert not page.markup.all("form")
        assert_sound(page)


def test_a_link_past_its_time_says_so_and_until_when_it_was_valid(visitor: Visitor) -> None:
    link = visitor.start_checkout(redirectUrlTimeout=300)
    until = visitor.get(link).markup.one("time").text
    visitor.control.advance_clock(300)
    for page in (visitor.get(link), visitor.post(link, {"outcome": "success"})):
        assert page.status == 410
        assert page.markup.one("h1").text == "This payment link has expired"
        assert f"It was valid until {until}. Nothing was charged." in page.text
        assert_sound(page)


@every("fields", [{}, {"outcome": ""}, {"outcome": "paid"}, {"outcome": "Success"}])
def test_no_button_no_decision(visitor: Visitor, fields: dict[str, str]) -> None:
    link = visitor.start_checkout()
    page = visitor.post(link, fields)
    assert page.status == 400
    assert "Nothing was decided. Choose one of the buttons." in page.text
    assert_sound(page)
    assert visitor.get(link).status == 200


@every("token", UNKNOWN)
def test_an_unknown_link_says_so(visitor: Visitor, token: str) -> None:
    page = visitor.get(f"/checkout/{token}/")
    assert page.status == 404
    assert page.markup.one("h1").text == "There is no such payment link"
    assert_sound(page)
    assert visitor.get(f"/three-d-secure/{token}/").status == 404


@every(
    ("url", "source"),
    [
        ("https://help.example:444/cancelled?x=1#y", " https://help.example:444"),
        ("HTTPS://Shop.Example:8443/", " https://shop.example:8443"),
        ("http://shop_web:8000/", " http://shop_web:8000"),
        ("http://[::1]:8000/", " http:"),
        ("https://a.example;script-src *", None),
        ("https://a.example' 'unsafe-inline'/", None),
        ("https://a,b/", None),
        ("https://münchen.example/", " https://xn--mnchen-3ya.example"),
        ("https://a.example:99999/", None),
        ("javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("//a.example/", None),
    ],
)
def test_a_form_may_end_at_the_shops_origins_and_no_address_writes_more_into_the_policy(
    visitor: Visitor, merchant: Merchant, url: str, source: str | None
) -> None:
    urls = {**URLS, "cancelUrl": url}
    details = {"redirectDetails": urls}
    if source is None and merchant.checkout("A", **details).status == 400:
        return
    page = visitor.get(visitor.start_checkout(changes=details))
    sources = sorted(["'self'", SHOP, *(source or "").split()])
    assert sorted(page.policy["form-action"].split()) == sources
    assert_sound(page)


# What a checkout shows


@every(
    ("asked", "language", "heading"),
    [
        ("en", "en", "Your order"),
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


@every("language", LANGUAGES)
@every("currency", UNIT)
def test_every_amount_of_the_cart_is_shown_to_the_last_unit(
    visitor: Visitor, language: str, currency: str
) -> None:
    unit, small = UNIT[currency], SMALLEST[currency]
    subtotal = 2 * unit - 4 * small
    positive = {
        "unit": unit,
        "lines": subtotal - small,
        "smallest": small,
        "tax of a line": 13 * small,
        "subtotal": subtotal,
        "shipping": 600 * small,
        "tax of shipping": 96 * small,
        "tax": 109 * small,
        "total": subtotal + 250 * small,
    }
    negative = {"line": 5 * small, "order": 100 * small, "voucher": 250 * small}
    text = visitor.get(visitor.start_checkout(currency, language=language)).text
    with translation.override(language):
        shown = {name: format_money(Money(amount, currency)) for name, amount in positive.items()}
        for name, amount in negative.items():
            shown[f"discount of {name}"] = format_money(Money(amount, currency), negative=True)
    assert {name: amount for name, amount in shown.items() if amount not in text} == {}


def test_lines_shipping_discounts_tax_and_the_skin_are_named(visitor: Visitor) -> None:
    page = visitor.get(visitor.start_checkout(skinId="outlet <b>"))
    assert page.facts["Skin"] == "outlet <b>"
    assert "Skin" not in visitor.get(visitor.start_checkout()).facts
    text = page.text
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


@every(
    ("provider", "name"),
    [
        ("ExampleWalletV2", "Example Wallet"),
        ("AcmeV2", "Acme"),
        ("acme", "acme"),
        ("V2", "V2"),
        ("PayPalV12", "Pay Pal"),
    ],
)
def test_a_payer_reads_the_wallets_name_and_not_its_constant(
    visitor: Visitor, merchant: Merchant, provider: str, name: str
) -> None:
    visitor.control.add_merchant(merchant_id="M", store_id=provider, user_id="u", provider=provider)
    ids: dict[str, Any] = {"merchantId": "M", "storeId": provider, "userId": "u"}
    link = merchant.checkout("A", checkoutDetails={"paymentMethod": provider}, **ids).json["redirectUrl"]
    text = visitor.get(link).text
    assert name in text
    assert provider == name or provider not in text


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
    page = visitor.get(link)
    heading = page.markup.with_id("payer-heading")
    assert heading.text == "Your details, as the shop passed them on"
    for words in ("Grace Hopper", "grace@example.com", "High Street 1", "B1 Bath", "GBR"):
        assert words in page.text
    assert "payer-heading" not in visitor.get(visitor.start_checkout()).html


@every(
    "text",
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "{{ 7|add:7 }}{% now 'Y' %}",
        "</h3></li></ul></main>",
        "' onmouseover='alert(1)",
        "\u202egnp.exe \u0627\u0644\u0633\u0639\u0631",
        "a" * 300,
    ],
)
def test_hostile_words_of_the_shop_are_words(visitor: Visitor, text: str) -> None:
    visitor.control.reset()
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


# 3-D Secure

HEADINGS = {
    "en": "Confirm that it is you",
    "de": "Bestätigen Sie, dass Sie es sind",
    "fr": "Confirmez que c\u2019est bien vous",
    "es": "Confirme que es usted",
    "ar": "أكِّد أنك أنت",
}


@pytest.fixture
def check(buyer: Buyer) -> str:
    """The 3-D Secure page of a payment of 10.00 EUR."""
    url: str = buyer.pending("P-1").json["redirectUrl"]
    return url


@every("language", HEADINGS)
def test_the_check_speaks_the_browsers_language(visitor: Visitor, check: str, language: str) -> None:
    page = visitor.get(check, Accept_Language=f"{language},en;q=0.5")
    assert page.status == 200
    assert page.markup.one("h1").read == HEADINGS[language]
    root = page.markup.one("html").attributes
    assert (root["lang"], root["dir"]) == (language, "rtl" if language == "ar" else "ltr")
    assert "40128888" not in page.html
    assert_sound(page)


@every(
    ("outcome", "to", "state"),
    [
        ("success", "success", "Approved"),
        ("failed", "refused", "Errored"),
        ("abandoned", "cancel", "Pending"),
    ],
)
def test_each_button_of_the_check_leads_to_its_url_and_ends_it(
    visitor: Visitor, merchant: Merchant, buyer: Buyer, outcome: str, to: str, state: str
) -> None:
    link = buyer.pending(outcome).json["redirectUrl"]
    assert buttons(visitor.get(link)) == {"success", "failed", "abandoned"}
    for fields in ({}, {"outcome": "other"}):
        undecided = visitor.post(link, fields)
        assert undecided.status == 400
        assert undecided.markup.one("h1").read == HEADINGS["en"]
        assert merchant.record(outcome)["state"] == "Pending"
    page = visitor.post(link, {"outcome": outcome})
    assert (page.status, page.headers["Location"]) == (303, back_at(to))
    assert merchant.record(outcome)["state"] == state
    for page in (visitor.get(link), visitor.post(link, {"outcome": "success"})):
        assert page.status == 410
        assert page.markup.one("h1").read == "This check is over"
        assert back_at("return") in [one.attributes["href"] for one in page.markup.all("a")]
        assert_sound(page)


# Files, and where nothing is


@every("page", ["/", "/checkout/x/", "/controls/", "/wallet/sheet"])
def test_a_pages_files_are_taken_for_what_they_are_and_for_nothing_else(
    visitor: Visitor, merchant: Merchant, page: str
) -> None:
    kinds = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
    markup = visitor.get(page).markup
    files = [one.attributes.get("src") or one.attributes.get("href") for one in markup.elements]
    loaded = {urlsplit(file).path for file in files if file and "/static/" in file}
    assert loaded
    for file in loaded:
        answer = merchant.send("GET", file)
        assert answer.status == 200
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-type"].startswith(kinds[file.rpartition(".")[2]])


@every("path", ["/nowhere", "/static/nothing.css", "/checkout/", "/static/../settings.py"])
def test_where_nothing_is_people_get_a_sentence_and_no_stack(merchant: Merchant, path: str) -> None:
    answer = merchant.send("GET", path)
    assert answer.status == (400 if ".." in path else 404)
    assert answer.headers["content-type"].startswith("text/")
    assert b"Traceback" not in answer.body
