"""The real sandbox as the gateway of a simulation: in this process, on a database of its own in memory.

Its code uses the default connection, as it does in a process of its own. So the default connection is
exchanged while the gateway works, and the shop's is never touched by it.
"""

from __future__ import annotations

import contextlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from datetime import datetime, tzinfo
from typing import Any, Final
from unittest.mock import patch

from django.core.management import call_command
from django.db import connections

from proof.simulation.virtual_time import VirtualTime, true_now
from wallet_gateway.protocol.accounts import CardNetwork
from wallet_gateway.protocol.follow_ups import FollowUpType
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox import state
from wallet_gateway.sandbox.api import exchange, fault_injection
from wallet_gateway.sandbox.api.delayed_requests import execute_due_requests
from wallet_gateway.sandbox.api.exchange import Reply
from wallet_gateway.sandbox.api.faults import FaultKind, applies_to, clear_faults, set_fault
from wallet_gateway.sandbox.api.request_parser import RawRequest, parse_request
from wallet_gateway.sandbox.api.views import dispatch
from wallet_gateway.sandbox.control.provision import provision
from wallet_gateway.sandbox.models import AuthenticationOutcome, Outcome, TransactionRecord
from wallet_gateway.sandbox.payments import checkouts, detached_refunds, follow_ups, records
from wallet_gateway.sandbox.payments.records import ReferenceQuery
from wallet_gateway.sandbox.wallet.accounts import card_for
from wallet_gateway.sandbox.wallet.keys import key_ring
from wallet_gateway.sandbox.wallet.payment_data import approve
from wallet_gateway.sandbox.wallet.three_d_secure import decide_authentication

DEPOSITS: Final = (
    "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\n"
    "D-1,2026-01-10T10:30:00,50.00,EUR,10.00,PRV-1\n"
    "D-2,2026-01-11T10:30:00,30.00,EUR,0.00,PRV-2\n"
)
"""Payments of an earlier provider, which shop and gateway both know."""
_UNKNOWN_DEPOSIT: Final = "D-UNKNOWN,2026-01-12T10:30:00,40.00,EUR,0.00,PRV-3\n"
"""One that only the gateway knows."""


class _Datetime(datetime):
    """What the sandbox reads its clock with."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Any:  # noqa: ANN401  the class that it stands for has another type
        return true_now().astimezone(tz)


class SimulatedGateway:
    """The gateway: answers requests, and does what customers, the provider and the portal do."""

    def __init__(self, time: VirtualTime) -> None:
        self.time = time
        self._connection = connections["gateway"]
        with self._at_work():
            call_command("migrate", "wallet_sandbox", verbosity=0)
            provision()
            lines = (DEPOSITS + _UNKNOWN_DEPOSIT).encode().splitlines(keepends=True)
            detached_refunds.import_migration_file(lines, merchant_id="SANDBOX-MERCHANT", keep_good=False)
        self._template = self._connection.connection.serialize()

    def restart(self, behaviour: dict[str, Any]) -> None:
        """Begin a history: as new, with these habits."""
        self._connection.connection.deserialize(self._template)
        key_ring.clear()
        with self._at_work():
            state.change_behaviour(behaviour)

    @contextlib.contextmanager
    def patched(self) -> Iterator[None]:
        """Let the sandbox read the virtual clock and wait in virtual time."""
        with (
            patch.object(state, "datetime", _Datetime),
            patch.object(exchange, "cancellable_sleep", self.time.pass_by),
            patch.object(fault_injection, "cancellable_sleep", self.time.pass_by),
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

    def answer(self, raw: RawRequest, fault: str, **details: Any) -> Reply:
        """Answer a request as the sandbox does, which goes wrong in the way that a fault says."""
        with self._at_work():
            kind = FaultKind(fault) if fault else None
            if kind is not None and applies_to(kind, parse_request(raw).operation):
                set_fault("*", kind, **details)
            try:
                return dispatch(raw)
            finally:
                if kind is not None:
                    clear_faults()

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

    def settle_pending(self, reference: str, outcome: str) -> None:
        """Let the provider decide what is pending."""
        query = ReferenceQuery(reference=reference)
        self.work(lambda: records.settle_pending(records.find_pending(query), Outcome(outcome)))

    def portal(self, reference: str, kind: str, amount: str) -> None:
        """Make a follow-up in the provider's portal."""

        def make() -> None:
            original = records.find_payment(ReferenceQuery(reference=reference))
            money = Money.parse(amount, original.currency)
            follow_ups.make_portal_follow_up(original, FollowUpType(kind), money)

        self.work(make)

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

    def executed(self) -> dict[str, Counter[str]]:
        """Return how often each reference was carried out, by type of record; not by the portal."""
        done: defaultdict[str, Counter[str]] = defaultdict(Counter)
        with self._at_work():
            execute_due_requests()
            approved = TransactionRecord.objects.filter(state="Approved").exclude(origin="portal")
            for reference, kind in approved.values_list("reference", "type"):
                done[reference][kind] += 1
        return done

    def approved_records(self) -> dict[str, str]:
        """Return the reference of each approved record by the record's id, portal operations among them."""
        with self._at_work():
            approved = TransactionRecord.objects.filter(state="Approved")
            return dict(approved.values_list("record_id", "reference"))

    def is_known(self, reference: str) -> bool:
        """Return whether something is recorded under a reference, as the provider tells a person."""
        with self._at_work():
            execute_due_requests()
            return TransactionRecord.objects.filter(reference=reference).exclude(state="Errored").exists()
