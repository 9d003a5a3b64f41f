"""The sheet that ends without a payment: closed, refused, too late, told to fail; and who may speak to it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.sandbox.wallet.sheet.buyer import ADDRESSED, Buyer
from tests.sandbox.wallet.sheet.conftest import NewBuyer
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.browser

AUTHORIZING = {"callbackIntents": ["PAYMENT_AUTHORIZATION"]}


def test_a_closed_sheet_is_cancelled_and_gives_the_focus_back(buyer_anywhere: Buyer) -> None:
    buyer = buyer_anywhere
    buyer.is_offered()
    for way in ("button", "escape", "beside", "escape outside the frame"):
        buyer.button.focus()
        buyer.opens()
        if way == "button":
            buyer.sheet.get_by_role("button", name="Close", exact=True).click()
        elif way == "beside":
            buyer.page.mouse.click(8, 8)
        else:
            if way != "escape":
                buyer.page.evaluate("document.querySelector('dialog').focus()")
            buyer.page.keyboard.press("Escape")
        assert buyer.ended()["statusCode"] == "CANCELED", way
        assert buyer.button.evaluate("button => button === document.activeElement"), way


def test_while_the_shop_charges_there_is_no_way_back(buyer: Buyer) -> None:
    buyer.is_offered(AUTHORIZING)
    buyer.answers("authorized", "() => new Promise((go) => (shop.go = go))")
    buyer.opens()
    buyer.approves()
    buyer.until("!!shop.go")
    buyer.page.keyboard.press("Escape")
    buyer.sheet.get_by_role("button", name="Close", exact=True).click()
    expect(buyer.pay).to_have_text("Paying")
    assert buyer.page.evaluate("shop.ends") == []
    buyer.page.evaluate("shop.go({transactionState: 'SUCCESS'})")
    assert "data" in buyer.ended()


@pytest.mark.exhaustive
def test_a_sheet_that_the_page_takes_away_is_cancelled_and_keeps_no_other_from_opening(buyer: Buyer) -> None:
    taken_away = ("document.querySelector('dialog').remove()", "document.body.replaceChildren()")
    for way in (*taken_away, "document.body.replaceWith(document.createElement('body'))"):
        buyer.visit()
        buyer.is_offered()
        buyer.opens()
        buyer.page.evaluate(f"() => {{ {way} }}")
        assert buyer.ended()["statusCode"] == "CANCELED", way
        buyer.page.evaluate("document.body.innerHTML = '<div id=button></div>'")
        buyer.is_offered()
        buyer.opens()
        buyer.approves()
        assert "data" in buyer.ended(), way


def test_a_policy_that_forbids_the_frame_is_named(buyer: Buyer, complaints: list[str]) -> None:
    buyer.visit("/unframed")
    buyer.is_offered()
    buyer.button.click()
    end = buyer.ended()
    assert end["statusCode"] == "DEVELOPER_ERROR"
    assert "must allow frame-src http://127.0.0.1:" in end["statusMessage"]
    assert "frame-src" in complaints.pop()


@pytest.mark.exhaustive
@pytest.mark.parametrize("callback", ["changed", "authorized"])
def test_a_shop_that_fails_may_try_again(buyer: Buyer, complaints: list[str], callback: str) -> None:
    buyer.is_offered(ADDRESSED)
    if callback == "authorized":
        buyer.answers(callback, "() => { throw new Error('broken') }")
        buyer.opens()
        buyer.approves()
        expect(buyer.alert()).to_have_text("The shop could not answer. Try again.")
    else:
        buyer.answers(callback, "() => { throw new Error('broken') }")
        buyer.opens()
        expect(buyer.alert()).to_have_text("The shop could not answer. Try again.")
        expect(buyer.pay).to_have_attribute("aria-disabled", "true")
        buyer.answers(callback, "() => ({})")
        buyer.chooses("option", "Express")
    expect(buyer.pay).to_have_attribute("aria-disabled", "false")
    assert "broken" in complaints.pop()


@pytest.mark.exhaustive
def test_an_answer_that_is_none_is_the_developers_error(buyer: Buyer) -> None:
    faults = {
        "({error: {intent: 'PAYMENT_METHOD', reason: 'OTHER_ERROR', message: 'x'}})": "error.intent",
        "({newTransactionInfo: {totalPrice: 12}})": "newTransactionInfo.currencyCode",
        "({newOfferInfo: []})": "newOfferInfo",
        "null": "must be an object",
    }
    buyer.is_offered(ADDRESSED)
    for answer, fault in faults.items():
        buyer.answers("changed", f"() => ({answer})")
        buyer.button.click()
        end = buyer.ended()
        assert end["statusCode"] == "DEVELOPER_ERROR"
        assert fault in end["statusMessage"]


@pytest.mark.exhaustive
def test_a_shop_that_never_says_whether_it_charged_ends_the_sheet(new_buyer: NewBuyer) -> None:
    buyer = new_buyer()
    buyer.page.clock.install()
    buyer.is_offered(AUTHORIZING)
    buyer.answers("authorized", "() => new Promise(() => {})")
    buyer.opens()
    buyer.approves()
    buyer.until("shop.asked.length > 0")
    buyer.page.clock.run_for(31_000)
    end = buyer.ended()
    assert end["statusCode"] == "INTERNAL_ERROR"
    assert end["statusMessage"].startswith("REQUEST_TIMEOUT")


def test_a_message_from_elsewhere_is_not_heard(buyer: Buyer) -> None:
    buyer.is_offered()
    buyer.opens()
    channel = buyer.page.evaluate("new URL(document.querySelector('iframe').src).searchParams.get('channel')")
    for said in ({"channel": channel, "kind": "done", "data": {}}, {"kind": "failed", "statusCode": "X"}):
        buyer.page.evaluate("said => postMessage(said, location.origin)", said)
    frame = buyer.page.frames[1]
    frame.evaluate("parent.postMessage({channel: 'guessed', kind: 'done', data: {}}, '*')")
    buyer.approves()
    assert buyer.ended()["data"]["paymentMethodData"]["type"] == "CARD"


def test_another_site_cannot_use_the_wallets_calls(buyer: Buyer, control: SandboxControl) -> None:
    refused = buyer.page.request.get(f"{control.base_url}/wallet/api/state", headers={"Origin": buyer.shop})
    assert refused.status == 403
