"""Only a customer who has paid is sent to the shop's own thank-you page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from tests.web.conftest import WAITING, address, follow, let_the_gateway_be_asked_again, path_of
from tests.web.page_reader import Page
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db

R = ReturnOutcome
MakeOrder = Callable[..., PaymentOrder]


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
    let_the_gateway_be_asked_again()
    status = client.get(Page(page).one("section").attributes["data-wallet-poll"]).json()
    assert status["final"] is True
    assert client.get(status["next"])["Location"] == THANKS
