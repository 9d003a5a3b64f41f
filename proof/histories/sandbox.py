"""The real sandbox as the gateway: what it has carried out is read from its own database.

In a simulation it is in this process, on a database in memory. Its code uses the default connection, as it
does in a process of its own. So the default connection is exchanged while the gateway works, and the shop's
is never touched by it.
"""

from __future__ import annotations

import contextlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import datetime, timedelta, tzinfo
from typing import Any, Final, cast
from unittest.mock import patch
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from django.core.management import call_command
from django.db import connections
from django.db.models import Q, QuerySet

from proof.histories.speech import APPROVED, ERRORED, PENDING
from proof.histories.steps import nth
from proof.histories.virtual_time import VirtualTime, true_now
from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox import api, state
from wallet_gateway.sandbox.api import Reply, dispatch, execute_due_requests, late_requests
from wallet_gateway.sandbox.control import CONTROL_CALLS
from wallet_gateway.sandbox.faults import applies_to, clear_faults, set_fault
from wallet_gateway.sandbox.follow_ups import import_migration_file
from wallet_gateway.sandbox.json_calls import Input
from wallet_gateway.sandbox.merchants import provision
from wallet_gateway.sandbox.models import Checkout, FaultKind, TransactionRecord
from wallet_gateway.sandbox.requests import RawRequest, parse_request
from wallet_gateway.sandbox.tokens import key_ring
from wallet_gateway.testing.control import SandboxControl

BASE_URL: Final = "http://127.0.0.1:8001"
DEPOSITS: Final = (
    "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\n"
    "D-1,2026-01-10T10:30:00,50.00,EUR,10.00,PRV-1\n"
    "D-2,2026-01-11T10:30:00,30.00,EUR,0.00,PRV-2\n"
)
"""Payments of an earlier provider, which shop and gateway both know."""
DEPOSITS_THERE: Final = DEPOSITS + "D-UNKNOWN,2026-01-12T10:30:00,40.00,EUR,0.00,PRV-3\n"
"""And one that only the gateway knows."""


class Sandbox:
    """The sandbox, wherever it runs, and what customers, the provider and the portal do there."""

    def __init__(self, control: SandboxControl) -> None:
        self.control = control

    def _records(self) -> QuerySet[TransactionRecord]:
        # What has become due is done before each call.
        self.control.wallet()
        return TransactionRecord.objects.using("gateway")

    def decide_page(self, reference: str, outcome: str) -> None:
        """Let the customer decide on a hosted page."""
        self.control.complete_checkout(reference, outcome)

    def leave_three_d_secure(self, reference: str, outcome: str) -> None:
        """Let the customer leave the bank's page."""
        self.control.complete_three_d_secure(reference, outcome)

    def change_lag(self, seconds: float) -> None:
        """Let the status query lag."""
        self.control.behaviour(status_lag_seconds=seconds)

    def approve_in_wallet(self, parameters: dict[str, Any], reference: str, card: str) -> dict[str, Any]:
        """Let a customer approve in the wallet's sheet; return what the page is handed."""
        body = {
            "merchantId": parameters["mid"],
            "storeId": parameters["sid"],
            "clientSystemTransactionId": reference,
            "paymentData": self.control.wallet_payment_data(
                merchant_id=parameters["mid"], auth_method=card, card_network="VISA"
            ),
        }
        headers = {
            "Authorization": f"PublicApiKey {parameters['publicKeyApi']}",
            "Content-Type": "application/json",
        }
        result: dict[str, Any] = json.loads(self._sent_by_browser(json.dumps(body).encode(), headers))
        return result

    def _sent_by_browser(self, body: bytes, headers: dict[str, str]) -> bytes:
        """Send it as the customer's browser does, and return the answer."""
        request = Request(f"{self.control.base_url}/api/v5/paymentAccounts", data=body, headers=headers)
        try:
            with urlopen(request) as answer:
                said: bytes = answer.read()
        except HTTPError as refused:
            said = refused.read()
        return said

    @property
    def open_pages(self) -> list[str]:
        """The pages that a customer may try to decide on, the newest first."""
        pages = Checkout.objects.using("gateway").order_by("-pk")
        return list(pages.values_list("reference", flat=True))

    def settle_pending(self, which: int, outcome: str) -> None:
        """Let the provider decide one of those that are pending."""
        pending = self._records().filter(state="Pending").order_by("pk")
        self.control.settle_pending(nth(pending, which).reference, outcome)

    def portal(self, which: int, kind: str, percent: int) -> None:
        """Make a follow-up in the provider's portal, of one of the payments."""
        opened = self._records().filter(state="Approved", original=None, deposit=None)
        original = nth(opened.order_by("pk"), which)
        minor = max(1, original.amount_minor * percent // 100)
        amount = Money.from_minor_units(minor, original.currency).to_wire()
        self.control.portal(original.reference, kind, amount)

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


class InProcessControl(SandboxControl):
    """Steers the sandbox in this process."""

    def __init__(self, at_work: Callable[[], AbstractContextManager[None]]) -> None:
        super().__init__(BASE_URL)
        self._at_work = at_work

    def _call(self, method: str, name: str, body: bytes | None = None, **_: Any) -> Any:  # noqa: ANN401
        (call,) = (one for one in CONTROL_CALLS.values() if (one.method, one.path) == (method, name))
        with self._at_work():
            execute_due_requests()
            return call.run(Input(cast("dict[str, Any]", strict_json.loads(body or b"{}"))))


class SandboxGateway(Sandbox):
    """The sandbox in this process: answers requests, too."""

    def __init__(self, time: VirtualTime) -> None:
        super().__init__(InProcessControl(self._at_work))
        self._time, self._connection = time, connections["gateway"]
        with self._at_work():
            call_command("migrate", "wallet_sandbox", verbosity=0)
            provision()
            lines = DEPOSITS_THERE.encode().splitlines(keepends=True)
            import_migration_file(lines, merchant_id="SANDBOX-MERCHANT", keep_good=False)
        self._template = self._connection.connection.serialize()

    def restart(self, behaviour: Mapping[str, Any], seed: str) -> None:
        """Begin a history: as new, with this behaviour."""
        del seed
        self._connection.connection.deserialize(self._template)
        key_ring.clear()
        late_requests.clear()
        self.control.behaviour(**behaviour)

    @property
    def settings(self) -> dict[str, Any]:
        """What the shop's settings say of this gateway."""
        return {}

    @contextlib.contextmanager
    def patched(self) -> Iterator[None]:
        """Let the sandbox read the virtual clock and wait in virtual time."""
        with (
            patch.object(state, "datetime", _Datetime),
            patch.object(api, "cancellable_sleep", self._time.pass_by),
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

    def _sent_by_browser(self, body: bytes, headers: dict[str, str]) -> bytes:
        raw = RawRequest(
            method="POST",
            path="/api/v5/paymentAccounts",
            content_type=headers["Content-Type"],
            body=body,
            base_url=BASE_URL,
            authorization=headers["Authorization"],
        )
        return self.answer(raw, "").body
