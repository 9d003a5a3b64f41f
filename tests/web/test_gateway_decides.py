"""The customer's pages against the sandbox: no URL decides anything, and the gateway decides everything."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from tests.support.shop import MovedClock
from tests.web.conftest import (
    PAID_HEADING,
    WAITING,
    address,
    follow,
    kind_of,
    let_the_gateway_be_asked_again,
    path_of,
    state_of,
)
from tests.web.page_reader import Page
from wallet_gateway import payments
from wallet_gateway.domain.states import OrderState, TransactionState
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.testing.control import SandboxControl

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_sleeps")]

R, S = ReturnOutcome, OrderState
MakeOrder = Callable[..., PaymentOrder]


def pay(client: Client, order: PaymentOrder) -> Answer:
    return client.post(reverse("wallet_gateway:checkout", args=[order.token]))


def queries(sandbox: SandboxControl) -> int:
    return sum(entry["operation"] == "status" for entry in sandbox.journal())


# How the payment page ended, the fault by which the gateway cannot say so, and what we know then.
SAID: dict[str, tuple[str, str, OrderState]] = {
    "no record": ("", "", S.OPEN),
    "Errored": ("refused", "", S.FAILED),
    "Pending": ("pending", "", S.PENDING),
    "Approved": ("success", "", S.PAID),
    "connection dropped": ("success", "drop_before", S.OPEN),
    "HTTP 500": ("success", "status_before", S.OPEN),
    "not JSON": ("success", "not_json", S.OPEN),
    "unheard-of state": ("success", "undocumented_state", S.PENDING),
}


@pytest.mark.parametrize("said", SAID)
def test_no_url_decides_anything_and_the_gateway_decides_everything(
    client: Client, wallet_sandbox: SandboxControl, open_attempt: Payment, said: str
) -> None:
    ended, fault, state = SAID[said]
    if ended:
        wallet_sandbox.complete_checkout(open_attempt.reference, ended)
    if fault:
        wallet_sandbox.fault("status", fault, times=99, status=500 if fault == "status_before" else None)
    for outcome in R:
        for method in ("get", "post"):
            response = getattr(client, method)(address("return", open_attempt, outcome))
            assert response.status_code == 303
            page = Page(follow(client, response["Location"]))
            assert state_of(open_attempt.order) == state, (outcome, method)
            assert (PAID_HEADING in page.text) is (state is S.PAID)
            assert bool(page.having("data-wallet-poll")) is (state in {S.OPEN, S.PENDING})
            if state is S.PENDING or (state is S.OPEN and outcome is not R.RETURN):
                assert WAITING in page.text
                assert not page.forms()
            let_the_gateway_be_asked_again()
    wallet_sandbox.clear_faults()
    if fault:
        assert PAID_HEADING in follow(client, address("return", open_attempt, R.SUCCESS))


@pytest.mark.parametrize(
    ("outcome", "state", "kind"),
    [
        ("success", S.PAID, "paid"),
        ("pending", S.PENDING, "pending"),
        ("refused", S.FAILED, "refused"),
        ("cancelled", S.FAILED, "cancelled"),
        ("error", S.FAILED, "failed"),
        ("return", S.OPEN, "undecided"),
    ],
)
def test_each_button_of_the_payment_page_ends_at_its_page(
    client: Client,
    wallet_sandbox: SandboxControl,
    open_attempt: Payment,
    outcome: str,
    state: OrderState,
    kind: str,
) -> None:
    order = open_attempt.order
    location = path_of(wallet_sandbox.complete_checkout(open_attempt.reference, outcome))
    assert kind_of(client.get(location, follow=True)) == kind
    assert state_of(order) == state
    # What is paid, or may be, is not paid again; and what is settled is not asked about again.
    asked = queries(wallet_sandbox)
    again = pay(client, order)
    assert again.status_code == (409 if state in {S.PAID, S.PENDING} else 303)
    assert order.payments.count() == (2 if state is S.FAILED else 1)
    if state is S.PAID:
        let_the_gateway_be_asked_again()
        client.get(location, follow=True)
        assert queries(wallet_sandbox) == asked


def test_what_an_undecided_page_offers_is_what_its_button_does_in_each_minute(
    client: Client, wallet_sandbox: SandboxControl, open_attempt: Payment
) -> None:
    came_back = wallet_sandbox.complete_checkout(open_attempt.reference, "return")
    follow(client, came_back)
    for left in (840, 65, 55, -30):
        ends = timezone.now() + timedelta(seconds=left)
        GatewayTransaction.objects.filter(payment=open_attempt).update(
            created_at=ends - timedelta(seconds=900), expires_at=ends
        )
        page, goes_on = Page(follow(client, came_back)), left > 60
        assert ("Continue to payment" if goes_on else "Try again") in page.text
        assert ("finish there" in page.text) is goes_on
        if left != 55:
            led_to = client.post(page.forms()[0])["Location"]
            assert (led_to == open_attempt.redirect_url) is goes_on


def test_however_many_pages_wait_the_gateway_is_asked_once_in_two_seconds(
    client: Client, wallet_sandbox: SandboxControl, open_attempt: Payment, nobody_sleeps: MovedClock
) -> None:
    nobody_sleeps.stop()
    for asked in (1, 2):
        for _ in range(3):
            client.get(address("status", open_attempt, R.SUCCESS))
            client.get(address("return", open_attempt, R.SUCCESS), follow=True)
        assert queries(wallet_sandbox) == asked
        nobody_sleeps.by += timedelta(seconds=2)


def test_a_link_that_has_expired_still_makes_us_ask(
    client: Client, wallet_sandbox: SandboxControl, open_attempt: Payment, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = wallet_sandbox.complete_checkout(open_attempt.reference, "success")
    monkeypatch.setattr("django.core.signing.time.time", lambda: 9_999_999_999.0)
    assert "This link has expired" in follow(client, location)
    assert state_of(open_attempt.order) == S.PAID


# To the payment page


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ("drop_before", 503),
        ("status_before", 503),
        ("not_json", 503),
        ("truncated", 503),
        ("error_body", 502),
    ],
)
def test_a_page_that_cannot_be_opened_says_that_nothing_was_charged(
    client: Client, wallet_sandbox: SandboxControl, make_order: MakeOrder, fault: str, status: int
) -> None:
    given = {"status_before": 503, "error_body": 400}.get(fault)
    wallet_sandbox.fault("checkout", fault, times=2, status=given)
    order = make_order()
    response = pay(client, order)
    page = Page(response.content.decode())
    assert (response.status_code, kind_of(response)) == (status, "checkout_unavailable")
    assert "Nothing was charged. Try again." in page.text
    assert page.forms() == [reverse("wallet_gateway:checkout", args=[order.token])]


@pytest.mark.django_db(transaction=True)
def test_a_project_that_wraps_each_request_in_a_transaction_takes_payments(
    client: Client, wallet_sandbox: SandboxControl, make_order: MakeOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(connection.settings_dict, "ATOMIC_REQUESTS", True)
    order = make_order()
    assert pay(client, order)["Location"] == pay(client, order)["Location"], "a second press, the same page"
    attempt = Payment.objects.get(order=order)
    assert PAID_HEADING in follow(client, wallet_sandbox.complete_checkout(attempt.reference, "success"))


# A gateway that the settings no longer name


def name_it(settings: Settings, alias: str) -> None:
    """Give the one gateway of the settings this alias."""
    (given,) = settings.WALLET_GATEWAY["GATEWAYS"].values()
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"GATEWAYS": {alias: given}}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("way", ["open", "unknown", "refused", "paid there"])
def test_the_pages_of_a_payment_that_nobody_can_ask_about_say_that_it_is_checked(
    way: str, client: Client, settings: Settings, open_attempt: Payment, wallet_sandbox: SandboxControl
) -> None:
    order = open_attempt.order
    if way in {"refused", "paid there"}:
        wallet_sandbox.complete_checkout(open_attempt.reference, "refused" if way == "refused" else "success")
    if way == "refused":
        payments.reconcile(open_attempt)
    if way == "unknown":
        GatewayTransaction.objects.update(state=TransactionState.UNKNOWN)
    name_it(settings, "renamed")
    let_the_gateway_be_asked_again()
    before, sent = state_of(order), len(wallet_sandbox.journal())
    checkout = reverse("wallet_gateway:checkout", args=[order.token])
    urls: list[Any] = [
        *(reverse(f"wallet_gateway:{name}", args=[order.token]) for name in ("pay", "opening")),
        address("return", open_attempt, R.SUCCESS),
        address("result", open_attempt, R.RETURN),
    ]
    for answer in (*(client.get(url, follow=True) for url in urls), client.post(checkout)):
        page = Page(answer.content.decode())
        assert answer.status_code == 200
        assert WAITING in page.text
        assert "Please do not pay again" in page.text
        assert not page.having("action"), "nothing on it leads to another payment"
        told = client.get(page.one("section").attributes["data-wallet-poll"]).json()
        assert (told["state"], told["final"]) == ("PENDING", False)
    api = reverse("wallet_gateway:wallet_checkout", args=[order.token])
    json = client.post(api, "{}", content_type="application/json")
    assert (json.status_code, json.json()["code"]) == (409, "order_not_payable")
    assert (len(wallet_sandbox.journal()), state_of(order), order.payments.count()) == (sent, before, 1)

    # With its alias back, everything goes on as before.
    name_it(settings, "default")
    let_the_gateway_be_asked_again()
    assert client.get(address("return", open_attempt, R.SUCCESS), follow=True).status_code == 200
    assert (state_of(order) == S.PAID) is (way == "paid there")


def test_an_order_that_nobody_has_begun_to_pay_is_not_said_to_be_checked(
    client: Client, settings: Settings, make_order: MakeOrder
) -> None:
    order = make_order()
    name_it(settings, "renamed")
    answer = client.get(reverse("wallet_gateway:pay", args=[order.token]))
    assert answer.status_code == 503
    assert WAITING not in answer.content.decode()


def test_check_doctor_and_sweep_name_the_alias_and_how_many_wait(
    settings: Settings, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    for _ in range(3):
        payments.start_checkout(make_order())
    name_it(settings, "renamed")
    counted = "3 unfinished transactions were begun at the gateway 'default', which the settings do not have"
    for command, options, said in (
        ("check", {"databases": ["default"]}, counted),
        ("wallet_doctor", {}, counted),
        ("wallet_sweep", {}, "default: 3 unfinished transactions wait; the settings have no such gateway"),
    ):
        out = io.StringIO()
        with contextlib.suppress(SystemExit):
            call_command(command, stdout=out, stderr=out, **options)
        assert said in out.getvalue()
