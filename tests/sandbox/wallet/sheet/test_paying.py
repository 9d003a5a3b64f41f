"""The sheet is operated: cards, prices, addresses, offers, declines. Nothing approves by itself."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.sandbox.wallet.sheet.buyer import ADDRESSED, Buyer

pytestmark = pytest.mark.browser

FINAL = {"currencyCode": "EUR", "countryCode": "DE", "totalPriceStatus": "FINAL"}


def token_of(data: dict[str, Any]) -> str:
    token: str = data["paymentMethodData"]["tokenizationData"]["token"]
    return token


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
