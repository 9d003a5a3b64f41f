"""The hosted checkout page of a running sandbox, as the customer's browser meets it."""

from __future__ import annotations

from decimal import Decimal
from urllib.parse import quote

import pytest

from tests.sandbox.hosted.wire import SHOP, URLS, checkout_body
from tests.sandbox.pages.soundness import assert_sound
from tests.sandbox.pages.visitor import Page, Visitor
from wallet_gateway.protocol.cart import build_cart
from wallet_gateway.protocol.cart_lines import Item
from wallet_gateway.protocol.checkout import CheckoutRequest
from wallet_gateway.sandbox.hosted.checkout_summary import SKINS, CartView, CheckoutView, checkout_view
from wallet_gateway.sandbox.pages.localization import LANGUAGES

OUTCOMES = {
    "success": "successUrl",
    "pending": "pendingUrl",
    "refused": "refusedUrl",
    "error": "errorUrl",
    "cancelled": "cancelUrl",
    "return": "returnUrl",
}
DECIDING = [outcome for outcome in OUTCOMES if outcome != "return"]
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7|add:7 }}{% now 'Y' %}",
    "</h3></li></ul></main>",
    "' onmouseover='alert(1)",
    "\u202egnp.exe \u0627\u0644\u0633\u0639\u0631",
    "a" * 300,
]


def buttons(page: Page) -> dict[str, str]:
    return {
        str(button.attributes["value"]): button.read
        for button in page.markup.all("button")
        if button.attributes.get("name") == "outcome"
    }


def amounts_of(view: CheckoutView) -> list[str]:
    cart = view.cart
    assert isinstance(cart, CartView)
    assert cart.shipping is not None
    rows = [amount for line in cart.lines for amount in (line.unit, line.total)]
    rows += [line.discount.amount for line in cart.lines if line.discount]
    rows += [line.tax.amount for line in cart.lines if line.tax]
    rows += [discount.amount for discount in cart.discounts]
    return [view.amount, cart.subtotal, cart.shipping.amount, cart.tax, *rows]


def test_there_is_one_button_for_every_outcome(visitor: Visitor) -> None:
    page = visitor.get(visitor.start_checkout())
    assert list(buttons(page)) == ["success", "return", "cancelled", "pending", "refused", "error"]
    assert len(set(buttons(page).values())) == len(OUTCOMES)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_each_button_leads_to_its_url_of_the_shop(visitor: Visitor, outcome: str) -> None:
    link = visitor.start_checkout()
    assert outcome in buttons(visitor.get(link))
    answer = visitor.post(link, {"outcome": outcome})
    assert answer.status == 303
    assert answer.headers["Location"] == URLS[OUTCOMES[outcome]]
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("outcome", DECIDING)
def test_a_decided_link_is_used_up_and_says_so(visitor: Visitor, outcome: str) -> None:
    link = visitor.start_checkout()
    visitor.post(link, {"outcome": outcome})
    for page in (visitor.get(link), visitor.post(link, {"outcome": "success"})):
        assert page.status == 410
        assert page.markup.one("h1").text == "This payment link is used up"
        assert not page.markup.all("form")
        assert_sound(page)


def test_going_back_to_the_shop_decides_nothing(visitor: Visitor) -> None:
    link = visitor.start_checkout()
    for _ in range(2):
        assert visitor.post(link, {"outcome": "return"}).headers["Location"] == URLS["returnUrl"]
    assert visitor.get(link).status == 200
    assert visitor.post(link, {"outcome": "success"}).headers["Location"] == URLS["successUrl"]


def test_a_link_past_its_time_says_so_and_until_when_it_was_valid(visitor: Visitor) -> None:
    link = visitor.start_checkout(redirectUrlTimeout=300)
    until = visitor.get(link).markup.one("time").text
    visitor.control.advance_clock(300)
    for page in (visitor.get(link), visitor.post(link, {"outcome": "success"})):
        assert page.status == 410
        assert page.markup.one("h1").text == "This payment link has expired"
        assert f"It was valid until {until}. Nothing was charged." in page.text
        assert_sound(page)


def test_a_link_is_usable_to_its_last_minute(visitor: Visitor) -> None:
    link = visitor.start_checkout(redirectUrlTimeout=300)
    visitor.control.advance_clock(240)
    assert visitor.post(link, {"outcome": "success"}).status == 303


def test_a_used_up_link_leads_back_to_the_shop(visitor: Visitor) -> None:
    link = visitor.start_checkout()
    visitor.post(link, {"outcome": "success"})
    assert URLS["returnUrl"] in [a.attributes["href"] for a in visitor.get(link).markup.all("a")]


@pytest.mark.parametrize("token", ["nothing", "a" * 500, "%00", "%F0%9F%98%80"])
def test_an_unknown_link_says_so(visitor: Visitor, token: str) -> None:
    page = visitor.get(f"/checkout/{token}/")
    assert page.status == 404
    assert page.markup.one("h1").text == "There is no such payment link"
    assert_sound(page)


