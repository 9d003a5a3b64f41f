"""Result pages against the sandbox gateway: no URL decides anything, and the gateway decides everything."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.web.conftest import (
    PAID_HEADING,
    WAITING,
    address,
    follow,
    let_the_gateway_be_asked_again,
    state_of,
)
from tests.web.page_reader import Page
from wallet_gateway import payments
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.operations.polling import reconciliation
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db

R = ReturnOutcome
MakeOrder = Callable[..., PaymentOrder]


def _queries(sandbox: SandboxControl) -> int:
    return sum(entry["operation"] == "status" for entry in sandbox.journal())


# What the gateway says about the attempt, prepared without the browser.
SAID: dict[str, Callable[[SandboxControl, Payment], object]] = {
    "no record": lambda sandbox, attempt: None,
    "Errored": lambda sandbox, attempt: sandbox.complete_checkout(attempt.reference, "refused"),
    "Pending": lambda sandbox, attempt: sandbox.complete_checkout(attempt.reference, "pending"),
    "Approved": lambda sandbox, attempt: sandbox.complete_checkout(attempt.reference, "success"),
    "connection dropped": lambda sandbox, attempt: _silent(sandbox, attempt, "drop_before"),
    "HTTP 500": lambda sandbox, attempt: _silent(sandbox, attempt, "status_before", status=500),
    "not JSON": lambda sandbox, attempt: _silent(sandbox, attempt, "not_json"),
    "unheard-of state": lambda sandbox, attempt: _silent(sandbox, attempt, "undocumented_state"),
}
STATES = {
    "no record": OrderState.OPEN,
    "Errored": OrderState.FAILED,
    "Pending": OrderState.PENDING,
    "Approved": OrderState.PAID,
    "unheard-of state": OrderState.PENDING,
}


def _silent(sandbox: SandboxControl, attempt: Payment, fault: str, status: int | None = None) -> None:
    """The customer has paid, and the gateway cannot say so."""
    sandbox.complete_checkout(attempt.reference, "success")
    sandbox.fault("status", fault, times=9, status=status)


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("outcome", list(R))
@pytest.mark.parametrize("said", SAID)
def test_no_url_decides_anything_and_the_gateway_decides_everything(
    client: Client,
    wallet_sandbox: SandboxControl,
    open_attempt: Payment,
    said: str,
    outcome: ReturnOutcome,
    method: str,
) -> None:
    SAID[said](wallet_sandbox, open_attempt)
    send = getattr(client, method)
    response = send(address("return", open_attempt, outcome))
    assert response.status_code == 303
    page = Page(follow(client, response["Location"]))
    state = STATES.get(said, OrderState.OPEN)
    assert state_of(open_attempt.order) == state
    assert (PAID_HEADING in page.text) is (state is OrderState.PAID)
    waits = state in {OrderState.OPEN, OrderState.PENDING}
    assert bool(page.having("data-wallet-poll")) is waits
    if state is OrderState.PENDING or (state is OrderState.OPEN and outcome is not R.RETURN):
        assert WAITING in page.text
        assert not page.forms()


def test_a_page_opened_while_the_gateway_is_down_is_right_once_it_is_up(
    client: Client, wallet_sandbox: SandboxControl, open_attempt: Payment
) -> None:
    location = wallet_sandbox.complete_checkout(open_attempt.reference, "success")
    wallet_sandbox.fault("status", "drop_before", times=9)
    assert WAITING in follow(client, location)
    wallet_sandbox.clear_faults()
    let_the_gateway_be_asked_again()
    assert PAID_HEADING in follow(client, location)


@pytest.mark.parametrize(
    ("left", "button"),
    [
        (840, "Continue to payment"),
        (120, "Continue to payment"),
        (65, "Continue to payment"),
        (55, "Try again"),
        (1, "Try again"),
        (-30, "Try again"),
    ],
)
def test_what_an_undecided_page_offers_is_what_its_button_does_in_each_minute(
    left: int, button: str, client: Client, wallet_sandbox: SandboxControl, open_attempt: Payment
) -> None:
    came_back = wallet_sandbox.complete_checkout(open_attempt.reference, "return")
    follow(client, came_back)
    ends = timezone.now() + timedelta(seconds=left)
    GatewayTransaction.objects.update(created_at=ends - timedelta(seconds=900), expires_at=ends)
    page = Page(follow(client, came_back))
    assert button in page.text
    assert ("finish there" in page.text) is (button == "Continue to payment")
    led_to = client.post(page.forms()[0])["Location"]
    assert (led_to == open_attempt.redirect_url) is (button == "Continue to payment")


def test_a_payment_that_was_released_can_be_made_again(
    client: Client, wallet_sandbox: SandboxControl, make_order: MakeOrder
) -> None:
    first = payments.start_checkout(make_order(type="preauthorization"))
    came_back = wallet_sandbox.complete_checkout(first.reference, "success")
    follow(client, came_back)
    payments.reverse(PaymentOrder.objects.get())
    page = Page(follow(client, came_back))
    assert "Your payment was released" in page.text
    assert "Pay in another way" in page.text
    again = client.post(page.forms()[0])
    assert again.status_code == 303
    assert again["Location"] != first.redirect_url


def test_however_many_pages_wait_the_gateway_is_asked_once_in_two_seconds(
    client: Client, wallet_sandbox: SandboxControl, open_attempt: Payment, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert timedelta(seconds=2) == reconciliation.AT_MOST_EVERY
    # A busy machine may take longer than that for twenty requests.
    monkeypatch.setattr(reconciliation, "AT_MOST_EVERY", timedelta(minutes=5))
    for _ in range(10):
        client.get(address("status", open_attempt, R.SUCCESS))
        client.get(address("return", open_attempt, R.SUCCESS), follow=True)
    assert _queries(wallet_sandbox) == 1


def test_a_settled_payment_is_not_asked_about_again(
    client: Client, wallet_sandbox: SandboxControl, open_attempt: Payment
) -> None:
    location = wallet_sandbox.complete_checkout(open_attempt.reference, "success")
    follow(client, location)
    asked = _queries(wallet_sandbox)
    let_the_gateway_be_asked_again()
    follow(client, location)
    assert _queries(wallet_sandbox) == asked


def test_a_link_that_has_expired_still_makes_us_ask(
    client: Client,
    wallet_sandbox: SandboxControl,
    open_attempt: Payment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    location = wallet_sandbox.complete_checkout(open_attempt.reference, "success")
    monkeypatch.setattr("django.core.signing.time.time", lambda: 9_999_999_999.0)
    page = Page(follow(client, location))
    assert "This link has expired" in page.text
    assert state_of(open_attempt.order) == OrderState.PAID
