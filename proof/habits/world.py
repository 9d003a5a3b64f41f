"""The shop of a history: its database, its clock and its settings, at a gateway with habits."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Final
from unittest.mock import patch

from django.conf import settings as django_settings
from django.contrib.auth import get_user_model
from django.utils import timezone

from proof.habits.gateway import Habits, HabitualGateway, Shown
from proof.simulation.chance import Chance
from proof.simulation.shop_database import ShopDatabase
from proof.simulation.virtual_time import EPOCH, VirtualTime, shop_now
from wallet_gateway import conf, gateways
from wallet_gateway.models import GatewayTransaction

_GIVEN: Final[dict[str, Any]] = django_settings.WALLET_GATEWAY
_TAUGHT: Final = "proof.habits.taught.TaughtGateway"


class World:
    """What all histories of this process run in, one after another."""

    def __init__(self) -> None:
        self.time, self.chance = VirtualTime(), Chance()
        self.gateway = HabitualGateway(self.time)
        self.client = ""
        """The dotted path of the shop's own client, where it has one from the beginning."""
        self._database = ShopDatabase()
        self._database.fill(_fill)

    @contextlib.contextmanager
    def patched(self) -> Iterator[None]:
        """Let clocks and random numbers be those of the history."""
        with self.time.running(), self.chance.running(), patch.object(timezone, "now", shop_now):
            before = django_settings.WALLET_GATEWAY
            try:
                yield
            finally:
                django_settings.WALLET_GATEWAY = before
                conf.settings.cache_clear()
                gateways.forget_gateways()
                gateways.use_clock(gateways.DatabaseClock())

    def restart(self, habits: Habits, seed: str) -> None:
        """Begin a history: everything is as new."""
        self.time.restart()
        self._database.restart()
        self.gateway.restart(habits, seed)
        # A client that is there from the beginning knows the gateway's words.
        self.gateway.is_taught = bool(self.client)
        self.decided: dict[str, frozenset[Shown]] = {}
        """What a person had been shown of each reference when they decided on it."""
        self.keys: dict[str, set[str]] = {}
        """The references that each idempotency key has led to."""
        self._begin_process(self.client)

    def teach(self) -> None:
        """Let the shop's developers teach the plugin the words of their gateway."""
        self.gateway.is_taught = True
        self._begin_process(self.client or _TAUGHT)

    def _begin_process(self, client: str) -> None:
        settings = {"SHARES_REFERENCES": self.gateway.habits.shares, "CLIENT_CLASS": client}
        gateway = _GIVEN["GATEWAYS"]["default"] | settings
        django_settings.WALLET_GATEWAY = _GIVEN | {"GATEWAYS": {"default": gateway}}
        conf.settings.cache_clear()
        gateways.forget_gateways()
        gateways.use_clock(gateways.DatabaseClock())
        gateways.use_transport(self.gateway, alias="default")

    def note_decision(self, transaction: GatewayTransaction) -> None:
        """Keep what the gateway had shown of a transaction when a person decided on it."""
        shown = frozenset(self.gateway.latest.get(transaction.reference, ()))
        self.decided[transaction.reference] = self.decided.get(transaction.reference, frozenset()) | shown
        self.note_closed(transaction.reference)

    def note_closed(self, reference: str) -> None:
        """Forget records whose ids say nothing: they are judged anew when the next answer shows them."""
        if shown := self.gateway.latest.get(reference):
            self.gateway.latest[reference] = tuple(one for one in shown if not one.is_placeholder)


def _fill() -> None:
    get_user_model().objects.create(
        username="anna", is_superuser=True, is_staff=True, password="!", date_joined=EPOCH
    )
