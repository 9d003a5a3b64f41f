"""What the tests of the customer's door share: orders that can be paid, and the six ways back."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import reverse

from tests.web.rows import an_attempt
from wallet_gateway import gateways, payments, return_tokens
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.return_tokens import ReturnOutcome

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

PAID_HEADING = "Your payment went through"
WAITING = "We have not yet heard whether your payment went through."
_numbers = itertools.count(1)


@pytest.fixture
def make_order() -> Callable[..., PaymentOrder]:
    """Create an order through the shop's own door."""

    def make(**given: object) -> PaymentOrder:
        keywords: dict[str, object] = {
            "reference": f"WEB-{next(_numbers)}",
            "currency": "EUR",
            "amount": Decimal("24.90"),
            "order_number": "A-1001",
            "cardholder_email": "ada@example.com",
        }
        return payments.create_order(**keywords | given)  # type: ignore[arg-type]

    return make


@pytest.fixture
def open_attempt(wallet_sandbox: object, make_order: Callable[..., PaymentOrder]) -> Payment:
    """An attempt whose payment page is open at the sandbox."""
    return payments.start_checkout(make_order())


@pytest.fixture
def nobody_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask an ailing gateway as often as ever, without the seconds between two tries."""
    monkeypatch.setattr(gateways, "GatewayContext", partial(GatewayContext, sleep=lambda seconds: None))


def address(name: str, attempt: Payment, outcome: ReturnOutcome) -> str:
    """The path of a view for one attempt and one of the six URLs."""
    return reverse(f"wallet_gateway:{name}", args=[return_tokens.sign(attempt.reference, outcome)])


def path_of(location: str) -> str:
    """The path of an absolute URL, for the test client."""
    return urlsplit(location).path


def state_of(order: PaymentOrder) -> str:
    """The order's state as the row has it."""
    return PaymentOrder.objects.values_list("state", flat=True).get(pk=order.pk)


def follow(client: Client, location: str) -> str:
    """Follow the way back from the gateway to the page it ends at, and return the page's HTML."""
    response = client.get(path_of(location), follow=True)
    assert response.status_code == 200
    return response.content.decode()


def result_page(
    client: Client, order: PaymentOrder, outcome: ReturnOutcome = ReturnOutcome.SUCCESS, **extra: Any
) -> Answer:
    """Ask for the page that an order in this state ends at."""
    return client.get(address("result", an_attempt(order), outcome), **extra)


def let_the_gateway_be_asked_again() -> None:
    """Forget when the gateway was asked, so that nobody waits two seconds."""
    GatewayTransaction.objects.update(last_queried_at=None)
