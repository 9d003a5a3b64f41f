"""The wallet's result over JSON: charged once, by our own rows, and only for the browser that asked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.browser import CARD, FAILED, UNKNOWN, Browser, approve
from tests.api.conftest import MakeOrder
from tests.web.conftest import state_of
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_counted")]


@pytest.fixture
def browser() -> Browser:
    return Browser()


# The result


def test_a_token_pays(order: PaymentOrder, browser: Browser, wallet_sandbox: SandboxControl) -> None:
    answer = browser.post("result", order, approve(wallet_sandbox, browser.open(order)))
    body = answer.json()
    assert (answer.status_code, body["outcome"], state_of(order)) == (200, "APPROVED", "PAID")
    page = browser.client.get(body["next"])
    assert "Your payment went through" in page.content.decode()


def test_a_plain_card_is_sent_to_three_d_secure_and_comes_back_paid(
    order: PaymentOrder, browser: Browser, wallet_sandbox: SandboxControl
) -> None:
    session = browser.open(order)
    body = browser.post("result", order, approve(wallet_sandbox, session, CARD)).json()
    assert body["outcome"] == "THREE_D_SECURE"
    assert body["next"].startswith(wallet_sandbox.base_url)
    assert browser.post("session", order).status_code == 409
    location = wallet_sandbox.complete_three_d_secure(session["reference"], "success")
    browser.client.get(location.removeprefix("http://127.0.0.1:8000"), follow=True)
    assert state_of(order) == "PAID"


def test_a_result_that_comes_twice_is_paid_once(
    order: PaymentOrder, browser: Browser, wallet_sandbox: SandboxControl
) -> None:
    detail = approve(wallet_sandbox, browser.open(order))
    first, second = (browser.post("result", order, detail).json() for _ in range(2))
    assert first["outcome"] == second["outcome"] == "APPROVED"
    assert payments.get_order(order.reference).payments.filter(captured__gt=0).count() == 1


def test_after_a_decline_another_card_pays(
    order: PaymentOrder, browser: Browser, wallet_sandbox: SandboxControl
) -> None:
    session = browser.open(order)
    wallet_sandbox.fault("authorization", "errored")
    declined = browser.post("result", order, approve(wallet_sandbox, session)).json()
    assert (declined["outcome"], declined["next"]) == ("DECLINED", "")
    reference = browser.post("reference", order).json()["reference"]
    assert reference != session["reference"]
    second = approve(wallet_sandbox, session, reference=reference)
    assert browser.post("result", order, second).json()["outcome"] == "APPROVED"
    assert state_of(order) == "PAID"


def test_an_unknown_outcome_leads_to_the_page_that_waits(
    order: PaymentOrder, browser: Browser, wallet_sandbox: SandboxControl
) -> None:
    detail = approve(wallet_sandbox, browser.open(order))
    wallet_sandbox.fault("authorization", "drop_before", times=1)
    body = browser.post("result", order, detail).json()
    assert body["outcome"] == "CHECKING"
    assert browser.client.get(body["next"]).status_code == 200
    assert browser.post("session", order).json()["code"] == "order_not_payable"


def test_a_gateway_that_cannot_say_which_card_it_is_costs_nothing(
    order: PaymentOrder, browser: Browser, wallet_sandbox: SandboxControl
) -> None:
    detail = approve(wallet_sandbox, browser.open(order))
    wallet_sandbox.fault("get_payment_account", "drop_before", times=9)
    answer = browser.post("result", order, detail)
    assert (answer.status_code, answer.json()["code"]) == (503, "try_again")
    assert payments.get_order(order.reference).is_payable


def test_the_gateways_refusal_of_a_card_leaves_the_order_payable(
    order: PaymentOrder, browser: Browser
) -> None:
    browser.open(order)
    body = browser.post("result", order, FAILED).json()
    assert (body["outcome"], body["next"]) == ("TRY_AGAIN", "")
    assert payments.get_order(order.reference).is_payable


def test_what_the_browser_says_of_money_and_merchant_is_of_no_interest(
    order: PaymentOrder, browser: Browser, wallet_sandbox: SandboxControl
) -> None:
    detail = approve(wallet_sandbox, browser.open(order))
    lies = {
        "amount": "0.01",
        "currencyCode": "JPY",
        "merchantId": "EVIL",
        "orderId": "1",
        "state": "Approved",
    }
    assert browser.post("result", order, detail | lies).json()["outcome"] == "APPROVED"
    assert payments.get_order(order.reference).payments.get(captured__gt=0).captured == 2490


# Whose it is


def _body(kind: str, reference: str) -> dict[str, Any]:
    result = {"clientSystemTransactionId": reference, "transactionAccountId": "A"}
    if kind == "result":
        return result | {"transactionMethod": "WalletPay"}
    return {"reference": reference} | ({"event": "CLOSED"} if kind == "event" else {})


@pytest.mark.parametrize("kind", ["reference", "price", "result", "event"])
@pytest.mark.parametrize("has_own", [False, True], ids=["no-session", "own-session"])
def test_another_browser_gets_a_404_without_a_byte_of_the_order(
    order: PaymentOrder, make_order: MakeOrder, browser: Browser, kind: str, has_own: bool
) -> None:
    reference, thief = browser.open(order)["reference"], Browser()
    if has_own:
        thief.open(make_order())
    answer = thief.post(kind, order, _body(kind, reference))
    assert (answer.status_code, json.loads(answer.content)) == (404, UNKNOWN)


def test_a_reference_of_another_order_of_the_same_browser_is_a_404(
    order: PaymentOrder, make_order: MakeOrder, browser: Browser, wallet_sandbox: SandboxControl
) -> None:
    other = make_order()
    detail = approve(wallet_sandbox, browser.open(other))
    browser.open(order)
    assert browser.post("result", order, detail).status_code == 404
    assert state_of(order) == state_of(other) == "OPEN"


def test_an_account_pays_one_order_only(
    order: PaymentOrder, make_order: MakeOrder, browser: Browser, wallet_sandbox: SandboxControl
) -> None:
    detail = approve(wallet_sandbox, browser.open(order))
    assert browser.post("result", order, detail).json()["outcome"] == "APPROVED"
    other = make_order()
    stolen = detail | {"clientSystemTransactionId": browser.open(other)["reference"]}
    answer = browser.post("result", other, stolen)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_result")
    assert payments.get_order(other.reference).is_payable
