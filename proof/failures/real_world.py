"""The world of a history in real processes: a shop's database, and the sandbox as a process, over HTTP.

What the gateway has shown to the shop is read from its journal: the plugin's word is not taken for it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.conf import settings as django_settings

from proof.failures.instants import Instants
from proof.failures.world import World as Shop
from proof.gateway_truth import MOVES_MONEY
from proof.histories.network import NOTHING_SENT
from proof.histories.sandbox import DEPOSITS_THERE, Sandbox
from proof.histories.steps import Fate, History
from proof.histories.world import World, hire_people, import_deposits
from proof.wallet_customer import approve_in_sheet
from wallet_gateway import conf, gateways
from wallet_gateway.client.errors import NotSent
from wallet_gateway.client.exchange import RawAnswer
from wallet_gateway.client.transport import HttpTransport, Limits
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.faults import FaultKind, applies_to
from wallet_gateway.sandbox.models import JournalEntry, TransactionRecord
from wallet_gateway.sandbox.requests import RawRequest, parse_request
from wallet_gateway.testing.control import SandboxControl

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


class RealTime:
    """The clocks of the shop's processes and of the gateway."""

    def __init__(self, shop: Shop) -> None:
        self._shop = shop

    def pass_by(self, seconds: float) -> None:
        """Let time pass for everybody."""
        self._shop.advance(seconds)

    def shop_now(self) -> datetime:
        """Return the time of the shop's clock."""
        return self._shop.clock.now()

    def set_shop_ahead(self, seconds: float) -> None:
        """Set the shop's clock forward, or back."""
        self._shop.clock.ahead.value += seconds


class RemoteSandbox(Sandbox):
    """The sandbox in a process of its own, moved by its control interface."""

    def __init__(self, control: SandboxControl) -> None:
        self._control = control

    def carry_out_due(self) -> None:
        """Let it do what has become due by now."""
        # It does so before each call.
        self._control.wallet()

    def decide_page(self, reference: str, outcome: str) -> None:
        """Let the customer decide on a hosted page."""
        self._control.complete_checkout(reference, outcome)

    def leave_three_d_secure(self, reference: str, outcome: str) -> None:
        """Let the customer leave the bank's page."""
        self._control.complete_three_d_secure(reference, outcome)

    def approve_in_wallet(self, parameters: dict[str, Any], reference: str, card: str) -> dict[str, Any]:
        """Let a customer approve in the wallet's sheet; return what the page is handed."""
        try:
            return approve_in_sheet(self._control, parameters, reference, card)
        except HTTPError as refused:
            said: dict[str, Any] = json.load(refused)
            return said

    def change_behaviour(self, *, status_lag: timedelta) -> None:  # type: ignore[override]
        """Change the gateway's habits."""
        self._control.behaviour(status_lag_seconds=status_lag.total_seconds())

    def decide_pending(self, reference: str, outcome: str) -> None:
        """Let the provider decide what is pending."""
        self._control.settle_pending(reference, outcome)

    def make_in_portal(self, original: TransactionRecord, kind: str, money: Money) -> None:
        """Make a follow-up in the provider's portal."""
        self._control.portal(original.reference, kind, money.to_wire())


class FaultyNetwork:
    """The way from one process to the gateway: what leaves meets the faults of its step."""

    def __init__(self, control: SandboxControl) -> None:
        self._control = control
        given = conf.gateway_settings("default")
        self._inner = HttpTransport(
            base_url=given.base_url,
            limits=Limits(**dict(given.timeout)),
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
        headers: Mapping[str, str] | None = None,
        fresh: bool = False,
        not_after: float | None = None,
    ) -> RawAnswer:
        """Send a request once; raises NotSent and OutcomeUnknown."""
        self._number += 1
        fault = self._fate.fault_at(self._number)
        if fault in NOTHING_SENT:
            raise NotSent(NOTHING_SENT[fault])
        if fault:
            self._set_fault(fault, method, path, query, body)
        return self._inner.send(
            method, path, query=query, body=body, headers=headers, fresh=fresh, not_after=not_after
        )

    def _set_fault(
        self, fault: str, method: str, path: str, query: Mapping[str, str] | None, body: bytes | None
    ) -> None:
        """Let it meet the next request of this operation: this one, or that of another process."""
        raw = RawRequest(
            method=method,
            path=path,
            raw_query=urlencode(query or {}),
            content_type="application/json",
            body=body or b"",
            base_url="",
        )
        operation = parse_request(raw).operation
        name, seconds = _AT_GATEWAY.get(fault, (fault, None))
        if operation is not None and applies_to(FaultKind(name), operation):
            self._control.fault(operation, name, times=1, seconds=seconds)


class RealWorld(World):
    """What the histories of one run live in, one after another, each in several processes at once."""

    most_orders = 12

    def __init__(self, shop: Shop) -> None:
        super().__init__()
        self._shop, self.time = shop, RealTime(shop)
        self.gateway = self.sandbox = RemoteSandbox(shop.control)
        hire_people()

    def restart(self, history: History) -> None:
        """Begin a history: everything is as new."""
        self._shop.as_new()
        self._shop.control.migration_file(DEPOSITS_THERE)
        self._shop.control.behaviour(**history.behaviour)
        gateway = {**_GIVEN["GATEWAYS"]["default"], "TIMEOUT": _HASTY, **history.settings}
        django_settings.WALLET_GATEWAY = _GIVEN | {"GATEWAYS": {"default": gateway}}
        conf.settings.cache_clear()
        gateways.forget_gateways()
        self.forget_history()
        import_deposits()

    def new_process(self) -> None:
        """Prepare the process that was forked."""
        self._network, self._instants = FaultyNetwork(self._shop.control), Instants()
        gateways.use_transport(self._network, alias="default")
        self._instants.watch()

    def begin(self, fate: Fate) -> None:
        """Begin a step of this process."""
        self._network.begin(fate)
        self._instants.reached.clear()
        self._instants.fatal = fate.dies_at or None

    def bury(self) -> None:
        """Do nothing: real processes die by themselves."""

    def end_faults(self) -> None:
        """Let nothing go wrong from now on."""
        self._shop.control.clear_faults()

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
