"""Card testing through the wallet's addresses: the cookie dropped, and from many addresses."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
from django.contrib.sessions.models import Session
from pytest_django import Settings

from tests.api.browser import Browser, approve, problem
from tests.operations.journal import times_sent
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder, WalletAttempt
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
CLOSED = problem(
    "wallet_limit_reached",
    403,
    "The wallet was used too often for this order. Nothing was charged. "
    "Please pay on the payment page, or contact the shop.",
)


@pytest.fixture
def limit(settings: Settings) -> Callable[..., None]:
    """Set limits, and perhaps the shop's pricing."""

    def change(pricing: str = "", **limits: int) -> None:
        given = copy.deepcopy(settings.WALLET_GATEWAY)
        wallet = given["GATEWAYS"]["default"]["WALLET"]
        wallet |= {"LIMITS": limits} | ({"PRICING": pricing} if pricing else {})
        settings.WALLET_GATEWAY = given

    return change


def test_a_cookie_that_is_dropped_and_another_address_test_no_more_cards(
    order: PaymentOrder, wallet_sandbox: SandboxControl, limit: Callable[..., None]
) -> None:
    limit(AUTHORIZATIONS=3)
    wallet_sandbox.fault("authorization", "errored", times=100)
    answers = []
    for number in range(6):
        browser, address = Browser(), {"REMOTE_ADDR": f"192.0.2.{number + 1}"}
        opened = browser.post("session", order, **address)
        if opened.status_code == 200:
            opened = browser.post("result", order, approve(wallet_sandbox, opened.json()), **address)
        answers.append(opened)

    assert [answer.status_code for answer in answers] == [200, 200, 200, 403, 403, 403]
    assert answers[-1].json() == CLOSED
    assert times_sent(wallet_sandbox, "authorization") == 3


def test_three_hundred_browsers_make_as_many_rows_as_the_order_allows(
    order: PaymentOrder, limit: Callable[..., None]
) -> None:
    limit(SESSIONS=10)
    codes = [Browser().post("session", order).status_code for _ in range(300)]

    assert codes == [200] * 10 + [403] * 290
    made = (Payment, GatewayTransaction, WalletAttempt)
    assert [model.objects.count() for model in made] == [10, 10, 10]
    # A browser that is shown no button gets no session either.
    assert Session.objects.count() == 10


def test_a_guessed_code_is_refused_in_all_sessions_once_the_order_has_tried_its_number(
    order: PaymentOrder, limit: Callable[..., None]
) -> None:
    limit(pricing="tests.api.shipping.price", DISCOUNT_CODES=4)
    browsers = [Browser() for _ in range(3)]
    references = [browser.open(order)["reference"] for browser in browsers]

    def guess(number: int, code: str) -> int:
        body = {"reference": references[number % 3], "offers": [code]}
        return browsers[number % 3].post("price", order, body).status_code

    assert [guess(number, f"GUESS-{number}") for number in range(6)] == [200] * 4 + [403] * 2
    assert guess(0, "SAVE") == 403


def test_what_no_page_of_the_order_has_sent_is_not_counted(
    order: PaymentOrder, wallet_sandbox: SandboxControl, limit: Callable[..., None]
) -> None:
    limit(RESULTS=1)
    browser = Browser()
    detail = approve(wallet_sandbox, browser.open(order))
    strangers = [
        browser.post("result", order, detail, HTTP_X_CSRFTOKEN="").status_code,
        Browser().post("result", order, detail).status_code,
        browser.post("result", order, {**detail, "clientSystemTransactionId": "other"}).status_code,
    ]
    assert strangers == [403, 404, 404]
    assert browser.post("result", order, detail).json()["outcome"] == "APPROVED"