def test_an_unknown_link_speaks_the_browsers_language(visitor: Visitor) -> None:
    page = visitor.get("/checkout/nothing/", Accept_Language="de-AT,en;q=0.5")
    assert page.markup.one("h1").text == "Diesen Zahlungslink gibt es nicht"


@pytest.mark.parametrize("fields", [{}, {"outcome": ""}, {"outcome": "paid"}, {"outcome": "Success"}])
def test_no_button_no_decision(visitor: Visitor, fields: dict[str, str]) -> None:
    link = visitor.start_checkout()
    page = visitor.post(link, fields)
    assert page.status == 400
    assert "Nothing was decided. Choose one of the buttons." in page.text
    assert_sound(page)
    assert visitor.get(link).status == 200


def test_the_link_alone_is_the_right_to_decide(visitor: Visitor) -> None:
    link = visitor.start_checkout()
    assert visitor.get(link).headers["Set-Cookie"] is None
    assert visitor.post(link, {"outcome": "success"}, Origin="null").status == 303


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_other_methods_decide_nothing(visitor: Visitor, method: str) -> None:
    link = visitor.start_checkout()
    assert visitor.get(link, method=method).status == 405
    assert visitor.get(link).status == 200


def test_asking_for_the_head_decides_nothing(visitor: Visitor) -> None:
    link = visitor.start_checkout()
    assert visitor.get(link, method="HEAD").status == 200
    assert visitor.get(link).status == 200


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("currency", ["EUR", "JPY", "KWD"])
def test_every_amount_stands_on_the_page_to_the_last_unit(
    visitor: Visitor, language: str, currency: str
) -> None:
    body = checkout_body(currency, language=language)
    link = visitor.api("/api/v5/checkout", body)["redirectUrl"]
    page = visitor.get(link)
    view = checkout_view(CheckoutRequest.from_wire(body), language=language)
    isolated = [bdi.text for bdi in page.markup.all("bdi")]
    for amount in amounts_of(view):
        assert any(amount in text for text in isolated), amount
    assert page.markup.one("data").attributes["value"] == body["amount"]
    assert view.amount in buttons(page)["success"]
    assert_sound(page)


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


def test_without_a_language_the_page_is_english(visitor: Visitor) -> None:
    assert visitor.get(visitor.start_checkout()).markup.one("html").attributes["lang"] == "en"


@pytest.mark.parametrize(("language", "direction"), [("ar", "rtl"), ("en", "ltr"), ("de", "ltr")])
def test_arabic_runs_from_right_to_left(visitor: Visitor, language: str, direction: str) -> None:
    page = visitor.get(visitor.start_checkout(language=language))
    assert page.markup.one("html").attributes["dir"] == direction


@pytest.mark.parametrize(
    ("language", "pieces", "text"),
    [
        ("en", 1, "1 item"),
        ("en", 1200, "1,200 items"),
        ("de", 2, "2 Artikel"),
        ("fr", 2, "2 articles"),
        ("ar", 1, "منتج واحد"),
        ("ar", 2, "منتجان"),
        ("ar", 3, "3 منتجات"),
        ("ar", 11, "11 منتجًا"),
        ("ar", 100, "100 منتج"),
    ],
)
def test_pieces_are_counted_in_the_languages_grammar(
    visitor: Visitor, language: str, pieces: int, text: str
) -> None:
    item = Item(product_id="1", product_name="A", unit_amount=Decimal(1), quantity=pieces)
    cart = build_cart(currency="EUR", items=[item])
    page = visitor.get(visitor.start_checkout(shopping_cart=cart, language=language))
    assert page.markup.with_id("order-heading").read.endswith(text)


@pytest.mark.parametrize("skin", [*SKINS, "unheard-of", ""])
@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed"])
def test_the_skin_dresses_the_page_and_what_comes_after(visitor: Visitor, skin: str, closed: bool) -> None:
    link = visitor.start_checkout(skinId=skin)
    if closed:
        visitor.post(link, {"outcome": "success"})
    page = visitor.get(link)
    worn = skin if skin in SKINS else "default"
    sheets = [str(element.attributes["href"]) for element in page.markup.all("link")]
    assert page.markup.one("html").attributes["data-skin"] == worn
    assert (f"/static/wallet_sandbox/skins/{worn}.css" in sheets) == (worn != "default")
    assert_sound(page)


def test_every_file_a_page_names_is_served(visitor: Visitor) -> None:
    files = {"/static/wallet_sandbox/console.css"}
    for skin in SKINS:
        markup = visitor.get(visitor.start_checkout(skinId=skin)).markup
        files |= {str(e.attributes["href"]) for e in markup.all("link")}
        files |= {str(e.attributes["src"]) for e in markup.all("script")}
    kinds = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
    for name in sorted(files):
        answer = visitor.get(name)
        assert answer.status == 200
        assert answer.headers["Content-Type"].startswith(kinds[name[name.rindex(".") :]])


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


