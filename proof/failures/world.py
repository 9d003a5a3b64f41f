"""The shop and the gateway of one run: its own database, the sandbox as a process, one clock for all."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any
from unittest.mock import patch

from django.apps import apps
from django.contrib.auth.models import User
from django.core.management.color import no_style
from django.db import connection

from proof.failures.processes import FORK
from proof.gateway_truth import MOVES_MONEY
from wallet_gateway import gateways, payments
from wallet_gateway.client.connection import Connection
from wallet_gateway.context import DatabaseClock
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operation_errors import OperationError
from wallet_gateway.testing import orders
from wallet_gateway.testing.control import SandboxControl


class ShiftedClock(DatabaseClock):
    """The database's time, moved forward as far as the run says, in all processes of the run."""

    def __init__(self) -> None:
        super().__init__()
        self.ahead = FORK.RawValue("d", 0.0)

    def now(self) -> datetime:
        """Return the moved time."""
        return super().now() + timedelta(seconds=self.ahead.value)


class World:
    """What operations are carried out on."""

    def __init__(self, control: SandboxControl) -> None:
        self.control, self.clock = control, ShiftedClock()
        gateways.use_clock(self.clock)
        self._numbers = itertools.count(1)
        self.anna = User.objects.create_superuser("anna")
        self.ben = User.objects.create_superuser("ben")

    def advance(self, seconds: float) -> None:
        """Move the shop's clock and the gateway's forward."""
        self.clock.ahead.value += seconds
        self.control.advance_clock(seconds)

    def sweep_after(self, *waits: float) -> None:
        """Let so many seconds pass, each time followed by a sweep."""
        for seconds in waits:
            self.advance(seconds)
            payments.sweep()

    def as_new(self) -> None:
        """Forget all orders here and there."""
        tables = [model._meta.db_table for model in apps.get_app_config("wallet_gateway").get_models()]
        statements = connection.ops.sql_flush(no_style(), tables, allow_cascade=True)
        connection.ops.execute_sql_flush(statements)
        self.clock.ahead.value = 0
        self.control.reset()

    def new_reference(self) -> str:
        """Return a reference that no order has had."""
        return f"KILL-{next(self._numbers)}"

    def order(self, type: str = "sale") -> PaymentOrder:  # noqa: A002 - the interface's own word
        """Return a new order of 25.00 EUR."""
        return orders.create_order(reference=self.new_reference(), type=type)

    def paid(self, type: str = "sale") -> PaymentOrder:  # noqa: A002
        """Return a new order whose customer has paid on the gateway's page."""
        return orders.pay(self.order(type), control=self.control)

    def deposit(self) -> str:
        """Let a payment of an earlier provider be known here and there; return its id."""
        name = f"OLD-{next(self._numbers)}"
        lines = [
            "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\n",
            f"{name},2026-01-15T10:30:00,50.00,EUR,10.00,PRV-1\n",
        ]
        self.control.migration_file("".join(lines))
        payments.maintenance.import_migration_file(lines)
        return name

    def sent(self, since: int = 0) -> list[dict[str, Any]]:
        """Return the requests that move money, from a place in the gateway's journal on."""
        journal = self.control.journal()[since:]
        # What came without its whole body is no request: its sender died.
        return [entry for entry in journal if entry["operation"] in MOVES_MONEY and entry["body"]]


def reference_of(request: Mapping[str, Any]) -> str:
    """Return the reference under which a request was sent."""
    return str(request["body"]["clientSystemTransactionId"])


def again(order: PaymentOrder) -> PaymentOrder:
    """Return an order as it is now."""
    return PaymentOrder.objects.get(pk=order.pk)


@contextmanager
def refusals() -> Iterator[None]:
    """A refusal by the plugin is a right answer; any other exception is not."""
    with suppress(OperationError):
        yield


@contextmanager
def gateway_out_of_reach() -> Iterator[None]:
    """Let no connection to the gateway be opened, so that nothing is sent."""
    with patch.object(Connection, "connect", side_effect=ConnectionRefusedError("nobody listens")):
        yield
