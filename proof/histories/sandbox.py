"""The real sandbox as the gateway: what it has carried out is read from its own database.

In a simulation it is in this process, on a database in memory. Its code uses the default connection, as it
does in a process of its own. So the default connection is exchanged while the gateway works, and the shop's
is never touched by it.
"""

from __future__ import annotations

import contextlib
import json
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta, tzinfo
from typing import Any, Final
from unittest.mock import patch

from django.core.management import call_command
from django.db import connections
from django.db.models import Q, QuerySet

from proof.histories.speech import APPROVED, ERRORED, PENDING
from proof.histories.steps import nth
from proof.histories.virtual_time import VirtualTime, true_now
from wallet_gateway.protocol.accounts import CardNetwork
from wallet_gateway.protocol.follow_ups import FollowUpType
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox import api, checkouts, follow_ups, records, state
from wallet_gateway.sandbox.api import Reply, dispatch, execute_due_requests
from wallet_gateway.sandbox.authorizations import decide_authentication
from wallet_gateway.sandbox.faults import FaultKind, applies_to, clear_faults, set_fault
from wallet_gateway.sandbox.merchants import provision
from wallet_gateway.sandbox.models import AuthenticationOutcome, Checkout, Outcome, TransactionRecord
from wallet_gateway.sandbox.records import ReferenceQuery
from wallet_gateway.sandbox.requests import RawRequest, parse_request
from wallet_gateway.sandbox.tokens import key_ring
from wallet_gateway.sandbox.wallet import approve, card_for

DEPOSITS: Final = (
    "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\n"
    "D-1,2026-01-10T10:30:00,50.00,EUR,10.00,PRV-1\n"
    "D-2,2026-01-11T10:30:00,30.00,EUR,0.00,PRV-2\n"
)
"""Payments of an earlier provider, which shop and gateway both know."""
DEPOSITS_THERE: Final = DEPOSITS + "D-UNKNOWN,2026-01-12T10:30:00,40.00,EUR,0.00,PRV-3\n"
"""And one that only the gateway knows."""


