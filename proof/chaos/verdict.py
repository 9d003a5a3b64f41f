"""Whether both ledgers agree to the cent, and whether everything that must hold does.

Every order is looked at, also after one has failed: a run names each failure with its order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from proof.gateway_truth import DepositTruth, GatewayTruth, check_references_sent_once
from wallet_gateway import gateways
from wallet_gateway.models import GatewayTransaction, MigratedDeposit, PaymentOrder
from wallet_gateway.testing.invariants import BooksDisagree, check_books, check_events


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One thing that does not hold."""

    claim: str
    subject: str
    story: int = 0
    """The number of the order it was found with; 0 where it concerns no one order."""

    def __str__(self) -> str:
        where = f" (order {self.story})" if self.story else ""
        return f"{self.subject}{where}: it does not hold that {self.claim}"


@dataclass(slots=True, kw_only=True)
class Verdict:
    """What was checked after a run, and what was found."""

    failures: list[Failure] = field(default_factory=list)
    doubles: list[str] = field(default_factory=list)
    """Executions twice by the gateway of what was sent once; each has a difference that names it."""
    orders: int = 0
    deposits: int = 0
    transactions: int = 0


def judge(sent: Counter[str]) -> Verdict:
    """Compare all books with the gateway's, and check every invariant."""
    verdict = Verdict(
        transactions=GatewayTransaction.objects.count(),
        deposits=MigratedDeposit.objects.count(),
        orders=PaymentOrder.objects.count(),
    )
    failures = verdict.failures
    failures.extend(_failures(check_books))
    failures.extend(_failures(check_events))
    failures.extend(_failures(lambda: check_references_sent_once(sent)))
    for order in PaymentOrder.objects.order_by("pk"):
        truth = GatewayTruth(order, gateways.gateway(order.gateway), may_double=True)
        verdict.doubles.extend(truth.doubles)
        story = int(order.reference.rpartition("-")[2])
        for check in (truth.check_allowed_for, truth.check_known, truth.check_doubles_named):
            failures.extend(_failures(check, story=story))
    for deposit in MigratedDeposit.objects.order_by("pk"):
        of_deposit = DepositTruth(deposit, gateways.gateway(deposit.gateway))
        verdict.doubles.extend(of_deposit.doubles)
        failures.extend(_failures(of_deposit.check_known))
    return verdict


def _failures(check: Callable[[], None], *, story: int = 0) -> Iterator[Failure]:
    try:
        check()
    except BooksDisagree as found:
        yield Failure(claim=found.claim, subject=found.subject, story=story)
