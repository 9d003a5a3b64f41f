"""The world of a simulation: the shop's database and processes, network, gateway and time in this process."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final
from unittest.mock import patch

from django.conf import settings as django_settings
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from proof.histories.chance import Chance
from proof.histories.crashes import Boundaries, ShopConnection
from proof.histories.habits import HabitualGateway
from proof.histories.network import SimulatedNetwork
from proof.histories.sandbox import SandboxGateway
from proof.histories.steps import SANDBOX, Fate, History
from proof.histories.virtual_time import VirtualTime, shop_now
from proof.histories.world import World, hire_people, import_deposits
from wallet_gateway import conf, gateways
from wallet_gateway.context import DatabaseClock
from wallet_gateway.ledger import transactions

_GIVEN: Final[dict[str, Any]] = django_settings.WALLET_GATEWAY
_TAUGHT: Final = "proof.histories.taught.TaughtGateway"
_read_settings: Final = conf.settings


class VirtualWorld(World):
    """What all histories run in, one after another; made once for each process."""

    time: VirtualTime
    gateway: SandboxGateway | HabitualGateway
    sandbox: SandboxGateway

    def __init__(self) -> None:
        super().__init__()
        self.time, self.chance, self.boundaries = VirtualTime(), Chance(), Boundaries()
        self._conf: dict[str, Any] = {}
        self.client = ""
        """The dotted path of the shop's own client, where it has one from the beginning."""
        self.habitual = HabitualGateway(self.time)
        self.gateway = self.habitual
        self.network = SimulatedNetwork(self.time, self.boundaries, self.answers)
        with self.patched():
            self.sandbox = SandboxGateway(self.time)
            call_command("migrate", verbosity=0)
            self._connection = ShopConnection(connection, self.boundaries)
            self.new_process()
            hire_people()
            import_deposits()
            self._template = connection.connection.serialize()

    @contextlib.contextmanager
    def patched(self) -> Iterator[None]:
        """Let clocks and random numbers be those of the simulation."""
        with contextlib.ExitStack() as patches:
            patches.enter_context(self.time.running())
            patches.enter_context(self.chance.running())
            patches.enter_context(patch.object(timezone, "now", shop_now))
            patches.enter_context(patch.object(DatabaseClock, "read", lambda _: shop_now()))
            # A process that is overtaken stands still inside: no lock of its own may stop the other one.
            patches.enter_context(patch.object(transactions, "_turns", {}))
            if hasattr(self, "sandbox"):
                patches.enter_context(self.sandbox.patched())
            yield

    def restart(self, history: History) -> None:
        """Begin a history: everything is as new."""
        self.time.restart()
        self.boundaries.restart_trace()
        self.gateway = self.sandbox if history.gateway == SANDBOX else self.habitual
        self.gateway.restart(history.behaviour, history.seed)
        self.network.gateway = self.gateway
        self.answers.restart()
        # A client that is there from the beginning knows the gateway's words.
        self.answers.is_taught = bool(self.client)
        self._settings = {**history.settings, **self.gateway.settings, "CLIENT_CLASS": self.client}
        self._use(self._settings)
        connection.connection.deserialize(self._template)
        self.forget_history()
        self.new_process()

    def teach(self) -> None:
        """Let the shop's developers teach the plugin the words of their gateway."""
        self.answers.is_taught = True
        self._use(self._settings | {"CLIENT_CLASS": self.client or _TAUGHT})
        self.new_process()

    def end_faults(self) -> None:
        """Let nothing go wrong from now on."""
        self.chance.seed("end")
        self.boundaries.begin(Fate())
        self.network.begin(Fate())

    def _use(self, settings: Mapping[str, Any]) -> None:
        """Give the shop these settings beside those that every history has."""
        name = repr(sorted(settings.items()))
        if name not in self._conf:
            gateway = _GIVEN["GATEWAYS"]["default"] | settings
            django_settings.WALLET_GATEWAY = _GIVEN | {"GATEWAYS": {"default": gateway}}
            _read_settings.cache_clear()
            self._conf[name] = _read_settings()
        conf.settings = lambda: self._conf[name]  # type: ignore[assignment]

    def new_process(self) -> None:
        """Let a process of the shop start, which remembers nothing."""
        gateways.forget_gateways()
        gateways.use_clock(DatabaseClock())
        gateways.use_transport(self.network, alias="default")

    @contextlib.contextmanager
    def another_process(self) -> Iterator[None]:
        """Let another process of the shop run while one stands still between two of its transactions."""
        clients, clock = dict(gateways._clients), gateways._clock
        kept, numbers, calls = self.boundaries.keep(), self.chance.state(), self.network.keep()
        read = self.answers.of_step
        self.new_process()
        try:
            yield
        finally:
            gateways._clients.clear()
            gateways._clients.update(clients)
            gateways.use_clock(clock)
            self.boundaries.go_back(kept)
            self.chance.go_back(numbers)
            self.network.go_back(calls)
            self.answers.of_step = read

    @property
    def happened(self) -> Counter[str]:
        """What all histories of this process were made of."""
        return self.boundaries.happened + self.network.happened

    def bury(self) -> None:
        """Do what the death of a process does, and start a new one."""
        self._connection.bury()
        self.boundaries.is_dead = False
        self.boundaries.fate = replace(self.boundaries.fate, dies_at=0)
        self.new_process()
