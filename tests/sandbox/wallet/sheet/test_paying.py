"""The sheet is operated: cards, prices, addresses, offers, declines. Nothing approves by itself."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.utils import translation
from playwright.sync_api import expect

from tests.exhaustive import one_of
from tests.sandbox.wallet.sheet.buyer import ADDRESSED, Buyer
from tests.sandbox.wallet.sheet.conftest import NewBuyer
from wallet_gateway.formats import format_money
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.pages.localization import LANGUAGES
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.browser

FINAL = {"currencyCode": "EUR", "countryCode": "DE", "totalPriceStatus": "FINAL"}


def token_of(data: dict[str, Any]) -> str:
    token: str = data["paymentMethodData"]["tokenizationData"]["token"]
    return token


def test_a_press_opens_the_sheet_and_an_approval_gives_a_token(buyer_anywhere: Buyer) -> None:
    buyer = buyer_anywhere
    buyer.is_offered()
    buyer.opens()
    expect(buyer.sheet.get_by_role("heading", level=1)).to_have_text("Pay Bücher & Söhne")
    expect(buyer.total()).to_have_text("€12.30")
    buyer.approves()
    data = buyer.ended()["data"]
    assert data["paymentMethodData"]["description"] == "Visa 1111"
    assert json.loads(token_of(data))["protocolVersion"] == "ECv2"


def test_the_token_travels_as_it_was_written(buyer: Buyer) -> None:
    buyer.is_offered()
    buyer.opens()
    with buyer.page.expect_response("**/wallet/api/payment-data") as sent:
        buyer.approves()
    token = token_of(buyer.ended()["data"])
    assert token == token_of(sent.value.json())
    assert r"\u003d" in token
    assert "=" not in token


def test_the_sheet_does_nothing_until_somebody_does(buyer: Buyer) -> None:
    buyer.is_offered({"callbackIntents": ["PAYMENT_AUTHORIZATION"]})
    buyer.opens()
    buyer.page.wait_for_timeout(500)
    assert (buyer.asked(), buyer.page.evaluate("shop.ends")) == ([], [])
    expect(buyer.pay).to_have_text("Pay €12.30")


@pytest.mark.exhaustive
def test_the_card_that_is_chosen_pays(buyer: Buyer) -> None:
    cards = {"1881": "Visa", "4444": "Mastercard", "0005": "Amex", "9424": "Discover", "0505": "JCB"}
    for digits, name in cards.items():
        buyer.is_offered()
        buyer.opens()
        buyer.chooses("card", digits)
        buyer.approves()
        method = buyer.ended()["data"]["paymentMethodData"]
        assert method["description"] == f"{name} {digits}"
        assert method["info"]["cardNetwork"] == name.upper()


@pytest.mark.exhaustive
def test_only_cards_the_shop_takes_are_offered(buyer: Buyer) -> None:
    wishes: list[tuple[dict[str, Any], list[str]]] = [
        ({"allowedCardNetworks": ["JCB"]}, ["0000", "0505"]),
        ({"allowedAuthMethods": ["PAN_ONLY"], "allowedCardNetworks": ["VISA"]}, ["1881"]),
        ({"allowPrepaidCards": False, "allowedCardNetworks": ["MASTERCARD"]}, ["4444"]),
        ({"allowCreditCards": False}, ["1881", "4444", "5100"]),
    ]
    for parameters, fitting in wishes:
        buyer.is_offered(parameters=parameters)
        buyer.opens()
        buyer.sheet.locator("[data-row=card] summary").click()
        shown = buyer.sheet.locator("[data-row=card] label [aria-hidden]").all_inner_texts()
        assert re.findall(r"\d{4}", " ".join(shown)) == fitting, parameters
        buyer.closes()


@pytest.mark.exhaustive
def test_the_price_is_asked_for_before_it_can_be_paid(buyer: Buyer) -> None:
    buyer.is_offered(ADDRESSED)
    buyer.answers("changed", "() => new Promise((go) => (shop.go = go))")
    buyer.opens()
    expect(buyer.pay).to_have_attribute("aria-disabled", "true")
    expect(buyer.pay).to_have_text("The shop is updating the price")
    buyer.pay.click(force=True)
    buyer.page.evaluate("info => shop.go({newTransactionInfo: info})", {**FINAL, "totalPrice": "15.80"})
    expect(buyer.pay).to_have_text("Pay €15.80")
    assert [told["callbackTrigger"] for told in buyer.asked()] == ["INITIALIZE"]


@pytest.mark.exhaustive
def test_another_account_begins_anew_with_its_own_cards_and_addresses(buyer: Buyer) -> None:
    buyer.is_offered(ADDRESSED | {"shippingAddressParameters": {}})
    buyer.opens()
    expect(buyer.pay).to_have_attribute("aria-disabled", "false")
    buyer.chooses("account", "robin@office.example.com")
    buyer.until("shop.asked.length === 2")
    expect(buyer.pay).to_have_attribute("aria-disabled", "false")
    expect(buyer.sheet.locator("[data-row=address]")).to_contain_text("Lisboa")
    assert [told["callbackTrigger"] for told in buyer.asked()] == ["INITIALIZE", "INITIALIZE"]
    buyer.approves()
    given = buyer.ended()["data"]
    assert given["email"] == "robin@office.example.com"
    assert given["paymentMethodData"]["description"] == "Visa 5556"
    assert given["shippingAddress"]["countryCode"] == "PT"


@pytest.mark.exhaustive
def test_an_account_without_a_fitting_card_can_be_left_again(buyer: Buyer) -> None:
    buyer.is_offered(parameters={"allowedCardNetworks": ["AMEX"]})
    buyer.opens()
    buyer.chooses("account", "robin@office.example.com")
    expect(buyer.sheet.get_by_text("None of your cards is accepted by this shop.")).to_be_visible()
    expect(buyer.pay).to_be_hidden()
    buyer.chooses("account", "sam.sample@example.com")
    buyer.approves()
    assert buyer.ended()["data"]["paymentMethodData"]["description"] == "Amex 0005"


@pytest.mark.exhaustive
def test_a_new_address_brings_a_new_price_said_aloud(buyer: Buyer) -> None:
    buyer.is_offered(ADDRESSED)
    buyer.answers(
        "changed",
        "({shippingAddress}) => ({newTransactionInfo: {currencyCode: 'EUR', totalPriceStatus: 'FINAL',"
        " totalPrice: shippingAddress.countryCode === 'US' ? '30.00' : '12.30'}})",
    )
    buyer.opens()
    buyer.chooses("address", "Mountain View")
    expect(buyer.total()).to_have_text("€30.00")
    expect(buyer.sheet.locator("[data-said]")).to_have_text("The total is now €30.00")
    told = buyer.asked()[-1]
    assert told["callbackTrigger"] == "SHIPPING_ADDRESS"
    assert told["shippingAddress"] == {
        "administrativeArea": "CA",
        "countryCode": "US",
        "locality": "Mountain View",
        "postalCode": "94043",
    }


@pytest.mark.exhaustive
def test_a_country_that_is_not_delivered_to_cannot_be_chosen(buyer: Buyer) -> None:
    buyer.is_offered(ADDRESSED)
    buyer.opens()
    buyer.sheet.locator("[data-row=address] summary").click()
    paris = buyer.sheet.locator("[data-row=address] label", has_text="Paris")
    expect(paris.get_by_role("radio")).to_be_disabled()
    expect(paris).to_contain_text("The shop does not deliver there")


@pytest.mark.exhaustive
def test_the_shops_objection_stands_until_the_choice_is_another(buyer: Buyer) -> None:
    buyer.is_offered(ADDRESSED)
    buyer.answers(
        "changed",
        "({shippingAddress}) => shippingAddress.countryCode === 'DE' ? {} :"
        " {error: {intent: 'SHIPPING_ADDRESS', reason: 'SHIPPING_ADDRESS_UNSERVICEABLE',"
        " message: 'Not to America.'}}",
    )
    buyer.opens()
    buyer.chooses("address", "Mountain View")
    expect(buyer.alert()).to_have_text("Not to America.")
    expect(buyer.pay).to_have_attribute("aria-disabled", "true")
    buyer.chooses("card", "4444")
    expect(buyer.alert()).to_have_text("Not to America.")
    buyer.chooses("address", "Sampletown")
    buyer.approves()
    assert buyer.ended()["data"]["shippingAddress"]["locality"] == "Sampletown"


@pytest.mark.exhaustive
def test_a_shipping_option_is_told_and_given(buyer: Buyer) -> None:
    buyer.is_offered(ADDRESSED)
    buyer.opens()
    buyer.chooses("option", "Express")
    buyer.approves()
    assert buyer.ended()["data"]["shippingOptionData"] == {"id": "express"}
    assert [told["shippingOptionData"]["id"] for told in buyer.asked()[:2]] == ["standard", "express"]
    assert buyer.asked()[1]["callbackTrigger"] == "SHIPPING_OPTION"


@pytest.mark.exhaustive
def test_without_options_the_shop_hears_that_none_is_selected(buyer: Buyer) -> None:
    wishes = {name: value for name, value in ADDRESSED.items() if name != "shippingOptionParameters"}
    buyer.is_offered(wishes)
    buyer.opens()
    assert buyer.asked()[0]["shippingOptionData"] == {"id": "shipping_option_unselected"}


@pytest.mark.exhaustive
def test_a_code_is_entered_and_one_that_is_none_is_refused(buyer: Buyer) -> None:
    buyer.is_offered(ADDRESSED)
    buyer.answers(
        "changed",
        "({offerData}) => offerData.redemptionCodes.includes('NONE')"
        " ? {error: {intent: 'OFFER', reason: 'OFFER_INVALID', message: 'No such code.'}}"
        " : {newOfferInfo: {offers: offerData.redemptionCodes.map("
        "(code) => ({redemptionCode: code, description: `${code} off`}))}}",
    )
    buyer.opens()
    buyer.sheet.locator("[data-row=offer] summary").click()
    for code in ("NONE", "WINTER"):
        buyer.sheet.get_by_label("Offer code").fill(code)
        buyer.sheet.get_by_role("button", name="Apply").click()
        if code == "NONE":
            expect(buyer.alert()).to_have_text("No such code.")
    expect(buyer.sheet.locator("[data-row=offer] li")).to_have_count(2)
    buyer.sheet.get_by_role("button", name="Remove SUMMER").click()
    expect(buyer.sheet.locator("[data-row=offer] li")).to_have_count(1)
    buyer.approves()
    assert buyer.ended()["data"]["offerData"] == {"redemptionCodes": ["WINTER"]}


@pytest.mark.exhaustive
def test_after_a_decline_another_card_gives_a_new_token(buyer: Buyer) -> None:
    buyer.is_offered({"callbackIntents": ["PAYMENT_AUTHORIZATION"]})
    buyer.answers(
        "authorized",
        "({paymentMethodData}) => paymentMethodData.info.cardDetails === '4444'"
        " ? {transactionState: 'SUCCESS'}"
        " : {transactionState: 'ERROR', error: {intent: 'PAYMENT_AUTHORIZATION',"
        " reason: 'PAYMENT_DATA_INVALID', message: 'Your bank says no.'}}",
    )
    buyer.opens()
    buyer.approves()
    expect(buyer.alert()).to_have_text("Your bank says no.")
    buyer.approves()
    expect(buyer.alert()).to_have_text("Your bank says no.")
    buyer.chooses("card", "4444")
    buyer.approves()
    data = buyer.ended()["data"]
    tokens = [token_of(told) for told in buyer.asked()]
    assert len(set(tokens)) == 3
    assert token_of(data) == tokens[-1]


@pytest.mark.parametrize("language", one_of(LANGUAGES))
def test_an_amount_is_written_as_on_the_shops_own_pages(new_buyer: NewBuyer, language: str) -> None:
    buyer = new_buyer(language=language)
    for price, currency in [("1234.50", "EUR"), ("1500", "JPY"), ("12.3", "CHF")]:
        buyer.is_offered({"transactionInfo": {**FINAL, "currencyCode": currency, "totalPrice": price}})
        buyer.opens()
        with translation.override(language):
            assert buyer.total().text_content() == format_money(Money.parse(price, currency))
        buyer.closes()


@pytest.mark.exhaustive
def test_a_merchant_without_a_name_on_its_page_has_the_sandboxs(
    buyer: Buyer, control: SandboxControl
) -> None:
    control.add_merchant(
        merchant_id="SANDBOX-MERCHANT",
        store_id="SANDBOX-STORE",
        user_id="sandbox-user",
        display_name="Lark & Loam",
    )
    buyer.is_offered({"merchantInfo": {}})
    buyer.opens()
    expect(buyer.sheet.get_by_role("heading", level=1)).to_have_text("Pay Lark & Loam")


@pytest.mark.exhaustive
def test_the_cart_is_shown_where_the_total_has_a_label(buyer: Buyer) -> None:
    items = [
        {"label": "Books", "type": "LINE_ITEM", "price": "15.00"},
        {"label": "Sale", "type": "DISCOUNT", "price": "-2.70", "status": "PENDING"},
    ]
    info = {**FINAL, "totalPrice": "12.30", "displayItems": items}
    buyer.is_offered({"transactionInfo": {**info, "totalPriceLabel": "To pay"}})
    buyer.opens()
    expect(buyer.sheet.locator("[data-items]")).to_contain_text("\N{MINUS SIGN}€2.70")
    expect(buyer.sheet.locator("[data-total-label]")).to_have_text("To pay")
    buyer.closes()
    buyer.is_offered({"transactionInfo": info})
    buyer.opens()
    expect(buyer.sheet.locator("[data-items]")).to_be_hidden()


@pytest.mark.exhaustive
def test_the_button_says_what_it_does(buyer: Buyer) -> None:
    cases: list[tuple[dict[str, str], list[str], str]] = [
        ({}, [], "Continue"),
        ({"checkoutOption": "COMPLETE_IMMEDIATE_PURCHASE"}, [], "Pay €12.30"),
        ({"checkoutOption": "CONTINUE_TO_REVIEW"}, [], "Continue to review"),
        ({}, ["PAYMENT_AUTHORIZATION"], "Pay €12.30"),
    ]
    for option, intents, words in cases:
        info = {**FINAL, "totalPrice": "12.30", **option}
        buyer.is_offered({"transactionInfo": info, "callbackIntents": intents})
        buyer.opens()
        expect(buyer.pay).to_have_text(words)
        buyer.closes()


@pytest.mark.exhaustive
def test_a_merchant_nobody_knows_is_called_unverified(buyer: Buyer) -> None:
    known = {"merchantName": "Shop", "merchantId": "BCR2DN4TXXXXXXXX"}
    cases = [
        ("TEST", known, True),
        ("PRODUCTION", {"merchantName": "Shop"}, True),
        ("PRODUCTION", known, False),
    ]
    for environment, merchant, is_warned in cases:
        buyer.is_offered({"merchantInfo": merchant}, environment=environment)
        buyer.opens()
        expect(buyer.sheet.locator("[data-unverified]")).to_be_visible(visible=is_warned)
        buyer.closes()


@pytest.mark.exhaustive
def test_what_is_asked_for_is_shown_and_given(buyer: Buyer) -> None:
    billing = {"billingAddressRequired": True, "billingAddressParameters": {"format": "FULL"}}
    buyer.is_offered({"emailRequired": True}, parameters=billing)
    buyer.opens()
    expect(buyer.sheet.locator("[data-row=billing]")).to_contain_text("Sampletown")
    expect(buyer.sheet.locator("[data-row=account]")).to_contain_text("The shop gets this e-mail address.")
    buyer.approves()
    data = buyer.ended()["data"]
    assert data["email"] == "sam.sample@example.com"
    assert data["paymentMethodData"]["info"]["billingAddress"]["locality"] == "Sampletown"
