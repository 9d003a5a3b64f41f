"""The parts of the demo: its table, its comparison with the gateway, its child processes."""

from __future__ import annotations

import os
import signal
import socket
import sys
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from example_project.shop.demo.gateway_log import NO_RECORD, GatewayRecord, GatewayTruth
from example_project.shop.demo.runner import ENDING_SIGNALS, run_until_ended
from example_project.shop.demo.scenario import SALE, Story
from example_project.shop.demo.services import (
    HOST,
    Service,
    ServiceFailed,
    wait_until_all_answer,
)
from tests.tables import every
from tests.waiting import eventually
from wallet_gateway import payments

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wallet_gateway.testing.sandbox import SandboxControl, SandboxServer

TEN_EURO = payments.Money(Decimal("10.00"), "EUR")


class Said:
    """A gateway that says one thing whatever it is asked."""

    def __init__(self, state: str, amount: str | None = None, currency: str = "EUR") -> None:
        self._record = GatewayRecord(
            state=state, amount=Decimal(amount) if amount else None, currency=currency
        )

    def record(self, reference: str, kind: str) -> GatewayRecord:
        return self._record


def is_equal(state: str, said: Said) -> bool:
    story = Story(control=None, truth=said)  # type: ignore[arg-type]
    return story._operation("step", "ref", SALE, state, TEN_EURO).is_equal


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("PAID", Said("Approved", "10.00")),
        ("APPROVED", Said("Approved", "10.0")),
        ("PENDING", Said("Pending", "10.00")),
        ("FAILED", Said("Errored", "10.00")),
        ("OPEN", Said(NO_RECORD)),
    ],
    ids=["paid", "approved", "pending", "failed", "open"],
)
def test_a_step_is_equal_when_state_amount_and_currency_are(state: str, said: Said) -> None:
    assert is_equal(state, said)


@every(
    ("state", "said"),
    [
        ("PAID", Said("Pending", "10.00")),
        ("PAID", Said(NO_RECORD)),
        ("PAID", Said("Approved", "9.99")),
        ("PAID", Said("Approved", "10.00", "KWD")),
        ("OPEN", Said("Approved", "10.00")),
        ("FAILED", Said("Approved", "10.00")),
        ("UNKNOWN", Said("Approved", "10.00")),
    ],
    ids=["state", "no record", "amount", "currency", "late success", "paid after all", "not known"],
)
def test_a_step_differs_when_the_gateway_says_anything_else(state: str, said: Said) -> None:
    assert not is_equal(state, said)


def test_the_truth_is_read_from_the_gateway_itself(
    wallet_sandbox: SandboxControl, wallet_sandbox_server: SandboxServer
) -> None:
    truth = GatewayTruth(
        wallet_sandbox_server.base_url, merchant_id="SANDBOX-MERCHANT", store_id="SANDBOX-STORE"
    )

    assert truth.record("never-heard-of", SALE).state == NO_RECORD


@pytest.fixture
def listening() -> Iterator[int]:
    with socket.create_server((HOST, 0)) as server:
        yield server.getsockname()[1]


def service(tmp_path: Path, code: str, port: int | None = None) -> Service:
    command = [sys.executable, "-c", code]
    return Service(name="shop", command=command, environment={}, log=tmp_path / "shop.log", port=port)


def test_a_service_that_ends_is_reported_with_the_end_of_its_log(tmp_path: Path) -> None:
    ended = service(tmp_path, "raise SystemExit('the cellar is flooded')", port=1)
    ended.start()

    with pytest.raises(ServiceFailed, match=r"The shop has ended\.\nthe cellar is flooded"):
        wait_until_all_answer([ended])


STAYS = "import signal, sys; signal.signal(signal.SIGTERM, lambda *_: sys.exit()); signal.pause()"


@pytest.mark.parametrize("number", ENDING_SIGNALS, ids=lambda number: number.name)
def test_a_signal_ends_the_services_and_leaves_the_handlers_of_before(
    tmp_path: Path, number: signal.Signals
) -> None:
    before = signal.getsignal(number)
    staying = service(tmp_path, STAYS)
    run_until_ended([staying], on_ready=lambda: os.kill(os.getpid(), number))

    with pytest.raises(ServiceFailed):
        staying.check()
    assert signal.getsignal(number) is before


def test_a_service_that_is_killed_when_all_were_ready_ends_the_others(tmp_path: Path) -> None:
    staying = service(tmp_path, STAYS)
    process_id = tmp_path / "pid"
    dying = service(tmp_path, f"import os; open({str(process_id)!r}, 'w').write(str(os.getpid())); {STAYS}")

    def kill() -> None:
        assert eventually(lambda: process_id.exists() and bool(process_id.read_text()))
        os.kill(int(process_id.read_text()), signal.SIGKILL)

    with pytest.raises(ServiceFailed, match=r"The shop has ended\."):
        run_until_ended([staying, dying], on_ready=kill)
    with pytest.raises(ServiceFailed):
        staying.check()
