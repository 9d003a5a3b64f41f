"""The poll and the opening of the gateway's page: what they answer, to whom, and what they leave alone."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client
from django.urls import resolve, reverse
from django.utils import timezone
from pytest_django import Settings

from tests.api.browser import Browser, problem
from tests.money.wallet.customers import WalletGateway
from tests.support.gateway import Answer, losing, record, refusing
from tests.support.shop import Shop
from tests.support.tables import every
from tests.web.conftest import address
from tests.web.rows import an_attempt, an_order
from wallet_gateway import payments, return_tokens
from wallet_gateway.domain.states import OrderState
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.return_tokens import ReturnOutcome

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

pytestmark = pytest.mark.django_db

NOT_FINAL = {OrderState.OPEN, OrderState.PENDING}


def poll(client: Client, attempt: Payment, **extra: Any) -> Response:
    return client.get(address("status", attempt, ReturnOutcome.SUCCESS), **extra)


@every("state", list(OrderState))
def test_the_answer_is_state_final_and_next_and_kept_by_nobody(client: Client, state: OrderState) -> None:
    client.cookies["sessionid"] = "of-a-customer-who-is-logged-in"
    response = poll(client, an_attempt(an_order(state)))
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    assert response.json() == {
        "state": state.value,
        "final": state not in NOT_FINAL,
        "next": response.request["PATH_INFO"].replace("/api/status/", "/result/"),
    }
    assert (response["Cache-Control"], response["Referrer-Policy"]) == ("no-store", "no-referrer")
    assert not response.cookies
    assert "Cookie" not in response.get("Vary", "")


def test_a_wrong_an_unknown_and_an_expired_link_are_problems_that_tell_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_nobody = return_tokens.sign("attempt-of-nobody", ReturnOutcome.SUCCESS)
    for token in ("a:b:c", of_nobody):
        response = client.get(reverse("wallet_gateway:status", args=[token]))
        assert (response.status_code, response["Cache-Control"]) == (404, "no-store")
        assert response.json() == problem("unknown_link", "Unknown link", "There is no such link.")
    attempt = an_attempt(an_order(OrderState.PAID))
    path = address("status", attempt, ReturnOutcome.SUCCESS)
    monkeypatch.setattr("django.core.signing.time.time", lambda: 9_999_999_999.0)
    response = client.get(path)
    assert response.json() == problem("expired_link", "The link has expired", "This link has expired.")


def test_a_shop_without_its_settings_is_a_problem_that_names_none_of_them(
    client: Client, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    attempt = an_attempt(an_order())
    settings.WALLET_GATEWAY = {}
    response = poll(client, attempt)
    assert (response.status_code, response.json()["code"]) == (503, "not_configured")
    assert "WALLET_GATEWAY" not in response.content.decode()
    assert "WALLET_GATEWAY" in caplog.text


def test_polls_are_not_throttled(client: Client) -> None:
    attempt = an_attempt(an_order())
    assert {poll(client, attempt).status_code for _ in range(130)} == {200}
    assert client.get(reverse("wallet_gateway:status", args=["a:b:c"])).status_code == 404


def test_a_poll_asks_the_gateway_and_says_that_nothing_is_known_while_that_is_down(
    client: Client, shop: Shop
) -> None:
    attempt = shop.begin()
    shop.report(attempt, record(attempt.reference))
    with shop.cut_off():
        answer = poll(client, attempt).json()
    assert (answer["state"], answer["final"]) == ("OPEN", False)
    shop.clock.by += timedelta(seconds=10)
    assert poll(client, attempt).json()["state"] == "PAID"


# Opening the gateway's page


def test_a_page_of_our_own_origin_opens_the_payment_page_by_its_csrf_token(
    order: PaymentOrder, shop: Shop
) -> None:
    answer = Browser().post("checkout", order)
    attempt, given = order.payments.get(), answer.json()
    assert given.pop("redirectUrl") == attempt.redirect_url
    assert given.keys() == {"statusUrl", "resultUrl"}
    for name, url in given.items():
        page = resolve(url)
        assert page.url_name == name.removesuffix("Url")
        token = return_tokens.read(page.kwargs["token"])
        assert (token.reference, token.outcome) == (attempt.reference, ReturnOutcome.RETURN)
    assert answer["Cache-Control"] == "no-store"
    assert "sessionid" not in answer.cookies
    # Once it is paid it is not paid again.
    shop.report(attempt, record(attempt.reference, transactionAmount=24.90))
    shop.ask(attempt)
    answer = Browser().post("checkout", order)
    assert (answer.status_code, answer.json()["code"]) == (409, "order_not_payable")


def test_a_customer_does_not_read_of_a_cancelled_order_or_one_past_its_time_that_it_is_paid(
    order: PaymentOrder,
) -> None:
    late = payments.create_order(
        reference="LATE-1", currency="EUR", amount=Decimal("20.00"), payable_until=timezone.now()
    )
    payments.cancel(order, by="shop")
    for ended in (order, late):
        expected = "This order can no longer be paid: it was cancelled, or the time to pay it is over."
        answer = Browser().post("checkout", ended).json()
        assert answer == problem("order_not_payable", "The order cannot be paid", expected)
        assert not ended.payments.exists()


@pytest.mark.parametrize(
    "page", [losing, refusing(503), refusing(400), lambda _: (200, b"no JSON")], ids=range(4)
)
def test_a_gateway_that_opens_no_page_is_a_problem_that_does_not_name_it(
    order: PaymentOrder, gateway: WalletGateway, caplog: pytest.LogCaptureFixture, page: Answer
) -> None:
    gateway.pages = [page] * 9
    answer = Browser().post("checkout", order)
    expected = "The payment page cannot be opened right now. Nothing was charged. Try again later."
    assert answer.json() == problem("checkout_unavailable", "The payment page is not available", expected)
    (logged,) = (one for one in caplog.records if one.name.startswith("wallet_gateway.c"))
    assert (logged.name, logged.levelname) == ("wallet_gateway.checkout", "WARNING")
    assert logged.getMessage().startswith(f"checkout of order {order.reference} failed (")


def test_while_sending_is_stopped_no_page_is_opened(order: PaymentOrder) -> None:
    payments.maintenance.stop_sending("default", by="ada", reason="a test")
    answer = Browser().post("checkout", order)
    assert (answer.status_code, answer.json()["code"]) == (503, "checkout_unavailable")
    assert not order.payments.exists()
