"""A gateway that files everything under the original's reference and carries out one request twice.

Beside it stands another operation of the same payment whose record nobody has seen yet: it must not be taken
for the explanation of the second execution.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tests.operations.conftest import MakeContext, Pay, VirtualClock
from tests.operations.dying import filing, scripted
from tests.operations.records import answer_of, record
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import query_and_record
from wallet_gateway.operations.settlement.settle import reread
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.invariants import check_books

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState
FIVE, THREE = Decimal("5.00"), Decimal("3.00")
Shared = Callable[..., GatewayContext]


class Ledger:
    """A payment with a double: what the gateway says under the payment's reference, for every question."""

    def __init__(self, payment: Payment, doubled: GatewayTransaction, context: GatewayContext) -> None:
        self.payment, self.doubled, self._context = payment, doubled, context
        self._records = [
            record(payment.opening, "20.00", id=payment.opening.record_id),
            self._filed(doubled, "5.00", id=doubled.record_id),
            self._filed(doubled, "5.00", id="double"),
        ]

    def _filed(self, transaction: GatewayTransaction, amount: str, **changes: Any) -> dict[str, Any]:
        return record(transaction, amount, clientSystemTransactionId=self.payment.reference, **changes)

    def add(self, transaction: GatewayTransaction, amount: str, **changes: Any) -> None:
        """Let the gateway have a record of another operation, too."""
        self._records.append(self._filed(transaction, amount, **changes))

    @property
    def context(self) -> GatewayContext:
        """The context of a gateway that says all this."""
        return filing(self._context, {self.payment.reference: answer_of(*self._records)})

    def sweep_for_two_days(self, clock: VirtualClock) -> None:
        for _ in range(24):
            clock.advance(hours=2)
            sweep(context=self.context)
        check_books()


@pytest.fixture(params=["capture", "refund"])
def operate(request: pytest.FixtureRequest) -> Callable[..., GatewayTransaction]:
    return {"capture": capture, "refund": refund}[request.param]


@pytest.fixture
def ledger(operate: Callable[..., GatewayTransaction], pay: Pay, make_context: MakeContext) -> Ledger:
    """A capture or a refund of 5.00, which the gateway has carried out twice."""
    sharing = make_context(shares_references=True)
    payment = pay(type="sale" if operate is refund else "preauthorization")
    doubled = operate(payment=payment, context=sharing, amount=FIVE)
    return Ledger(Payment.objects.select_related("order").get(pk=payment.pk), reread(doubled), sharing)


def lost(
    ledger: Ledger, operate: Callable[..., GatewayTransaction], amount: Decimal, control: SandboxControl
) -> GatewayTransaction:
    """Another operation on the same payment, of which no answer came."""
    control.fault(str(ledger.doubled.kind).lower(), "drop_before")
    payment = Payment.objects.select_related("order").get(pk=ledger.payment.pk)
    return operate(payment=payment, context=ledger._context, amount=amount)


def named() -> str:
    """What the open differences say of records, in one text."""
    return " ".join(json.dumps(row.explanation_params) for row in Discrepancy.objects.filter(closed_at=None))


def test_a_sibling_of_another_amount_is_not_contradicted_by_the_double(
    ledger: Ledger,
    operate: Callable[..., GatewayTransaction],
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    sibling = lost(ledger, operate, THREE, wallet_sandbox)
    query_and_record(reread(sibling), context=ledger.context)
    assert reread(sibling).state == S.UNKNOWN

    ledger.sweep_for_two_days(clock)
    assert reread(sibling).state == S.UNKNOWN
    assert Payment.objects.get().is_frozen
    assert "double" in named()


def test_a_sibling_of_another_amount_finds_its_own_record_beside_the_double(
    ledger: Ledger,
    operate: Callable[..., GatewayTransaction],
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    sibling = lost(ledger, operate, THREE, wallet_sandbox)
    ledger.sweep_for_two_days(clock)
    ledger.add(sibling, "3.00", id="late")
    ledger.sweep_for_two_days(clock)
    assert (reread(sibling).state, reread(sibling).record_id) == (S.APPROVED, "late")
    assert "double" in named()


@pytest.mark.parametrize("asks_first", ["doubled", "sibling"])
def test_a_sibling_of_the_same_amount_explains_one_record_and_not_two(
    asks_first: str,
    ledger: Ledger,
    operate: Callable[..., GatewayTransaction],
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    sibling = lost(ledger, operate, FIVE, wallet_sandbox)
    ledger.add(sibling, "5.00", id="its own")
    first = ledger.doubled if asks_first == "doubled" else sibling
    query_and_record(reread(first), context=ledger.context)
    ledger.sweep_for_two_days(clock)
    assert Payment.objects.get().is_frozen
    assert "double" in named() or "its own" in named()


def test_a_sibling_that_was_approved_without_an_id_explains_one_record_and_not_two(
    ledger: Ledger, operate: Callable[..., GatewayTransaction], clock: VirtualClock
) -> None:
    def without_id(body: bytes) -> bytes:
        asked = json.loads(body)
        echoed = {name: asked[name] for name in ("clientSystemTransactionId", "currencyCode")}
        return json.dumps({"state": "Approved", **echoed}).encode()

    payment = Payment.objects.select_related("order").get(pk=ledger.payment.pk)
    sibling = operate(payment=payment, context=scripted(ledger._context, without_id), amount=FIVE)
    assert (sibling.state, sibling.record_id) == (S.APPROVED, None)
    ledger.add(sibling, "5.00", id="its own")
    ledger.sweep_for_two_days(clock)
    assert Payment.objects.get().is_frozen
    assert "double" in named() or "its own" in named()


def test_of_equal_amounts_the_double_counts_as_the_sibling_that_never_happened(
    ledger: Ledger,
    operate: Callable[..., GatewayTransaction],
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    """Two records and two transactions cannot be told apart, and the sums are the gateway's."""
    sibling = lost(ledger, operate, FIVE, wallet_sandbox)
    ledger.sweep_for_two_days(clock)
    payment = Payment.objects.get()
    booked = payment.captured if operate is capture else payment.refunded
    assert (reread(sibling).state, reread(sibling).record_id, booked) == (S.APPROVED, "double", 1000)
