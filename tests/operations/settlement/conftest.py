"""Payments and follow-ups of rows made directly: no request was sent for them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import pytest
from django.dispatch import Signal

from tests.operations.conftest import Pay
from tests.operations.settlement.receivers import Receiver
from tests.operations.settlement.rows import a_follow_up, a_page, a_reservation, approval
from tests.operations.subjects import Subject, make_subject
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.settlement.settle import settle
from wallet_gateway.testing.control import SandboxControl


@pytest.fixture
def reserved(context: GatewayContext) -> GatewayTransaction:
    return a_reservation(context)


@pytest.fixture
def sold(context: GatewayContext) -> GatewayTransaction:
    """The checkout of an order of 20.00 that is paid."""
    return settle(a_page(), approval(2000, "opened"), context=context)


@pytest.fixture
def capture(reserved: GatewayTransaction) -> GatewayTransaction:
    return a_follow_up(reserved, TransactionKind.CAPTURE)


@pytest.fixture
def refund(sold: GatewayTransaction) -> GatewayTransaction:
    return a_follow_up(sold, TransactionKind.REFUND)


Listen = Callable[..., Receiver]


@pytest.fixture
def listen() -> Iterator[Listen]:
    connected: list[tuple[Signal, Receiver]] = []

    def connect(signal: Signal, failures: int = 0) -> Receiver:
        receiver = Receiver(failures)
        signal.connect(receiver)
        connected.append((signal, receiver))
        return receiver

    yield connect
    for signal, receiver in connected:
        signal.disconnect(receiver)


@pytest.fixture
def hears_the_alarm(caplog: pytest.LogCaptureFixture) -> None:
    """Record what operations log as an error."""
    caplog.set_level(logging.ERROR, "wallet_gateway.operations")


@pytest.fixture
def deposit_refund(wallet_sandbox: SandboxControl, context: GatewayContext, pay: Pay) -> Subject:
    """A refund of an earlier provider's payment, ready to be carried out."""
    return make_subject("detached_refund", control=wallet_sandbox, context=context, pay=pay)
