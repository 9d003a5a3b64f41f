"""The shop under chaos as a worker sees it: its plan, the sandbox, the clock, and its way to the gateway."""

from __future__ import annotations

import random
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection

from proof.chaos.clock import ShopClock
from proof.chaos.merchants import MERCHANTS, add_merchants
from proof.chaos.plan import (
    DIES_AFTER,
    DIES_BEFORE,
    REAL_TIME_FAULTS,
    UNREACHABLE,
    Fault,
    Plan,
    Step,
    Story,
)
from proof.chaos.transport import ChaosTransport, SendingLog
from wallet_gateway import conf, gateways, payments
from wallet_gateway.client.http_transport import HttpTransport
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.testing.control import SandboxControl

PEOPLE: Final = ("anna", "bert", "carla")
DEPOSITS: Final = 40
_HEADER: Final = (
    "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\n"
)
_OWN_FAULTS: Final = {UNREACHABLE, DIES_BEFORE, DIES_AFTER}


@dataclass
class Shop:
    """What the steps of one worker share."""

    plan: Plan
    control: SandboxControl
    clock: ShopClock
    log: SendingLog
    die: Callable[[], None]
    people: dict[str, Any] = field(default_factory=dict)
    transports: dict[str, ChaosTransport] = field(default_factory=dict)

    def open(self) -> None:
        """Take the shop's clock and this worker's way to the gateway; once in each process."""
        gateways.use_clock(self.clock)
        self.people = {user.get_username(): user for user in get_user_model()._default_manager.all()}
        for alias in MERCHANTS:
            self.transports[alias] = self._transport(alias)
            gateways.use_transport(self.transports[alias], alias=alias)

    def _transport(self, alias: str) -> ChaosTransport:
        given = conf.gateway_settings(alias)
        inner, deaf = (
            HttpTransport(
                base_url=base_url,
                connect_timeout=given.timeout.connect,
                read_timeout=given.timeout.read,
                total_timeout=given.timeout.total,
            )
            for base_url in (given.base_url, f"http://127.0.0.1:{_deaf_port()}")
        )
        return ChaosTransport(inner, deaf=deaf, log=self.log, die=self.die)

    def story(self, step: Step) -> Story:
        """Return the order that a step concerns."""
        return self.plan.story(step.story)

    def order(self, step: Step) -> PaymentOrder | None:
        """Return the row of a step's order; None if no worker has created it yet."""
        return PaymentOrder.objects.filter(reference=self.story(step).reference).first()

    def payments(self, step: Step) -> list[Payment]:
        """Return the payments of a step's order that took or reserved money."""
        rows = Payment.objects.filter(order__reference=self.story(step).reference, authorized__gt=0)
        return list(rows.select_related("order").order_by("pk"))

    def transactions(self, step: Step) -> list[GatewayTransaction]:
        """Return the transactions of a step's order; of all orders for a step that concerns none."""
        rows = GatewayTransaction.objects.select_related("payment__order", "deposit").order_by("pk")
        if step.story:
            rows = rows.filter(payment__order__reference=self.story(step).reference)
        return list(rows)

    def named(self, alias: str) -> dict[str, str]:
        """Return the merchant of a gateway as the control calls take it."""
        return MERCHANTS[alias].named

    def move_clocks(self, seconds: float) -> None:
        """Let time pass in the shop and at the gateway; back in the shop alone."""
        self.clock.move(seconds)
        if self.clock.is_standing:
            # The sandbox's goes on by itself; a run that can be repeated sets it at each step.
            self.control.set_clock(self.clock.now().isoformat())
        elif seconds > 0:
            self.control.advance_clock(seconds)

    def begin_step(self, step: Step) -> None:
        """Make what is random or remembered in this process depend on the step alone."""
        random.seed(step.number)
        for alias in MERCHANTS:
            gateways.context_of(alias).pause.forget()

    @contextmanager
    def fault(self, fault: Fault | None, alias: str) -> Iterator[None]:
        """Let the calls of a step go wrong as planned."""
        if fault is None:
            yield
            return
        if fault.name not in _OWN_FAULTS:
            self._set_fault(fault)
            yield
            return
        self.transports[alias].fault = fault.name
        try:
            yield
        finally:
            self.transports[alias].fault = ""

    def _set_fault(self, fault: Fault) -> None:
        name, seconds = fault.name, fault.seconds
        if self.clock.is_standing and name in REAL_TIME_FAULTS:
            name, seconds = REAL_TIME_FAULTS[name], 5.0 if name == "delay_before" else None
        self.control.fault(fault.operation, name, times=1, seconds=seconds, status=fault.status)


def _deaf_port() -> int:
    """Return a port of this machine that is taken, and at which nobody listens."""
    if not _reserved:
        reserved = socket.socket()
        reserved.bind(("127.0.0.1", 0))
        _reserved.append(reserved)
    port: int = _reserved[0].getsockname()[1]
    return port


_reserved: list[socket.socket] = []


def make_tables() -> None:
    """Make the tables of the shop in its new database."""
    call_command("migrate", verbosity=0, interactive=False)


def furnish(control: SandboxControl) -> None:
    """Hire people and take over the deposits of an earlier provider; the tables and the sandbox are new."""
    model = get_user_model()
    for name in PEOPLE:
        model._default_manager.create_superuser(name, f"{name}@shop.example", "chaos")
    add_merchants(control)
    # Until a step changes it: the gateway carries out again what reaches it twice.
    control.behaviour(duplicates="execute")
    text = _HEADER + "".join(_deposit_line(number) for number in range(DEPOSITS))
    control.migration_file(text)
    report = payments.maintenance.import_migration_file(text.splitlines(keepends=True))
    if report.accepted != DEPOSITS:
        raise RuntimeError(f"{report.accepted} of {DEPOSITS} deposits were taken over: {report.rejected}")


def deposit_of(which: int) -> str:
    """Return the reference of a deposit; several steps meet at the same one."""
    return f"EARLIER-{which % DEPOSITS}"


def _deposit_line(number: int) -> str:
    return f"{deposit_of(number)},2026-01-15T10:30:00,30.00,EUR,{number % 3}.00,PRV-{number}\n"


def empty_tables() -> None:
    """Delete every row, for another run in the same database."""
    tables = connection.introspection.django_table_names(only_existing=True)
    connection.ops.execute_sql_flush(connection.ops.sql_flush(no_style(), tables, allow_cascade=True))
