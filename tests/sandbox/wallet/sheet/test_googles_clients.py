"""Google's own buttons, unchanged, on the emulated wallet: every callback, every ending.

Whatever these clients pass is what the real wallet takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import pytest
from playwright.sync_api import expect

from tests.sandbox.wallet.sheet import googles_clients
from tests.sandbox.wallet.sheet.buyer import ADDRESSED, Buyer
from tests.sandbox.wallet.sheet.conftest import PHONE, NewBuyer
from tests.sandbox.wallet.sheet.shop import Shop
from tests.sandbox.wallet.sheet.test_paying import token_of
from tests.support.exhaustive import one_of
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.sandbox import SandboxServer

pytestmark = pytest.mark.browser

BuyerAt = Callable[[str], Buyer]
CLIENTS: Final = ("element", "react")
PRICES: Final = """({shippingOptionData, offerData: {redemptionCodes: codes}}) => {
  const total = (shippingOptionData.id === "express" ? 20 : 12) - (codes.includes("WINTER") ? 5 : 0)
  const price = {totalPriceStatus: "FINAL", totalPrice: `${total}.00`}
  return {
    newTransactionInfo: {currencyCode: "EUR", countryCode: "DE", ...price},
    newOfferInfo: {offers: codes.map((code) => ({redemptionCode: code, description: code}))},
  }
}"""
SECOND_CARD_PAYS: Final = """({paymentMethodData}) => paymentMethodData.info.cardDetails === "4444"
  ? {transactionState: "SUCCESS"}
  : {transactionState: "ERROR", error: {
      intent: "PAYMENT_AUTHORIZATION", reason: "PAYMENT_DATA_INVALID", message: "Your bank says no."}}"""


@pytest.fixture(scope="module")
def shop(wallet_sandbox_server: SandboxServer) -> Iterator[str]:
    """The address of a shop whose pages draw the button with Google's clients."""
    with Shop(wallet_sandbox_server.base_url, googles_clients.scripts()) as shop:
        yield shop.url


@pytest.fixture
def buyer_at(new_buyer: NewBuyer) -> BuyerAt:
    """Send somebody with a phone to the page of a client."""

    def visit(client: str) -> Buyer:
        buyer = new_buyer(viewport=PHONE)
        buyer.visit(f"/{client}")
        return buyer

    return visit


@pytest.mark.parametrize("client", CLIENTS)
def test_every_callback_reaches_the_shop_and_every_answer_the_sheet(buyer_at: BuyerAt, client: str) -> None:
    buyer = buyer_at(client)
    buyer.is_offered(ADDRESSED)
    buyer.answers("changed", PRICES)
    buyer.answers("authorized", SECOND_CARD_PAYS)
    buyer.opens()
    expect(buyer.pay).to_have_text("Pay €12.00")
    buyer.chooses("option", "Express")
    expect(buyer.pay).to_have_text("Pay €20.00")
    buyer.chooses("address", "Mountain View")
    buyer.until("shop.asked.length === 3")
    buyer.sheet.locator("[data-row=offer] summary").click()
    buyer.sheet.get_by_label("Offer code").fill("WINTER")
    buyer.sheet.get_by_role("button", name="Apply").click()
    expect(buyer.pay).to_have_text("Pay €15.00")
    buyer.approves()
    expect(buyer.alert()).to_have_text("Your bank says no.")
    buyer.chooses("card", "4444")
    buyer.approves()
    _has_paid(buyer)


def _has_paid(buyer: Buyer) -> None:
    data = buyer.ended()["data"]
    *changes, declined, approved = buyer.asked()
    assert [change["callbackTrigger"] for change in changes] == [
        "INITIALIZE",
        "SHIPPING_OPTION",
        "SHIPPING_ADDRESS",
        "OFFER",
    ]
    assert token_of(approved) != token_of(declined)
    assert approved == data
    assert data["email"] == "sam.sample@example.com"
    assert data["shippingAddress"]["locality"] == "Mountain View"
    assert data["shippingOptionData"] == {"id": "express"}
    assert "WINTER" in data["offerData"]["redemptionCodes"]


@pytest.mark.parametrize("client", one_of(CLIENTS))
def test_a_closed_sheet_and_a_failed_one_are_told_apart(
    buyer_at: BuyerAt, control: SandboxControl, client: str
) -> None:
    buyer = buyer_at(client)
    buyer.is_offered()
    buyer.opens()
    buyer.closes()
    control.wallet("developer_error")
    buyer.button.click()
    end = buyer.ended()
    assert end["statusCode"] == "DEVELOPER_ERROR"
