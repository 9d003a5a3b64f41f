"""A checkout that fails is one line in the log, whichever way it came: reference, code, what to do."""

from __future__ import annotations

import logging
from collections.abc import Callable
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation
from pytest_django import Settings

from wallet_gateway import payments
from wallet_gateway.api.problems import as_problem
from wallet_gateway.documentation import address_of
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operations.checkout.failure_log import log_failure
from wallet_gateway.operations.errors import OperationError, TryAgain
from wallet_gateway.payments.errors import ErrorCode, GatewayUnreachable, OrderNotPayable
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
CLOSED = "http://127.0.0.1:9"
"""The port of the service "discard", on which nobody listens."""


@pytest.fixture
def order(settings: Settings) -> PaymentOrder:
    """An order whose gateway, the sandbox by its settings, was not started."""
    gateway = settings.WALLET_GATEWAY["GATEWAYS"]["default"] | {"BASE_URL": CLOSED}
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": {"default": gateway}}
    return payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal("10.00"))


def by_the_form(order: PaymentOrder) -> None:
    with translation.override("de"):
        Client().post(reverse("wallet_gateway:checkout", args=[order.token]), HTTP_ACCEPT_LANGUAGE="de")


def by_a_view_of_the_shop(order: PaymentOrder) -> None:
    with pytest.raises(GatewayUnreachable):
        payments.start_checkout(order)


def by_a_json_view(order: PaymentOrder) -> None:
    try:
        payments.start_checkout(order)
    except GatewayUnreachable as error:
        as_problem(error, {})


EXPECTED = (
    "checkout of order SHOP-1 failed (nothing_sent): The gateway at http://127.0.0.1:9 (the sandbox; start "
    "it with `python -m wallet_gateway.sandbox --port 9`) cannot be reached: connection refused. Nothing was "
    "sent. "
    "`manage.py wallet_doctor` examines the settings and the gateway; see "
    + address_of("reference/errors", "nothing_sent")
)


@pytest.mark.parametrize("door", [by_the_form, by_a_view_of_the_shop, by_a_json_view])
def test_every_way_to_a_checkout_writes_one_line(
    door: Callable[[PaymentOrder], None], order: PaymentOrder, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "wallet_gateway")
    door(order)
    ours = [record for record in caplog.records if record.name.startswith("wallet_gateway")]
    assert [(record.levelname, record.name) for record in ours] == [("WARNING", "wallet_gateway.checkout")]
    assert ours[0].getMessage() == EXPECTED


def test_what_the_gateway_said_of_wrong_settings_is_in_the_line(
    wallet_sandbox: SandboxControl, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    gateway = settings.WALLET_GATEWAY["GATEWAYS"]["default"] | {"STORE_ID": "S-1"}
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": {"default": gateway}}
    order = payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal("10.00"))
    with pytest.raises(payments.errors.GatewayRefused):
        payments.start_checkout(order)
    (line,) = [record.getMessage() for record in caplog.records if record.name == "wallet_gateway.checkout"]
    assert line.startswith("checkout of order SHOP-1 failed (gateway_refused): ")
    assert "S-1" in line


@pytest.mark.parametrize(
    "error",
    [
        OrderNotPayable("It is paid."),
        TryAgain("Another click.", ErrorCode.CHECKOUT_IN_PROGRESS),
    ],
    ids=["paid", "second-click"],
)
def test_a_customer_who_clicks_twice_has_failed_at_nothing(
    error: OperationError, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(type(error)), log_failure("SHOP-1"):
        raise error
    assert caplog.records == []
    assert not error.is_logged
