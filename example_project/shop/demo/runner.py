"""Run shop, sandbox and sweep side by side until the demo is stopped."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from django.conf import settings
from django.core.management import get_commands

from example_project.shop.demo.services import (
    HOST,
    Service,
    ServiceFailed,
    environment_for,
    python,
    wait_until_all_answer,
)

# Not every system has all of these signals.
ENDING_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
SHOP_NAME = "Lark & Loam"
SECONDS_BETWEEN_LOOKS = 0.5


def demo_services(shop_port: int, gateway_port: int, *, logs: Path, database: str) -> list[Service]:
    """Return the processes of the demo: the gateway first, which keeps its records in `database`."""
    manage = str(settings.BASE_DIR / "manage.py")
    environment = environment_for(shop_port, f"http://{HOST}:{gateway_port}")
    services = [
        Service(
            name="gateway",
            command=python(
                *("-m", "wallet_gateway.sandbox", "--merchant-name", SHOP_NAME),
                *("--port", str(gateway_port), "--database", database),
            ),
            environment=environment,
            log=logs / "gateway.log",
            port=gateway_port,
        ),
        Service(
            name="shop",
            command=python(manage, "runserver", "--noreload", f"{HOST}:{shop_port}"),
            environment=environment,
            log=logs / "shop.log",
            port=shop_port,
        ),
    ]
    if "wallet_sweep" in get_commands():
        # The shop beside it has the same settings and runs the checks.
        command = python(manage, "wallet_sweep", "--loop", "--skip-checks")
        services.append(
            Service(name="sweep", command=command, environment=environment, log=logs / "sweep.log")
        )
    return services


def write_history(services: list[Service]) -> None:
    """Let a new demo begin with some orders; raises `ServiceFailed`."""
    command = python(str(settings.BASE_DIR / "manage.py"), "demo_history")
    environment = dict(services[0].environment)
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
    if run.returncode:
        raise ServiceFailed(f"The first orders could not be made.\n{run.stderr}")


def run_until_ended(
    services: list[Service], *, prepare: Callable[[], None], on_ready: Callable[[], None]
) -> None:
    """Start the services, call `prepare` and `on_ready` once they answer, and wait for a signal.

    Raises `ServiceFailed` if one ends before.
    """
    with _asked_to_end() as ending:
        try:
            for service in services:
                service.start()
            wait_until_all_answer(services)
            prepare()
            on_ready()
            while not ending.wait(SECONDS_BETWEEN_LOOKS):
                for service in services:
                    service.check()
        finally:
            for service in reversed(services):
                service.stop()


@contextmanager
def _asked_to_end() -> Iterator[threading.Event]:
    """Yield an event that Ctrl-C and the usual signals set; restore the previous handlers afterwards."""
    ending = threading.Event()

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        ending.set()

    before = {number: signal.signal(number, on_signal) for number in ENDING_SIGNALS}
    try:
        yield ending
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
