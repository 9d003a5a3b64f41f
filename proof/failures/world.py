"""The world of a history in real processes: a shop's database, and the sandbox as a process, over HTTP.

What the gateway has shown to the shop is read from its journal: the plugin's word is not taken for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.apps import apps
from django.conf import settings as django_settings
from django.core.management.color import no_style
from django.db import connection

from proof.failures.instants import Instants
from proof.failures.processes import FORK, in_child
from proof.gateway_truth import MOVES_MONEY
from proof.histories.network import NOTHING_SENT
from proof.histories.sandbox import DEPOSITS_THERE, Sandbox
from proof.histories.steps import Fate, History, NothingToDo, Step
from proof.histories.verbs import VERBS
from proof.histories.world import World, hire_people, import_deposits
from wallet_gateway import conf, gateways, payments
from wallet_gateway.client.errors import NotSent
from wallet_gateway.client.exchange import RawAnswer
from wallet_gateway.client.transport import HttpTransport
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.operation_errors import InvalidInput, OperationError
from wallet_gateway.sandbox.faults import applies_to
from wallet_gateway.sandbox.models import FaultKind, JournalEntry
from wallet_gateway.sandbox.requests import RawRequest, parse_request
from wallet_gateway.testing.control import SandboxControl, SandboxRefused

_GIVEN: Final[dict[str, Any]] = django_settings.WALLET_GATEWAY
_HASTY: Final = {"CONNECT": 5.0, "READ": 1.5, "TOTAL": 2.5}
_TOO_LONG: Final = 3.0
"""Seconds, longer than the shop waits for an answer."""
_AT_GATEWAY: Final[Mapping[str, tuple[str, float | None]]] = {
    "stalled": ("delay_before", _TOO_LONG),
    "too_late": ("delay_after", _TOO_LONG),
    "very_late": ("late", 172_800.0),
    "drip": ("drip", 1.0),
}
"""The sandbox's name for a fault that it calls differently, and how long the fault lasts."""


class RealTime(gateways.DatabaseClock):
    """The database's time, moved as far as the run says in all processes, and the gateway's with it."""

    def __init__(self, control: SandboxControl) -> None:
        super().__init__()
        self._control, self._ahead = control, FORK.RawValue("d", 0.0)

    def restart(self) -> None:
        """Let the shop's clock be right."""
        self._ahead.value = 0

    def now(self) -> datetime:
        """Return the moved time."""
        return super().now() + timedelta(seconds=self._ahead.value)

    def shop_now(self) -> datetime:
        """Return the time of the shop's clock."""
        return self.now()

    def pass_by(self, seconds: float) -> None:
        """Let time pass for everybody."""
        self.set_shop_ahead(seconds)
        self._control.advance_clock(seconds)

    def set_shop_ahead(self, seconds: float) -> None:
        """Set the shop's clock forward, or back."""
        self._ahead.value += seconds


class FaultyNetwork:
    """The way from one process to the gateway: what leaves meets the faults of its step."""

    def __init__(self, control: SandboxControl) -> None:
        self._control = control
        given = conf.gateway_settings("default")
        self._inner = HttpTransport(
            base_url=given.base_url,
            connect_timeout=given.timeout.connect,
            read_timeout=given.timeout.read,
            total_timeout=given.timeout.total,
        )
        self.begin(Fate())

    def begin(self, fate: Fate) -> None:
        """Begin a step."""
        self._fate, self._number = fate, 0

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        **others: Any,
    ) -> RawAnswer:
        """Send a request once; raises NotSent and OutcomeUnknown."""
        self._number += 1
        fault = self._fate.fault_at(self._number)
        if fault in NOTHING_SENT:
            raise NotSent(NOTHING_SENT[fault])
        if fault:
            raw = RawRequest(
                method=method,
                path=path,
                raw_query=urlencode(query or {}),
                content_type="application/json",
                body=body or b"",
                base_url="",
            )
            # It meets the next request of this operation: this one, or that of another process.
            operation = parse_request(raw).operation
            name, seconds = _AT_GATEWAY.get(fault, (fault, None))
            if operation is not None and applies_to(FaultKind(name), operation):
                self._control.fault(operation, name, times=1, seconds=seconds)
        return self._inner.send(method, path, query=query, body=body, **others)


