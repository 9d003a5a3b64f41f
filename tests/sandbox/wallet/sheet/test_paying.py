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
