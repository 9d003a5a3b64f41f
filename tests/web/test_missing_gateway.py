"""A gateway that the settings no longer name: its customers read that the payment is being checked."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
from django.apps import apps
from django.core.checks import CheckMessage, run_checks
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.web.conftest import WAITING, address, let_the_gateway_be_asked_again, state_of
from tests.web.page_reader import Page
from wallet_gateway import payments
from wallet_gateway.doctor.examination import run_checks as examine
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.findings import Code, Level
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db(transaction=True)

S = TransactionState
MakeOrder = Callable[..., PaymentOrder]


def name_it(settings: Settings, alias: str) -> None:
    """Give the one gateway of the settings this alias."""
    (given,) = settings.WALLET_GATEWAY["GATEWAYS"].values()
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"GATEWAYS": {alias: given}}


def pages_of(attempt: Payment) -> dict[str, str]:
    return {
        "pay": reverse("wallet_gateway:pay", args=[attempt.order.token]),
        "opening": reverse("wallet_gateway:opening", args=[attempt.order.token]),
        "return": address("return", attempt, ReturnOutcome.SUCCESS),
        "result": address("result", attempt, ReturnOutcome.RETURN),
    }


def reported() -> list[CheckMessage]:
    app = apps.get_app_config("wallet_gateway")
    found = run_checks(app_configs=[app], databases=["default"])
    return [message for message in found if message.id == Code.GATEWAY_MISSING.value]


@pytest.mark.parametrize("way", ["open", "unknown", "refused", "expired", "paid there"])
def test_the_pages_of_a_payment_that_nobody_can_ask_about_say_that_it_is_checked(
    way: str, client: Client, settings: Settings, open_attempt: Payment, wallet_sandbox: SandboxControl
) -> None:
    if way == "refused":
        wallet_sandbox.complete_checkout(open_attempt.reference, "refused")
        payments.reconcile(open_attempt)
    states = {"unknown": S.UNKNOWN, "expired": S.EXPIRED}
    if way in states:
        GatewayTransaction.objects.update(state=states[way])
    if way == "paid there":
        wallet_sandbox.complete_checkout(open_attempt.reference, "success")
    name_it(settings, "renamed")
    let_the_gateway_be_asked_again()
    before, sent = state_of(open_attempt.order), len(wallet_sandbox.journal())

    for url in pages_of(open_attempt).values():
        answer = client.get(url, follow=True)
        assert answer.status_code == 200
        html = answer.content.decode()
        assert WAITING in html
        assert "Please do not pay again" in html
        page = Page(html)
        assert not page.having("action"), "nothing on it leads to another payment"
        status = page.one("section").attributes["data-wallet-poll"]
        assert status is not None
        told = client.get(status).json()
        assert (told["state"], told["final"]) == ("PENDING", False)
    order = open_attempt.order
    assert client.post(reverse("wallet_gateway:checkout", args=[order.token])).status_code == 200
    json = client.post(
        reverse("wallet_gateway:wallet_checkout", args=[order.token]), "{}", content_type="application/json"
    )
    assert (json.status_code, json.json()["code"]) == (409, "order_not_payable")
    assert "do not pay again" in json.json()["detail"]

    assert len(wallet_sandbox.journal()) == sent
    assert state_of(order) == before
    assert order.payments.count() == 1

    # With its alias back, everything goes on as before.
    name_it(settings, "default")
    let_the_gateway_be_asked_again()
    answer = client.get(pages_of(open_attempt)["return"], follow=True)
    assert (state_of(order) == OrderState.PAID) is (way == "paid there")
    assert answer.status_code == 200


def test_an_order_that_nobody_has_begun_to_pay_is_not_said_to_be_checked(
    client: Client, settings: Settings, make_order: MakeOrder
) -> None:
    order = make_order()
    name_it(settings, "renamed")
    answer = client.get(reverse("wallet_gateway:pay", args=[order.token]))
    assert answer.status_code == 503
    assert WAITING not in answer.content.decode()


def test_the_check_the_doctor_and_the_sweep_name_the_alias_and_how_many_wait(
    settings: Settings, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    for _ in range(3):
        payments.start_checkout(make_order())
    assert reported() == []
    name_it(settings, "renamed")

    (message,) = reported()
    assert message.msg == (
        "3 unfinished transactions were begun at the gateway 'default', which the settings do not have"
    )
    assert "under this alias" in str(message.hint)
    (found,) = (one for one in examine() if one.code is Code.GATEWAY_MISSING)
    assert (found.level, found.params) == (Level.WARNING, {"gateway": "default", "count": 3})
    said = StringIO()
    call_command("wallet_sweep", stdout=said)
    assert "default: 3 unfinished transactions wait; the settings have no such gateway" in said.getvalue()

    name_it(settings, "default")
    assert reported() == []
    said = StringIO()
    call_command("wallet_sweep", stdout=said)
    assert "no such gateway" not in said.getvalue()
