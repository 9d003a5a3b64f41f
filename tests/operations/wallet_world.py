"""The world of a history: an order, the emulated gateway, one clock, and the ways in which a call may end.

No test lives here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from django.db import connection
from django.db.models import QuerySet
from hypothesis import Phase, settings

from proof.gateway_truth import GatewayTruth
from tests.operations.conftest import VirtualClock
from tests.operations.dying import Killed, interrupted, kill
from tests.operations.wallet_customer import Customer, diverted
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.domain.policy import BookElsewhere
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import OperationError
from wallet_gateway.testing.control import SandboxControl

_DECLINED = ["errored", "error_body"]
_LOST = ["drop_after", "status_after", "truncated", "not_json", "error_200", "mixed", "undocumented_state"]
_NOT_DONE = ["drop_before", "status_before", "throttled", "deaf", "dead before"]
_DONE_ALL_THE_SAME = ["dead after", "late", "duplicate"]
FAULTS = [*_DECLINED, *_LOST, *_NOT_DONE, *_DONE_ALL_THE_SAME]
"""How else a call may end than well: the sandbox's faults, a gateway out of reach, a process that dies."""
_CALLS = {"authorization": "authorize", "checkout": "checkout"}


@dataclass
class World:
    """What all histories share: the emulated gateway, one customer, and the clock of both."""

    control: SandboxControl
    customer: Customer
    deaf: GatewayContext
    """A gateway that nobody reaches."""
    clock: VirtualClock

    @property
    def context(self) -> GatewayContext:
        return self.customer.context

    def as_new(self) -> None:
        self.control.reset()
        self.clock.instant = datetime.now(UTC)
        self.context.pause.forget()

    def let_book_elsewhere(self, choice: BookElsewhere) -> None:
        """Say whether the shop books what was made elsewhere by itself."""
        policy = replace(self.context.policy, book_elsewhere=choice)
        self.customer = replace(self.customer, context=replace(self.context, policy=policy))

    @contextlib.contextmanager
    def fated(self, operation: str, fate: str) -> Iterator[GatewayContext]:
        """Let a call to the gateway end in some way; a refusal of our own is a right answer, too."""
        context = self.context
        if fate == "deaf":
            context = diverted(_CALLS.get(operation, "follow_up"), self.deaf, context=context)
        elif fate in {"dead before", "dead after"}:
            context = interrupted(context, **{fate.removeprefix("dead "): kill})
        elif fate != "works":
            self.control.fault(operation, fate)
        with contextlib.suppress(OperationError, Killed):
            yield context
        if context is self.context and fate != "works":
            self.control.clear_faults()


class OneOrder:
    """The order of a history, as its rows stand at each moment."""

    world: World
    pk: int

    @property
    def order(self) -> PaymentOrder:
        return PaymentOrder.objects.get(pk=self.pk)

    def transactions(self) -> QuerySet[GatewayTransaction]:
        return GatewayTransaction.objects.filter(payment__order=self.pk).order_by("pk")

    def pages(self, kind: TransactionKind, *states: TransactionState) -> list[GatewayTransaction]:
        """The pages at the gateway whose address somebody has."""
        rows = self.transactions().filter(kind=kind).exclude(redirect_url="")
        return list(rows.filter(state__in=states) if states else rows)

    def paid(self) -> list[Payment]:
        return list(Payment.objects.filter(order=self.pk, authorized__gt=0).order_by("pk"))

    def truth(self) -> GatewayTruth:
        return GatewayTruth(self.order, self.world.context.gateway)


def history_settings(*, on_sqlite: int, elsewhere: int) -> settings:
    """Return how many histories are run: a few in the suite, and what the profile says in a long search."""
    # Asked to be verbose, a profile has a longer name.
    if settings.get_current_profile_name().startswith("long"):
        return settings()
    # The same histories each time: a run of the tests tells of the change at hand and of no luck.
    return settings(
        max_examples=on_sqlite if connection.vendor == "sqlite" else elsewhere,
        stateful_step_count=15,
        derandomize=True,
        phases=[Phase.generate],
    )
