"""The wallet button's five addresses: what they answer, to whom, and that nothing else is believed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from pytest_django import Settings

from tests.api.browser import FAILED, UNKNOWN, Browser
from tests.money.wallet.customers import CARD, Customer, WalletGateway, detail_for
from tests.money.wallet.hooks import PRICING, Hooks
from tests.support.gateway import answering, losing, refusing
from tests.support.shop import Shop
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder

pytestmark = pytest.mark.django_db


def state_of(order: PaymentOrder) -> str:
    return payments.get_order(order.reference).state


# The session


def test_a_session_has_the_fifteen_parameters_names_no_person_and_is_kept_by_nobody(
    order: PaymentOrder, browser: Browser
) -> None:
    answer, again, other = browser.post("session", order), browser.open(order), Browser().open(order)
    session = answer.json()
    assert session["reference"] == again["reference"] != other["reference"]
    assert list(session) == ["reference", "parameters", "script", "statusUrl", "resultUrl", "expiresIn"]
    given = session["parameters"]
    assert (len(given), given["amount"], given["currencyCode"]) == (15, "24.90", "EUR")
    assert (given["mid"], given["clientSystemTransactionId"]) == ("SANDBOX-MERCHANT", session["reference"])
    assert 60 < session["expiresIn"] < 86_400
    assert "ada@example.com" not in answer.content.decode()
    assert (answer["Cache-Control"], answer["Referrer-Policy"]) == ("no-store", "no-referrer")


Happens = Callable[[Customer, PaymentOrder], object]


def close(customer: Customer, order: PaymentOrder) -> None:
    """Let somebody else use the button up."""
    customer.limit(SESSIONS=1)
    for _ in range(2):
        Browser().post("session", order)


def no_settings(customer: Customer, order: PaymentOrder) -> None:
    customer.shop.settings.WALLET_GATEWAY = {}


TOO_OFTEN = (
    "The wallet was used too often for this order. Nothing was charged. "
    "Please pay on the payment page, or contact the shop."
)
NO_BUTTON: list[tuple[Happens, int, str]] = [
    (lambda customer, _: customer.gateway.keys.extend([losing] * 9), 503, "wallet_unavailable"),
    (lambda customer, _: customer.without_wallet(), 503, "wallet_unavailable"),
    (lambda customer, order: customer.pay(order), 409, "order_not_payable"),
    (close, 403, "wallet_limit_reached"),
    (no_settings, 503, "not_configured"),
]


@pytest.mark.parametrize(("happens", "status", "code"), NO_BUTTON, ids=[row[2] for row in NO_BUTTON])
def test_a_button_that_is_not_shown_costs_no_session_and_says_why(
    happens: Happens,
    status: int,
    code: str,
    order: PaymentOrder,
    customer: Customer,
    browser: Browser,
    settings: Settings,
) -> None:
    given = settings.WALLET_GATEWAY
    happens(customer, order)
    before = Session.objects.count()
    answer = browser.post("session", order)
    assert (answer.status_code, answer.json()["code"], list(answer.cookies)) == (status, code, [])
    assert Session.objects.count() == before
    assert (answer.json()["detail"] == TOO_OFTEN) == (code == "wallet_limit_reached")
    settings.WALLET_GATEWAY = given


# Price and reference


def test_what_the_browser_says_of_money_and_merchant_is_of_no_interest(
    order: PaymentOrder, browser: Browser, gateway: WalletGateway
) -> None:
    lies = {
        "amount": "0.01",
        "total": "0.01",
        "currencyCode": "JPY",
        "merchantId": "EVIL",
        "state": "Errored",
    }
    reference = browser.open(order)["reference"]
    asked = {"reference": reference, "offers": [], "shippingAddress": {"countryCode": "FR"}}
    body = browser.post("price", order, lies | asked).json()
    assert (body["total"], body["errors"], body["shippingOptions"]) == ("24.90", [], [])
    assert [item["price"] for item in body["displayItems"]] == ["24.90"]
    assert browser.post("result", order, detail_for(reference, **lies)).json()["outcome"] == "APPROVED"
    (sent,) = gateway.sent
    assert (sent["amount"], sent["currencyCode"], sent["merchantId"]) == ("24.90", "EUR", "SANDBOX-MERCHANT")


def test_shipping_is_priced_and_is_what_is_charged(
    order: PaymentOrder, browser: Browser, customer: Customer, gateway: WalletGateway, hooks: Hooks
) -> None:
    customer.configure(PRICING=PRICING, SHIPPING={"ADDRESS": True})
    reference = browser.open(order)["reference"]
    address = {"countryCode": "FR", "postalCode": "75001", "administrativeArea": ""}
    asked = {"reference": reference, "shippingAddress": address, "shippingOption": "fast", "offers": ["TEN"]}
    body = browser.post("price", order, asked).json()
    assert (body["total"], body["selectedOption"]) == ("23.90", "fast")
    shown = [(option["amount"], option["amountText"]) for option in body["shippingOptions"]]
    assert shown == [("15.00", "€15.00"), ("9.00", "€9.00")]
    assert body["offers"] == [{"redemptionCode": "TEN", "description": "Ten"}]
    nowhere = asked | {"shippingAddress": {"countryCode": "AQ"}}
    assert browser.post("price", order, nowhere).json()["errors"] == [
        {"intent": "SHIPPING_ADDRESS", "reason": "SHIPPING_ADDRESS_UNSERVICEABLE", "message": "No"}
    ]
    assert browser.post("result", order, detail_for(reference)).json()["code"] == "invalid_result"
    detail = detail_for(reference, shippingAddress=address)
    assert browser.post("result", order, detail).json()["outcome"] == "APPROVED"
    assert [sent["amount"] for sent in gateway.sent] == ["23.90"]


def test_a_second_card_gets_a_reference_of_its_own_sheet_after_the_first_was_used(
    order: PaymentOrder, browser: Browser, gateway: WalletGateway
) -> None:
    session = browser.open(order)
    addresses = ("reference", "statusUrl", "resultUrl")
    assert browser.post("reference", order).json() == {name: session[name] for name in addresses}
    gateway.answers.append(answering(state="Errored"))
    browser.post("result", order, detail_for(session["reference"]))
    second = browser.post("reference", order, {"after": session["reference"]}).json()
    assert not set(second.values()) & {session[name] for name in addresses}
    paid = browser.post("result", order, detail_for(second["reference"]))
    assert paid.json()["outcome"] == "APPROVED"


# The result


CHALLENGE = answering(state="Pending", redirectUrl="http://127.0.0.1:8001/3ds")
OUTCOMES: list[tuple[Callable[[WalletGateway], object], str, str]] = [
    (lambda gateway: None, "APPROVED", "Your payment went through"),
    (lambda gateway: gateway.answers.append(answering(state="Errored")), "DECLINED", ""),
    (lambda gateway: gateway.answers.append(losing), "CHECKING", "We are checking your payment"),
    (lambda gateway: gateway.account.update(CARD), "THREE_D_SECURE", "http://127.0.0.1:8001/3ds"),
]


@pytest.mark.parametrize(("happens", "outcome", "then"), OUTCOMES, ids=[row[1] for row in OUTCOMES])
def test_the_outcome_of_a_card_says_where_the_page_goes(
    happens: Callable[[WalletGateway], object],
    outcome: str,
    then: str,
    order: PaymentOrder,
    browser: Browser,
    gateway: WalletGateway,
) -> None:
    happens(gateway)
    proof = {}
    if outcome == "THREE_D_SECURE":
        gateway.answers.append(CHALLENGE)
        proof = {"cryptogram": None, "eciIndicator": None}
    detail = detail_for(browser.open(order)["reference"], **proof)
    for _ in range(2):
        body = browser.post("result", order, detail).json()
        assert (body["outcome"], bool(body["next"])) == (outcome, bool(then))
    assert len(gateway.sent) == 1
    if body["next"].startswith("/"):
        assert then in browser.client.get(body["next"]).content.decode()
    else:
        assert body["next"] == then
    held = {"APPROVED": 409, "CHECKING": 409, "THREE_D_SECURE": 409}
    assert browser.post("session", order).status_code == held.get(outcome, 200)


def test_what_the_gateway_or_the_sheet_does_not_say_costs_nothing(
    order: PaymentOrder, browser: Browser, gateway: WalletGateway
) -> None:
    detail = detail_for(browser.open(order)["reference"])
    for answer, status, code in (([losing] * 4, 503, "try_again"), ([refusing(404)], 409, "card_refused")):
        gateway.cards = list(answer)
        said = browser.post("result", order, detail)
        assert (said.status_code, said.json()["code"]) == (status, code)
    body = browser.post("result", order, FAILED).json()
    assert (body["outcome"], body["next"]) == ("TRY_AGAIN", "")
    assert payments.get_order(order.reference).is_payable


# Whose it is


def body_of(kind: str, reference: str) -> dict[str, Any]:
    if kind == "result":
        return detail_for(reference)
    if kind == "event":
        return {"reference": reference, "event": "CLOSED"}
    return {"after" if kind == "reference" else "reference": reference}


@pytest.mark.parametrize("has_own", [False, True], ids=["no-session", "own-session"])
def test_another_browser_gets_a_404_without_a_byte_of_the_order(
    shop: Shop, order: PaymentOrder, browser: Browser, has_own: bool
) -> None:
    reference, thief = browser.open(order)["reference"], Browser()
    if has_own:
        thief.open(shop.order())
    for kind in ("reference", "price", "result", "event"):
        answer = thief.post(kind, order, body_of(kind, reference))
        assert (answer.status_code, answer.json()) == (404, UNKNOWN), kind


# What the page reports


def test_what_the_page_reports_is_in_the_timeline_and_changes_nothing(
    order: PaymentOrder, browser: Browser
) -> None:
    report = {"reference": browser.open(order)["reference"]}
    for event, message in [("READY", None), ("CLOSED", ""), ("ERROR", "card 4111111111111111\nfailed")]:
        answer = browser.post("event", order, report | {"event": event, "message": message or None})
        assert (answer.status_code, answer.content) == (204, b"")

    def told(*, everything: bool) -> list[tuple[str, str]]:
        entries = payments.orders.order_timeline(order, everything=everything)
        return [(str(entry.text), entry.detail) for entry in entries if entry.kind == "REPORTED"]

    by_the_customer = [("Wallet sheet closed", ""), ("Wallet reported an error", "card ***1111 failed")]
    assert told(everything=False) == by_the_customer
    assert told(everything=True) == [("Wallet button ready", ""), *by_the_customer]
    assert state_of(order) == "OPEN"


def test_a_page_whose_key_the_gateway_refuses_hears_that_it_needs_a_new_session(
    order: PaymentOrder, browser: Browser, gateway: WalletGateway
) -> None:
    before = browser.open(order)
    gateway.refused = {"api-key-1"}
    report = {"reference": before["reference"], "event": "ERROR", "message": "HTTP 401"}
    answer = browser.post("event", order, report)
    assert (answer.status_code, answer.json()) == (200, {"newSession": True})
    assert browser.open(order)["parameters"]["publicKeyApi"] == "api-key-2"
