"""From the pay button to the result page and back again, against the sandbox gateway over the wire."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.web.conftest import (
    PAID_HEADING,
    WAITING,
    address,
    follow,
    let_the_gateway_be_asked_again,
    state_of,
)
from tests.web.page_reader import Page
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.testing.control import SandboxControl

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

pytestmark = pytest.mark.django_db

R = ReturnOutcome
MakeOrder = Callable[..., PaymentOrder]


def _pay(client: Client, order: PaymentOrder) -> Answer:
    return client.post(reverse("wallet_gateway:checkout", args=[order.token]))


# Back after a second card


@pytest.mark.parametrize("outcome", list(R))
def test_whoever_comes_back_by_any_address_after_a_second_card_has_paid(
    client: Client, wallet_sandbox: SandboxControl, open_attempt: Payment, outcome: ReturnOutcome
) -> None:
    wallet_sandbox.behaviour(another_card=True)
    refused = wallet_sandbox.complete_checkout(open_attempt.reference, "refused")
    follow(client, refused)
    assert state_of(open_attempt.order) == OrderState.FAILED

    wallet_sandbox.complete_checkout(open_attempt.reference, "success")
    let_the_gateway_be_asked_again()
    page = client.get(address("return", open_attempt, outcome), follow=True)
    assert PAID_HEADING in page.content.decode()
    assert state_of(open_attempt.order) == OrderState.PAID


# To the payment page


def test_a_second_press_leads_to_the_same_page(
    client: Client, wallet_sandbox: SandboxControl, make_order: MakeOrder
) -> None:
    order = make_order()
    assert _pay(client, order)["Location"] == _pay(client, order)["Location"]
    assert Payment.objects.filter(order=order).count() == 1


@pytest.mark.parametrize("fault", ["drop_before", "status_before", "not_json", "error_body", "truncated"])
def test_a_page_that_cannot_be_opened_says_that_nothing_was_charged(
    client: Client, wallet_sandbox: SandboxControl, make_order: MakeOrder, fault: str
) -> None:
    status = {"status_before": 503, "error_body": 400}.get(fault)
    wallet_sandbox.fault("checkout", fault, times=2, status=status)
    order = make_order()
    response = _pay(client, order)
    page = Page(response.content.decode())
    assert response.status_code == (502 if fault == "error_body" else 503)
    assert "We could not open the payment page" in page.text
    assert "Nothing was charged. Try again." in page.text
    assert page.forms() == [reverse("wallet_gateway:checkout", args=[order.token])]


def test_a_gateway_that_nobody_answers_for_is_a_503(
    client: Client, settings: Settings, make_order: MakeOrder, closed_port: str
) -> None:
    settings.WALLET_GATEWAY = _pointed_at(settings, closed_port)
    response = _pay(client, make_order())
    assert response.status_code == 503
    assert "Nothing was charged" in response.content.decode()


def test_an_order_that_is_paid_is_not_paid_again(
    client: Client, wallet_sandbox: SandboxControl, open_attempt: Payment
) -> None:
    follow(client, wallet_sandbox.complete_checkout(open_attempt.reference, "success"))
    response = _pay(client, open_attempt.order)
    page = Page(response.content.decode())
    assert response.status_code == 409
    assert "This order is already paid" in page.text
    assert "You were not charged again." in page.text
    assert not page.forms()
    assert Payment.objects.count() == 1


def test_an_order_whose_payment_is_pending_is_not_paid_again(
    client: Client, wallet_sandbox: SandboxControl, open_attempt: Payment
) -> None:
    follow(client, wallet_sandbox.complete_checkout(open_attempt.reference, "pending"))
    response = _pay(client, open_attempt.order)
    page = Page(response.content.decode())
    assert response.status_code == 409
    assert "Please do not pay again" in page.text
    assert not page.forms()
    status = client.get(page.one("section").attributes["data-wallet-poll"]).json()
    assert status["state"] == "PENDING"


# Back from it


@pytest.mark.parametrize(
    ("outcome", "state", "words"),
    [
        ("success", OrderState.PAID, PAID_HEADING),
        ("pending", OrderState.PENDING, WAITING),
        ("refused", OrderState.FAILED, "Your payment was refused"),
        ("cancelled", OrderState.FAILED, "You cancelled the payment"),
        ("error", OrderState.FAILED, "Your payment did not go through"),
        ("return", OrderState.OPEN, "Your payment is not finished"),
    ],
)
def test_each_button_of_the_payment_page_ends_at_its_page(
    client: Client,
    wallet_sandbox: SandboxControl,
    open_attempt: Payment,
    outcome: str,
    state: OrderState,
    words: str,
) -> None:
    html = follow(client, wallet_sandbox.complete_checkout(open_attempt.reference, outcome))
    assert words in Page(html).text
    assert state_of(open_attempt.order) == state


@pytest.mark.django_db(transaction=True)
def test_a_project_that_wraps_each_request_in_a_transaction_takes_payments(
    client: Client,
    wallet_sandbox: SandboxControl,
    make_order: MakeOrder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(connection.settings_dict, "ATOMIC_REQUESTS", True)
    order = make_order()
    assert _pay(client, order).status_code == 303
    attempt = Payment.objects.get(order=order)
    html = follow(client, wallet_sandbox.complete_checkout(attempt.reference, "success"))
    assert PAID_HEADING in html


@pytest.fixture
def closed_port() -> Iterator[str]:
    """The address of a port that nobody listens on."""
    import socket

    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{reserved.getsockname()[1]}"


def _pointed_at(settings: Settings, base_url: str) -> dict[str, Any]:
    configuration: dict[str, Any] = settings.WALLET_GATEWAY
    default = configuration["GATEWAYS"]["default"] | {"BASE_URL": base_url}
    return configuration | {"GATEWAYS": {"default": default}}
