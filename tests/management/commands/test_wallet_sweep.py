"""The command that runs what runs by itself: once, or until it is told to stop."""

from __future__ import annotations

import threading
import time
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from wallet_gateway import payments
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.management.commands import wallet_sweep
from wallet_gateway.models import GatewayTransaction, PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]


def sweep(**options: Any) -> str:
    out = StringIO()
    call_command("wallet_sweep", stdout=out, **options)
    return out.getvalue()


def paid_but_not_back() -> PaymentOrder:
    order = payments.create_order(reference="SWEPT", currency="EUR", amount=Decimal("10.00"))
    return payments.start_checkout(order).order


def test_one_sweep_finds_a_payment_whose_customer_never_came_back(wallet_sandbox: SandboxControl) -> None:
    order = paid_but_not_back()
    wallet_sandbox.complete_checkout(order.payments.get().reference, "success")
    GatewayTransaction.objects.update(next_query_at=order.created_at)

    said = sweep()

    order.refresh_from_db()
    assert order.state == OrderState.PAID
    assert "default: 1 queried" in said


@pytest.fixture
def stop(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """The event that the command's signal handlers would set."""
    event = threading.Event()
    monkeypatch.setattr(wallet_sweep, "_stop_on_signals", lambda stop: watch(stop, event))
    return event


def watch(stop: threading.Event, event: threading.Event) -> None:
    def hand_over() -> None:
        event.wait(60)
        stop.set()

    threading.Thread(target=hand_over, daemon=True).start()


def test_a_loop_sweeps_again_and_again_until_it_is_told_to_stop(
    monkeypatch: pytest.MonkeyPatch, stop: threading.Event
) -> None:
    swept: list[float] = []

    def count() -> tuple[()]:
        swept.append(time.monotonic())
        if len(swept) == 3:
            stop.set()
        return ()

    monkeypatch.setattr(payments, "sweep", count)
    sweep(loop=True, every=0.01)

    assert len(swept) >= 3


def test_a_database_that_is_away_does_not_end_the_loop(
    monkeypatch: pytest.MonkeyPatch, stop: threading.Event
) -> None:
    calls: list[int] = []

    def fail_once() -> tuple[()]:
        calls.append(1)
        if len(calls) == 1:
            raise OperationalError("server closed the connection")
        stop.set()
        return ()

    monkeypatch.setattr(payments, "sweep", fail_once)
    sweep(loop=True, every=0.01)

    assert len(calls) >= 2


@pytest.mark.parametrize("pause", ["-1", "0", "0.01", "nan", "inf", "-inf", "1e300", "soon"])
def test_a_pause_that_is_none_is_refused_before_anything_is_swept(
    pause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(payments, "sweep", lambda: pytest.fail("it was swept"))
    with pytest.raises(CommandError, match=r"--every: a number of seconds from 0\.1 to 86400"):
        call_command("wallet_sweep", "--loop", f"--every={pause}")