class Sandbox(ABC):
    """The sandbox, wherever it runs, and what customers, the provider and the portal do there."""

    @abstractmethod
    def carry_out_due(self) -> None:
        """Let it do what has become due by now."""

    def _records(self) -> QuerySet[TransactionRecord]:
        self.carry_out_due()
        return TransactionRecord.objects.using("gateway")

    @abstractmethod
    def decide_page(self, reference: str, outcome: str) -> None:
        """Let the customer decide on a hosted page."""

    @abstractmethod
    def leave_three_d_secure(self, reference: str, outcome: str) -> None:
        """Let the customer leave the bank's page."""

    @abstractmethod
    def approve_in_wallet(self, parameters: dict[str, Any], reference: str, card: str) -> dict[str, Any]:
        """Let a customer approve in the wallet's sheet; return what the page is handed."""

    @abstractmethod
    def change_behaviour(self, **changes: Any) -> None:
        """Change the gateway's habits."""

    @abstractmethod
    def decide_pending(self, reference: str, outcome: str) -> None:
        """Let the provider decide what is pending."""

    @abstractmethod
    def make_in_portal(self, original: TransactionRecord, kind: str, money: Money) -> None:
        """Make a follow-up in the provider's portal."""

    @property
    def open_pages(self) -> list[str]:
        """The pages that a customer may try to decide on, the newest first."""
        pages = Checkout.objects.using("gateway").order_by("-pk")
        return list(pages.values_list("reference", flat=True))

    def settle_pending(self, which: int, outcome: str) -> None:
        """Let the provider decide one of those that are pending."""
        pending = self._records().filter(state="Pending").order_by("pk")
        self.decide_pending(nth(pending, which).reference, outcome)

    def portal(self, which: int, kind: str, percent: int) -> None:
        """Make a follow-up in the provider's portal, of one of the payments."""
        opened = self._records().filter(state="Approved", original=None, deposit=None)
        original = nth(opened.order_by("pk"), which)
        minor = max(1, original.amount_minor * percent // 100)
        self.make_in_portal(original, kind, Money.from_minor_units(minor, original.currency))

    def executed(self) -> dict[str, Counter[str]]:
        """Return how often each reference was carried out, by type of record; not by the portal."""
        done: defaultdict[str, Counter[str]] = defaultdict(Counter)
        approved = self._records().filter(state="Approved").exclude(origin="portal")
        for reference, kind in approved.values_list("reference", "type"):
            done[reference][kind] += 1
        return done

    def approved_records(self) -> dict[str, str]:
        """Return the reference of each approved record by the record's id, portal operations among them."""
        return dict(self._records().filter(state="Approved").values_list("record_id", "reference"))

    def happened(self, reference: str) -> str:
        """Return what the portal tells a person about a request: its best state; empty for no record."""
        states = set(self._records().filter(reference=reference).values_list("state", flat=True))
        return next((state for state in (APPROVED, PENDING, ERRORED) if state in states), "")

    def moved(self, original: str) -> Counter[str]:
        """Return what has really moved of a payment by now, by type in lower case."""
        sums: Counter[str] = Counter()
        ours = Q(reference=original, original=None) | Q(original__reference=original)
        for record in self._records().filter(ours, state="Approved"):
            sums[record.type.lower()] += record.amount_minor
        return sums

    def is_changed(self, original: str) -> bool:
        """Return whether what was shown of a payment was taken back later: this gateway does not do that."""
        return False


class _Datetime(datetime):
    """What the sandbox reads its clock with."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Any:  # noqa: ANN401  the class that it stands for has another type
        return true_now().astimezone(tz)


class SandboxGateway(Sandbox):
    """The sandbox in this process: answers requests, too."""

    def __init__(self, time: VirtualTime) -> None:
        self.time = time
        self._connection = connections["gateway"]
        with self._at_work():
            call_command("migrate", "wallet_sandbox", verbosity=0)
            provision()
            lines = DEPOSITS_THERE.encode().splitlines(keepends=True)
            follow_ups.import_migration_file(lines, merchant_id="SANDBOX-MERCHANT", keep_good=False)
        self._template = self._connection.connection.serialize()

    def restart(self, behaviour: Mapping[str, Any], seed: str) -> None:
        """Begin a history: as new, with this behaviour."""
        del seed
        self._connection.connection.deserialize(self._template)
        key_ring.clear()
        with self._at_work():
            state.change_behaviour(dict(behaviour))

    @property
    def settings(self) -> dict[str, Any]:
        """What the shop's settings say of this gateway."""
        return {}

    @contextlib.contextmanager
    def patched(self) -> Iterator[None]:
        """Let the sandbox read the virtual clock and wait in virtual time."""
        with (
            patch.object(state, "datetime", _Datetime),
            patch.object(api, "cancellable_sleep", self.time.pass_by),
        ):
            yield

    @contextlib.contextmanager
    def _at_work(self) -> Iterator[None]:
        shops = connections["default"]
        connections["default"] = self._connection
        try:
            yield
        finally:
            connections["default"] = shops

    def answer(self, raw: RawRequest, fault: str, *, delay: timedelta | None = None) -> Reply:
        """Answer a request as the sandbox does, which goes wrong in the way that a fault says."""
        with self._at_work():
            kind = FaultKind(fault) if fault else None
            if kind is not None and applies_to(kind, parse_request(raw).operation):
                set_fault("*", kind, delay=delay)
            try:
                return dispatch(raw)
            finally:
                if kind is not None:
                    clear_faults()

    def carry_out_due(self) -> None:
        """Let it do what has become due by now."""
        with self._at_work():
            execute_due_requests()

    def work(self, what: Callable[[], Any]) -> Any:  # noqa: ANN401
        """Do something at the gateway that is not a request of the shop."""
        with self._at_work():
            execute_due_requests()
            return what()

    def decide_page(self, reference: str, outcome: str) -> None:
        """Let the customer decide on a hosted page."""
        query = ReferenceQuery(reference=reference)
        self.work(
            lambda: checkouts.decide_checkout(records.find_checkout(query), Outcome(outcome), by_hand=False)
        )

    def leave_three_d_secure(self, reference: str, outcome: str) -> None:
        """Let the customer leave the bank's page."""
        query, decided = ReferenceQuery(reference=reference), AuthenticationOutcome(outcome)
        self.work(lambda: decide_authentication(records.find_authentication(query), decided, by_hand=False))

    def decide_pending(self, reference: str, outcome: str) -> None:
        """Let the provider decide what is pending."""
        query = ReferenceQuery(reference=reference)
        self.work(lambda: records.settle_pending(records.find_pending(query), Outcome(outcome)))

    def make_in_portal(self, original: TransactionRecord, kind: str, money: Money) -> None:
        """Make a follow-up in the provider's portal."""
        self.work(lambda: follow_ups.make_portal_follow_up(original, FollowUpType(kind), money))

    def change_behaviour(self, **changes: Any) -> None:
        """Change the gateway's habits."""
        self.work(lambda: state.change_behaviour(changes))

    def approve_in_wallet(self, parameters: dict[str, Any], reference: str, card: str) -> dict[str, Any]:
        """Let a customer approve in the wallet's sheet; return what the page is handed."""
        data = self.work(lambda: approve(card_for(CardNetwork.VISA, card), {}, merchant_id=parameters["mid"]))
        body = {
            "merchantId": parameters["mid"],
            "storeId": parameters["sid"],
            "clientSystemTransactionId": reference,
            "paymentData": data,
        }
        raw = RawRequest(
            method="POST",
            path="/api/v5/paymentAccounts",
            content_type="application/json",
            body=json.dumps(body).encode(),
            base_url="http://127.0.0.1:8001",
            authorization=f"PublicApiKey {parameters['publicKeyApi']}",
        )
        result: dict[str, Any] = json.loads(self.answer(raw, "").body)
        return result