class RealWorld(World):
    """What the histories of one run live in, one after another, in as many processes as there are to be."""

    time: RealTime
    most_orders = 12

    def __init__(self, control: SandboxControl) -> None:
        super().__init__()
        self.control, self.time = control, RealTime(control)
        self.gateway = self.sandbox = Sandbox(control)
        gateways.use_clock(self.time)
        hire_people()

    def restart(self, history: History) -> None:
        """Begin a history: everything is as new, here and there."""
        tables = [model._meta.db_table for model in apps.get_app_config("wallet_gateway").get_models()]
        connection.ops.execute_sql_flush(connection.ops.sql_flush(no_style(), tables, allow_cascade=True))
        self.time.restart()
        self.control.reset()
        self.control.migration_file(DEPOSITS_THERE)
        self.control.behaviour(**history.behaviour)
        gateway = {**_GIVEN["GATEWAYS"]["default"], "TIMEOUT": _HASTY, **history.settings}
        django_settings.WALLET_GATEWAY = _GIVEN | {"GATEWAYS": {"default": gateway}}
        conf.settings.cache_clear()
        self.forget_history()
        self.connect()
        import_deposits()

    def connect(self) -> None:
        """Let this process speak to the gateway, on connections of its own."""
        gateways.forget_gateways()
        self._network = FaultyNetwork(self.control)
        gateways.use_transport(self._network, alias="default")

    def new_process(self) -> None:
        """Prepare a process that was forked: what happens in it is counted."""
        self.connect()
        self.instants = Instants()
        self.instants.watch()

    def begin(self, fate: Fate) -> None:
        """Begin a step of this process."""
        self._network.begin(fate)
        self.instants.reached.clear()
        self.instants.fatal = fate.dies_at or None

    def carry_out(self, steps: Iterable[Step], *, may_be_idle: bool = True) -> None:
        """Take steps without counting instants; a refusal is a right answer, any other error is not.

        That nothing is there to act on is one as well where steps are repeated. What dies in its step does so
        in a process of its own.
        """
        for step in steps:
            if step.fate.dies_at:
                in_child(lambda: self._die_in(step))  # noqa: B023
                self.connect()
                continue
            self._network.begin(step.fate)
            try:
                VERBS[step.verb](self, **step.given)
            except InvalidInput:
                # Nobody here gives any.
                raise
            except (OperationError, SandboxRefused):
                pass
            except NothingToDo:
                if not may_be_idle:
                    raise
        self._network.begin(Fate())

    def _die_in(self, step: Step) -> None:
        self.new_process()
        self.begin(step.fate)
        VERBS[step.verb](self, **step.given)

    def sweep_after(self, *waits: float) -> None:
        """Let so many seconds pass, each time followed by a sweep."""
        for seconds in waits:
            self.time.pass_by(seconds)
            payments.sweep()

    def bury(self) -> None:
        """Do nothing: real processes die by themselves."""

    def end_faults(self) -> None:
        """Let nothing go wrong from now on."""
        self.control.clear_faults()

    def note_decision(self, transaction: GatewayTransaction, *, is_careless: bool = False) -> None:
        """Keep what the gateway had shown of a transaction when a person decided on it."""
        self.read_answers()
        super().note_decision(transaction, is_careless=is_careless)

    def read_answers(self) -> None:
        """Read in the gateway's journal what it was sent and what it has answered."""
        self.answers.restart()
        for entry in JournalEntry.objects.using("gateway").order_by("pk"):
            body, query = entry.request_body.encode(), dict(parse_qsl(urlsplit(entry.path).query))
            # What came without its whole body is no request: its sender died.
            if not entry.operation:
                continue
            if body:
                self.answers.note_sent(entry.path, body)
            answer = RawAnswer(
                status=entry.answer_status or 0, headers={}, body=entry.answer_body.encode(), elapsed=0
            )
            self.answers.note(query, body, answer, is_odd=bool(entry.fault))

    def asked(self) -> Counter[str]:
        """Return how often the gateway was asked for what moves money, and for anything with a fault."""
        entries = JournalEntry.objects.using("gateway").values_list("operation", "fault")
        moving = Counter(operation for operation, _ in entries if operation in MOVES_MONEY)
        return moving + Counter("with a fault" for _, fault in entries if fault)


def undisturbed(steps: Iterable[Step]) -> list[Step]:
    """Return the same steps without what goes wrong in them."""
    return [replace(step, fate=Fate()) for step in steps]