def test_without_a_cart_the_page_still_shows_the_amount(visitor: Visitor) -> None:
    page = visitor.get(visitor.start_checkout(amount="149.90"))
    assert page.text.count("€149.90") == 3
    assert "The shop sent no list of items with this payment." in page.text
    assert_sound(page)


def test_a_hundred_lines_are_all_there(visitor: Visitor) -> None:
    items = [
        Item(product_id=str(n), product_name=f"Article {n}", unit_amount=Decimal("1.10")) for n in range(100)
    ]
    page = visitor.get(visitor.start_checkout(shopping_cart=build_cart(currency="EUR", items=items)))
    names = [heading.text for heading in page.markup.all("h3")]
    assert names == [f"Article {n}" for n in range(100)]
    assert "100 items" in page.text
    assert page.html.index('value="success"') < page.html.index("Article 0"), "paying needs no scrolling"


def test_the_page_names_merchant_order_reference_and_wallet(visitor: Visitor) -> None:
    body = checkout_body()
    page = visitor.get(visitor.api("/api/v5/checkout", body)["redirectUrl"])
    for text in ("SANDBOX-MERCHANT", "SO-10431", body["clientSystemTransactionId"], "Example Wallet"):
        assert text in page.text
    assert page.markup.one("h1").text == "Pay SANDBOX-MERCHANT"


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


def test_an_authorization_is_not_sold_as_a_payment(visitor: Visitor) -> None:
    link = visitor.start_checkout(amount="10.00", changes={"type": "ecom.preAuthorization"})
    page = visitor.get(link)
    assert buttons(page)["success"] == "Authorize €10.00"
    assert "The amount is only reserved now. The shop charges it later." in page.text
    assert visitor.post(link, {"outcome": "success"}).headers["Location"] == URLS["successUrl"]


def test_without_script_the_page_says_until_when_it_is_valid(visitor: Visitor) -> None:
    page = visitor.get(visitor.start_checkout(redirectUrlTimeout=600))
    (timer,) = [e for e in page.markup.elements if "data-countdown" in e.attributes]
    assert 590 <= int(timer.attributes["data-seconds-left"] or 0) <= 600
    stamp = page.markup.one("time")
    assert stamp.text == f"{(stamp.attributes['datetime'] or '')[11:16]} UTC"
    assert f"Valid until {stamp.text}" in page.text


def test_time_runs_on_the_sandboxs_clock(visitor: Visitor) -> None:
    link = visitor.start_checkout(redirectUrlTimeout=600)
    visitor.control.advance_clock(500)
    (timer,) = [e for e in visitor.get(link).markup.elements if "data-countdown" in e.attributes]
    assert 90 <= int(timer.attributes["data-seconds-left"] or 0) <= 100


def test_a_link_without_end_says_so(visitor: Visitor) -> None:
    link = visitor.start_checkout(redirectUrlTimeout=0)
    visitor.control.advance_clock(10_000_000)
    page = visitor.get(link)
    assert "This link does not expire" in page.text
    assert "data-countdown" not in page.html


def test_the_page_may_send_its_form_to_the_shop_and_nowhere_else(visitor: Visitor) -> None:
    other = {**URLS, "cancelUrl": "https://help.example:444/cancelled?x=1"}
    page = visitor.get(visitor.start_checkout(changes={"redirectDetails": other}))
    assert page.policy["form-action"] == f"'self' {SHOP} https://help.example:444"
    assert page.headers["Referrer-Policy"] == "no-referrer"


def test_the_test_buttons_are_told_from_the_payers(visitor: Visitor) -> None:
    page = visitor.get(visitor.start_checkout())
    assert "Sandbox" in page.markup.with_id("tests-heading").text
    assert "A real payment page has no such buttons." in page.text
    primary = [b for b in page.markup.all("button") if "primary" in (b.attributes["class"] or "").split()]
    assert [b.attributes["value"] for b in primary] == ["success"]


def test_a_special_amount_goes_its_own_way_when_paid_by_hand(visitor: Visitor) -> None:
    link = visitor.start_checkout(amount="6660.01")
    assert visitor.post(link, {"outcome": "success"}).headers["Location"] == URLS["refusedUrl"]


def test_an_address_beyond_ascii_is_sent_as_a_browser_wants_it(visitor: Visitor) -> None:
    path = "/zahlung/größe/?artikel=Öl"
    urls = {**URLS, "successUrl": f"{SHOP}{path}"}
    link = visitor.start_checkout(changes={"redirectDetails": urls})
    location = visitor.post(link, {"outcome": "success"}).headers["Location"]
    assert location == f"{SHOP}{quote(path, safe='/?=')}"
