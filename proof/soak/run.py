"""The rounds of a soak: customers and a sweep, faults and a death, then an hour that passes.

A round is over when everybody has done their work, however long that takes: a slow machine makes fewer
rounds, and no longer queues.
"""

from __future__ import annotations

import os
import random
import time
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import django
from django.core.management import call_command

from proof.soak.growth import BOUNDS
from proof.soak.processes import Worker
from proof.soak.worker import LEAK
from wallet_gateway.testing.sandbox import SandboxServer

if TYPE_CHECKING:
    from collections.abc import Callable

    from wallet_gateway.testing.control import SandboxControl

CUSTOMERS: Final = 4
"""How many each worker serves in a round."""
LEAST_ROUNDS: Final = 9
"""Fewer would say nothing about growth, so a slow machine takes longer."""
FAULTS: Final = (
    "drop_before",
    "drop_after",
    "status_before",
    "status_after",
    "truncated",
    "not_json",
    "empty",
)
CALLS: Final = ("checkout", "capture", "refund", "reversal", "status")
FAULTY: Final = 0.05
"""The share of requests that meet a fault."""
_CALLS_OF_A_CUSTOMER: Final = 5
_HOUR: Final = 3600
_CALM: Final = (1, 1, 2, 25, 25, 200)
"""Hours after which everything that still can end has come to its end."""


@dataclass(slots=True)
class Soaked:
    """What a soak has measured and found."""

    rounds: int = 0
    customers: int = 0
    kills: int = 0
    measured: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """A list for each figure, with a value for each round: ``resident kilobytes``."""
    found: list[str] = field(default_factory=list)

    def judge(self) -> None:
        """Add what grows to what was found."""
        for name, values in self.measured.items():
            broken = BOUNDS[name.split()[-1]].broken_by(values)
            if broken:
                self.found.append(f"{name.split()[0]}: {broken}")


def soak(
    *,
    seconds: float,
    seed: int,
    folder: Path,
    say: Callable[[str], None],
    database: str = "",
    is_leaky: bool = False,
) -> Soaked:
    """Soak a shop for so long, on a database that is empty; SQLite in the folder if none is named.

    With `is_leaky` a further worker leaks: it must be found, or flat figures would say nothing.
    """
    with SandboxServer() as sandbox, ExitStack() as stack:
        environment = {
            "DJANGO_SETTINGS_MODULE": "proof.soak.settings",
            "SOAK_DATABASE_URL": database or f"sqlite:///{folder / 'shop.sqlite3'}",
            "SOAK_GATEWAY_URL": sandbox.base_url,
            "SOAK_CLOCK": str(folder / "clock"),
        }
        os.environ.update(environment)
        django.setup()
        call_command("migrate", verbosity=0)
        workers = {
            name: stack.enter_context(Worker(name, seed, environment))
            for name in ("resident", "mortal", "sweeper")
        }
        if is_leaky:
            leaking = environment | {LEAK: "1"}
            workers["leaky"] = stack.enter_context(Worker("leaky", seed, leaking))
        run = _Run(workers, sandbox.control, random.Random(seed), folder, seed)
        return run.through(seconds, say)


class _Run:
    def __init__(
        self,
        workers: dict[str, Worker],
        control: SandboxControl,
        chance: random.Random,
        folder: Path,
        seed: int,
    ) -> None:
        # Models can be imported once Django is set up.
        from proof.soak import rows
        from proof.soak.shop_clock import ShopClock

        self._rows, self._seed = rows, seed
        self._workers, self._control, self._chance = workers, control, chance
        self._clock = ShopClock(folder / "clock")
        self._clock.use()
        self._soaked = Soaked()

    def through(self, seconds: float, say: Callable[[str], None]) -> Soaked:
        """Make rounds until the time is up, then calm down and compare."""
        began = said = time.monotonic()
        while self._soaked.rounds < LEAST_ROUNDS or time.monotonic() - began < seconds:
            self._round()
            if time.monotonic() - said > 10:
                said = time.monotonic()
                say(f"{self._soaked.rounds} rounds, {self._soaked.customers} customers")
        self._calm_down()
        self._soaked.judge()
        self._soaked.found += self._rows.disagreements(self._seed)
        return self._soaked

    def _round(self) -> None:
        self._set_faults()
        serving = {name: worker for name, worker in self._workers.items() if name != "sweeper"}
        for worker in serving.values():
            worker.ask(CUSTOMERS)
        if self._soaked.rounds % 3 == 2:
            self._kill(serving.pop("mortal"))
        for name, worker in serving.items():
            self._note(name, worker.answer())
            self._soaked.customers += CUSTOMERS
        self._pass(_HOUR)
        self._workers["sweeper"].ask(0)
        self._note("sweeper", self._workers["sweeper"].answer())
        for name, value in self._rows.waiting().items():
            self._soaked.measured[f"shop {name}"].append(value)
        self._soaked.found += self._rows.unattended_rows()
        self._soaked.rounds += 1

    def _kill(self, worker: Worker) -> None:
        time.sleep(self._chance.random() * 0.3)
        worker.kill()
        worker.start()
        self._soaked.kills += 1

    def _note(self, name: str, held: dict[str, int]) -> None:
        if name == "mortal":
            return
        for figure in ("kilobytes", "objects", "files"):
            self._soaked.measured[f"{name} {figure}"].append(held[figure])

    def _set_faults(self) -> None:
        requests = 2 * CUSTOMERS * _CALLS_OF_A_CUSTOMER
        for _ in range(max(1, round(requests * FAULTY))):
            self._control.fault(
                self._chance.choice(CALLS),
                self._chance.choice(FAULTS),
                times=1,
                skip=self._chance.randrange(CUSTOMERS),
            )

    def _pass(self, seconds: float) -> None:
        self._control.advance_clock(seconds)
        self._clock.move(seconds)

    def _calm_down(self) -> None:
        self._control.clear_faults()
        for hours in _CALM:
            self._pass(hours * _HOUR)
            self._rows.decide_pending(self._control)
            self._workers["sweeper"].ask(0)
            self._workers["sweeper"].answer()
