"""The files that a use case enters: `pytest tests/flows -s` prints their count, and each with its calls."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from tests.admin.conftest import (
    MakePerson,
    PaidOrder,
    make_person,
    operation_url,
    operator,
    paid_order,
    permissions,
    ticket_on,
)
from tests.api.browser import Browser, approve
from tests.flows.counter import Flow, counted
from tests.web.conftest import make_order
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operations.sending import circuit_breaker
from wallet_gateway.protocol.wire import BuiltOnFirstUse
from wallet_gateway.testing.control import SandboxControl

__all__ = ["MakePerson", "make_order", "make_person", "operator", "paid_order", "permissions"]

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]


@pytest.fixture(autouse=True)
def _pauses_are_read_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a slow machine reads them, and a fast one remembers them."""
    monkeypatch.setattr(circuit_breaker, "_PAUSE_IS_READ_EVERY", -1.0)


@pytest.fixture(autouse=True)
def _messages_are_known() -> None:
    """Otherwise the first test of a process would count how each of them is built."""
    BuiltOnFirstUse.build_all()


def printed(flow: Flow, what: str) -> None:
    lines = (f"  {number:4} {name}\n" for name, number in flow.files.most_common())
    sys.stdout.write(f"\n{what}: {flow}\n{''.join(lines)}")
    assert flow.files


def test_a_checkout_prints_its_files(
    make_order: Callable[..., PaymentOrder], client: Client, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    url = reverse("wallet_gateway:checkout", args=[order.token])
    with counted() as flow:
        assert client.post(url).status_code == 303
    printed(flow, "checkout")


def test_a_card_from_the_wallets_sheet_prints_its_files(
    make_order: Callable[..., PaymentOrder], wallet_sandbox: SandboxControl
) -> None:
    order, browser = make_order(), Browser()
    detail = approve(wallet_sandbox, browser.open(order))
    with counted() as flow:
        assert browser.post("result", order, detail).status_code == 200
    printed(flow, "card")


def test_a_refund_from_the_admin_prints_its_files(operator: Client, paid_order: PaidOrder) -> None:
    url = operation_url(paid_order(type="sale"), "refund")
    data = {
        "ticket": ticket_on(operator, url),
        "reason": "returned",
        "comment": "",
        "amount": "5.00",
        "confirm": "5.00",
    }
    with counted() as flow:
        assert operator.post(url, data).status_code == 302
    printed(flow, "refund")
