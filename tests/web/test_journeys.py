"""From the pay button to the result page and back again, against the sandbox gateway over the wire."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from tests.web.conftest import address, follow, path_of, state_of
from tests.web.page_reader import Page
from wallet_gateway import payments
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.operations.polling import reconciliation
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.testing.control import SandboxControl

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

pytestmark = pytest.mark.django_db

R = ReturnOutcome
MakeOrder = Callable[..., PaymentOrder]
PAID_HEADING = "Your payment went through"
WAITING = "We have not yet heard whether your payment went through."


def _pay(client: Client, order: PaymentOrder) -> Answer:
    return client.post(reverse("wallet_gateway:checkout", args=[order.token]))


def _queries(sandbox: SandboxControl) -> int:
    return sum(entry["operation"] == "status" for entry in sandbox.journal())


def _let_the_gateway_be_asked_again() -> None:
    GatewayTransaction.objects.update(last_queried_at=None)


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
    _let_the_gateway_be_asked_again()
    page = client.get(address("return", open_attempt, outcome), follow=True)
    assert PAID_HEADING in page.content.decode()
    assert state_of(open_attempt.order) == OrderState.PAID


# The shop's own thank-you page


THANKS = "/orders/7/thanks/"


@pytest.mark.parametrize("kind", ["sale", "preauthorization"])
def test_a_customer_who_has_paid_is_sent_to_the_shops_own_page(
    client: Client, wallet_sandbox: SandboxControl, make_order: MakeOrder, kind: str
) -> None:
    attempt = payments.start_checkout(make_order(continue_url=THANKS, redirect_when_paid=True, type=kind))
    location = wallet_sandbox.complete_checkout(attempt.reference, "success")
    response = client.get(path_of(client.get(path_of(location))["Location"]))
    assert (response.status_code, response["Location"]) == (303, THANKS)


@pytest.mark.parametrize("outcome", ["refused", "cancelled", "error", "pending"])
def test_nobody_else_is_sent_there_by_whatever_address_they_come(
    client: Client, wallet_sandbox: SandboxControl, make_order: MakeOrder, outcome: str
) -> None:
    attempt = payments.start_checkout(make_order(continue_url=THANKS, redirect_when_paid=True))
    wallet_sandbox.complete_checkout(attempt.reference, outcome)
    for came_back in R:
        response = client.get(address("return", attempt, came_back), follow=True)
        assert response.status_code == 200
        assert THANKS not in [url for url, _ in response.redirect_chain]


def test_who_had_to_wait_goes_on_as_soon_as_it_is_paid(
    client: Client, wallet_sandbox: SandboxControl, make_order: MakeOrder
) -> None:
    attempt = payments.start_checkout(make_order(continue_url=THANKS, redirect_when_paid=True))
    page = follow(client, wallet_sandbox.complete_checkout(attempt.reference, "pending"))
    assert WAITING in page
    wallet_sandbox.settle_pending(attempt.reference, "success")
    _let_the_gateway_be_asked_again()
    status = client.get(Page(page).one("section").attributes["data-wallet-poll"]).json()
    assert status["final"] is True
    assert client.get(status["next"])["Location"] == THANKS


# To the payment page


def test_the_pay_button_leads_to_the_gateways_page(
    client: Client, wallet_sandbox: SandboxControl, make_order: MakeOrder
) -> None:
    response = _pay(client, make_order())
    assert response.status_code == 303
    assert response["Location"].startswith("http://127.0.0.1:")
    assert "/checkout/" in response["Location"]
    assert response["Cache-Control"] == "no-store"
    assert response["Referrer-Policy"] == "no-referrer"


def test_a_second_press_leads_to_the_same_page(
    client: Client, wallet_sandbox: SandboxControl, make_order: MakeOrder
) -> None:
    order = make_order()
    assert _pay(client, order)["Location"] == _pay(client, order)["Location"]
    assert Payment.objects.filter(order=order).count() == 1


def test_the_six_return_urls_are_six_tokens_of_one_attempt(
    wallet_sandbox: SandboxControl, open_attempt: Payment
) -> None:
    body = next(e["body"] for e in wallet_sandbox.journal() if e["operation"] == "checkout")
    urls = re.findall(r"http://127\.0\.0\.1:8000/wallet/return/[^/\"]+/", str(body))
    assert len(set(urls)) == 6


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


def test_trying_again_after_a_failure_opens_a_page(
    client: Client, wallet_sandbox: SandboxControl, make_order: MakeOrder
) -> None:
    wallet_sandbox.fault("checkout", "error_body", times=1, status=400)
    order = make_order()
    assert _pay(client, order).status_code == 502
    assert _pay(client, order).status_code == 303


def test_a_gateway_that_nobody_answers_for_is_a_503(
    client: Client, settings: Settings, make_order: MakeOrder, closed_port: str
) -> None:
    settings.WALLET_GATEWAY = _pointed_at(settings, closed_port)
    response = _pay(client, make_order())
    assert response.status_code == 503
    assert "Nothing was charged" in response.content.decode()


def test_nothing_is_opened_while_sending_is_switched_off(
    client: Client, wallet_sandbox: SandboxControl, settings: Settings, make_order: MakeOrder
) -> None:
    configuration = dict(settings.WALLET_GATEWAY)
    default = configuration["GATEWAYS"]["default"] | {"SENDING_ENABLED": False}
    settings.WALLET_GATEWAY = configuration | {"GATEWAYS": {"default": default}}
    assert _pay(client, make_order()).status_code == 503
    assert wallet_sandbox.journal() == []


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


def test_a_preauthorization_is_called_approved(
    client: Client, wallet_sandbox: SandboxControl, make_order: MakeOrder
) -> None:
    attempt = payments.start_checkout(make_order(type="preauthorization"))
    html = follow(client, wallet_sandbox.complete_checkout(attempt.reference, "success"))
    assert "Your payment is approved" in html
    assert state_of(attempt.order) == OrderState.AUTHORIZED


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
    _let_the_gateway_be_asked_again()
    assert PAID_HEADING in follow(client, location)


def test_the_cancel_url_of_a_paid_order_shows_that_it_is_paid(
    client: Client, wallet_sandbox: SandboxControl, open_attempt: Payment
) -> None:
    wallet_sandbox.complete_checkout(open_attempt.reference, "success")
    assert PAID_HEADING in follow(client, address("return", open_attempt, R.CANCEL))


def test_an_undecided_customer_can_go_back_to_the_same_page(
    client: Client, wallet_sandbox: SandboxControl, open_attempt: Payment
) -> None:
    page = Page(follow(client, wallet_sandbox.complete_checkout(open_attempt.reference, "return")))
    assert "Continue to payment" in page.text
    assert client.post(page.forms()[0])["Location"] == open_attempt.redirect_url


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


def test_trying_again_is_a_new_attempt_with_a_reference_of_its_own(
    client: Client, wallet_sandbox: SandboxControl, open_attempt: Payment
) -> None:
    page = Page(follow(client, wallet_sandbox.complete_checkout(open_attempt.reference, "refused")))
    assert client.post(page.forms()[0]).status_code == 303
    first, second = Payment.objects.order_by("pk").values_list("reference", flat=True)
    assert first != second
    html = follow(client, wallet_sandbox.complete_checkout(second, "success"))
    assert PAID_HEADING in html
    # The link of the dead attempt says what became of the order, too.
    assert PAID_HEADING in follow(client, address("return", open_attempt, R.REFUSED))


def test_a_pending_payment_that_is_settled_turns_into_paid(
    client: Client, wallet_sandbox: SandboxControl, open_attempt: Payment
) -> None:
    page = Page(follow(client, wallet_sandbox.complete_checkout(open_attempt.reference, "pending")))
    poll = page.one("section").attributes["data-wallet-poll"]
    wallet_sandbox.settle_pending(open_attempt.reference, "success")
    _let_the_gateway_be_asked_again()
    status = client.get(poll).json()
    assert (status["state"], status["final"]) == ("PAID", True)
    assert PAID_HEADING in follow(client, status["next"])


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
    _let_the_gateway_be_asked_again()
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


def test_the_token_of_a_paid_order_pays_no_other(
    client: Client, wallet_sandbox: SandboxControl, open_attempt: Payment, make_order: MakeOrder
) -> None:
    other = payments.start_checkout(make_order())
    location = wallet_sandbox.complete_checkout(open_attempt.reference, "success")
    follow(client, location)
    assert state_of(other.order) == OrderState.OPEN


def test_the_location_the_gateway_gives_is_within_the_shop(
    wallet_sandbox: SandboxControl, open_attempt: Payment
) -> None:
    location = wallet_sandbox.complete_checkout(open_attempt.reference, "success")
    assert location.startswith("http://127.0.0.1:8000/wallet/return/")
    assert path_of(location).count("/") == 4


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
