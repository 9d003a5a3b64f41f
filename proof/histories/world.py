"""What verbs act on and the judge reads, whether time, network and gateway are simulated or real."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from datetime import datetime
from typing import Any, Protocol

from django.contrib.auth import get_user_model

from proof.histories.answers import Answers
from proof.histories.habits import HabitualGateway
from proof.histories.sandbox import DEPOSITS, Sandbox
from proof.histories.speech import Shown
from proof.histories.virtual_time import EPOCH
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.payments.wallet_session import WalletSession


class Time(Protocol):
    """The clocks of shop and gateway."""

    def pass_by(self, seconds: float) -> None:
        """Let time pass for everybody."""

    def shop_now(self) -> datetime:
        """Return the time of the shop's wall clock, that of its database."""

    def set_shop_ahead(self, seconds: float) -> None:
        """Set the shop's wall clock forward, or back."""


class World(ABC):
    """The shop, the gateway and time, and what the people of a history know."""

    time: Time
    gateway: Sandbox | HabitualGateway
    sandbox: Sandbox
    most_orders = 3

    def __init__(self) -> None:
        self.row_errors: list[str] = []
        """What a sweep has said of rows that it could not handle."""
        _listen(self.row_errors)
        self.answers = Answers()
        self.forget_history()

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

    @abstractmethod
    def bury(self) -> None:
        """Do what the death of a process does, where it is only played."""

    @abstractmethod
    def end_faults(self) -> None:
        """Let nothing go wrong from now on."""


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


def hire_people() -> None:
    """Store the shop's people."""
    for name in ("anna", "bert", "carla"):
        people = get_user_model().objects
        given = {"is_superuser": True, "is_staff": True, "password": "!", "date_joined": EPOCH}
        people.get_or_create(username=name, defaults=given)


def import_deposits() -> None:
    """Store the payments of an earlier provider."""
    payments.maintenance.import_migration_file(DEPOSITS.encode().splitlines(keepends=True))
