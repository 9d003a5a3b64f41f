"""The shop and the gateway of one run: its own database, the sandbox as a process, one clock for both."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from unittest.mock import patch

from django.apps import apps
from django.contrib.auth.models import User
from django.core.management.color import no_style
from django.db import connection

from wallet_gateway import gateways, payments
from wallet_gateway.client.connection import Connection
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing import orders
from wallet_gateway.testing.control import SandboxControl


class ShiftedClock(gateways.DatabaseClock):
    """The database's time, moved forward as far as the run says."""

    ahead = timedelta()

    def now(self) -> datetime:
        """Return the moved time."""
        return super().now() + self.ahead


@dataclass
class World:
    """What the operations are carried out on."""

    control: SandboxControl
    clock: ShiftedClock
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    anna: User = field(init=False)
    ben: User = field(init=False)

    def __post_init__(self) -> None:
        self.anna = User.objects.create_superuser("anna")
        self.ben = User.objects.create_superuser("ben")

    def advance(self, seconds: float) -> None:
        """Move the shop's clock and the gateway's forward."""
        self.clock.ahead += timedelta(seconds=seconds)
        self.control.advance_clock(seconds)

    def as_new(self) -> None:
        """Forget all orders here and there."""
        tables = [model._meta.db_table for model in apps.get_app_config("wallet_gateway").get_models()]
        statements = connection.ops.sql_flush(no_style(), tables, allow_cascade=True)
        connection.ops.execute_sql_flush(statements)
        self.clock.ahead = timedelta()
        self.control.reset()

    def order(self, type: str = "sale") -> PaymentOrder:  # noqa: A002 - the interface's own word
        """Return a new order of 25.00 EUR."""
        return orders.create_order(reference=f"KILL-{next(self.numbers)}", type=type)

    def paid(self, type: str = "sale") -> PaymentOrder:  # noqa: A002
        """Return a new order whose customer has paid on the gateway's page."""
        return orders.pay(self.order(type), control=self.control)

    def deposit(self) -> str:
        """Let a payment of an earlier provider be known here and there; return its id."""
        name = f"OLD-{next(self.numbers)}"
        lines = [
            "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\n",
            f"{name},2026-01-15T10:30:00,50.00,EUR,10.00,PRV-1\n",
        ]
        self.control.migration_file("".join(lines))
        payments.maintenance.import_migration_file(lines)
        return name


def make_world(base_url: str) -> World:
    """Return the world of a run whose settings name this gateway."""
    clock = ShiftedClock()
    gateways.use_clock(clock)
    return World(control=SandboxControl(base_url), clock=clock)


@contextmanager
def gateway_out_of_reach() -> Iterator[None]:
    """Let no connection to the gateway be opened, so that nothing is sent."""
    with patch.object(Connection, "connect", side_effect=ConnectionRefusedError("nobody listens")):
        yield
