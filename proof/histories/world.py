"""The world of one history: the shop's database and processes, the network, the gateway, and time."""

from __future__ import annotations

import contextlib
import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final
from unittest.mock import patch

from django.conf import settings as django_settings
from django.contrib.auth import get_user_model
from django.db import connection
from django.utils import timezone

from proof.histories.answers import Answers
from proof.histories.chance import Chance
from proof.histories.crashes import Boundaries, ShopConnection
from proof.histories.database import ShopDatabase
from proof.histories.gateway import Gateway
from proof.histories.habits import HabitualGateway
from proof.histories.network import SimulatedNetwork
from proof.histories.sandbox import DEPOSITS, SandboxGateway
from proof.histories.speech import Shown
from proof.histories.steps import SANDBOX, History
from proof.histories.virtual_time import EPOCH, VirtualTime, shop_now
from wallet_gateway import conf, gateways, payments
from wallet_gateway.ledger import transactions
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.payments.wallet_session import WalletSession

_GIVEN: Final[dict[str, Any]] = django_settings.WALLET_GATEWAY
_TAUGHT: Final = "proof.histories.taught.TaughtGateway"
_read_settings: Final = conf.settings


class World:
    """What all histories run in, one after another; made once for each process."""

    def __init__(self) -> None:
        self.time, self.chance, self.boundaries = VirtualTime(), Chance(), Boundaries()
        self._conf: dict[str, Any] = {}
        self.row_errors: list[str] = []
        """What a sweep has said of rows that it could not handle."""
        _listen(self.row_errors)
        self.answers = Answers()
        self.client = ""
        """The dotted path of the shop's own client, where it has one from the beginning."""
        self.habitual = HabitualGateway(self.time)
        self.gateway: Gateway = self.habitual
        self.network = SimulatedNetwork(self.time, self.boundaries, self.answers)
        with self.patched():
            self.sandbox = SandboxGateway(self.time)
            self._database = ShopDatabase()
            self._connection = ShopConnection(connection, self.boundaries)
            self.forget_history()
            self.new_process()
            self._database.fill(_fill)

    @contextlib.contextmanager
    def patched(self) -> Iterator[None]:
        """Let clocks and random numbers be those of the simulation."""
        with contextlib.ExitStack() as patches:
            patches.enter_context(self.time.running())
            patches.enter_context(self.chance.running())
            patches.enter_context(patch.object(timezone, "now", shop_now))
            patches.enter_context(patch.object(gateways, "_database_now", shop_now))
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
        self._database.restart()
        self.forget_history()
        self.new_process()

    def teach(self) -> None:
        """Let the shop's developers teach the plugin the words of their gateway."""
        self.answers.is_taught = True
        self._use(self._settings | {"CLIENT_CLASS": self.client or _TAUGHT})
        self.new_process()

    def forget_history(self) -> None:
        """Forget the people of the history before."""
        self.sheets: dict[str, tuple[int, WalletSession]] = {}
        """The sheet that a shopper has open, with its order."""
        self.results: list[tuple[int, str, dict[str, Any]]] = []
        """What sheets have handed to their pages: order, shopper, `event.detail`."""
        self.decided: dict[str, frozenset[Shown]] = {}
        """What a person had been shown of each reference when they decided on it."""
        self.careless: set[str] = set()
        """The references that a person decided on without asking the provider."""
        self.clicks: dict[str, set[str]] = {}
        """The references that each double click has led to, by its idempotency key."""
        self.row_errors.clear()
        self.is_calm = False
        """Whether the history is over, and everything works."""

    def note_decision(self, transaction: GatewayTransaction, *, is_careless: bool = False) -> None:
        """Keep what the gateway had shown of a transaction when a person decided on it."""
        reference = transaction.reference
        shown = frozenset(self.answers.latest.get(reference, ()))
        self.decided[reference] = self.decided.get(reference, frozenset()) | shown
        self.answers.note_closed(reference)
        if is_careless:
            self.careless.add(reference)

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
        gateways.use_clock(gateways.DatabaseClock())
        gateways.use_transport(self.network, alias="default")

    @contextlib.contextmanager
    def another_process(self) -> Iterator[None]:
        """Let another process of the shop run while one stands still between two of its transactions."""
        clients, contexts, clock = dict(gateways._clients), dict(gateways._contexts), gateways._clock
        kept, numbers, calls = self.boundaries.keep(), self.chance.state(), self.network.keep()
        read = self.answers.of_step
        self.new_process()
        try:
            yield
        finally:
            gateways._clients.clear()
            gateways._clients.update(clients)
            gateways.use_clock(clock)
            gateways._contexts.update(contexts)
            self.boundaries.go_back(kept)
            self.chance.go_back(numbers)
            self.network.go_back(calls)
            self.answers.of_step = read

    @property
    def happened(self) -> Counter[str]:
        """What all histories of this process were made of."""
        return self.boundaries.happened + self.network.happened

    def close(self) -> None:
        """Drop what was made for the run."""
        self._database.drop()

    def bury(self) -> None:
        """Do what the death of a process does, and start a new one."""
        self._connection.bury()
        self.boundaries.is_dead = False
        self.boundaries.fate = replace(self.boundaries.fate, dies_at=0)
        self.new_process()


class _RowErrors(logging.Handler):
    """Keeps the lines about rows that could not be handled; the rest of the log is nobody's here."""

    def __init__(self, heard: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        if "could not be handled" in record.msg:
            self._heard.append(record.getMessage())


def _listen(heard: list[str]) -> None:
    logger = logging.getLogger("wallet_gateway")
    logger.addHandler(_RowErrors(heard))
    logger.propagate = False


def _fill() -> None:
    """Store what every history begins with: three people, and the payments of an earlier provider."""
    for name in ("anna", "bert", "carla"):
        get_user_model().objects.create(
            username=name, is_superuser=True, is_staff=True, password="!", date_joined=EPOCH
        )
    lines = DEPOSITS.encode().splitlines(keepends=True)
    payments.maintenance.import_migration_file(lines)
