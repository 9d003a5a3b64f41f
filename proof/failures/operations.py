"""Everything that is killed: what must be there before, and the call that a process dies in.

A caller that does not know what became of its call makes it again, with the same idempotency key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from proof.failures.instants import die
from proof.failures.processes import in_child
from proof.failures.world import World, again, gateway_out_of_reach
from proof.wallet_customer import CARD, TOKEN, Customer
from wallet_gateway import gateways, payments
from wallet_gateway.models import (
    Approval,
    BatchKind,
    Discrepancy,
    GatewayTransaction,
    OperationBatch,
    PaymentOrder,
)
from wallet_gateway.payments import sending

FIVE = Decimal("5.00")
Call = Callable[[], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What may come of an operation, whatever happens to its processes and its database."""

    name: str
    at_most: Mapping[str, int] = field(default_factory=dict)
    """How often the gateway may be asked for something, however often the call is made."""
    opens_pages: bool = False
    """Whether a customer may pay pages afterwards, and so one whose address is lost."""
    is_refused: bool = False
    """Whether the gateway refuses it, or a customer who does not come back lets it fail."""
    is_elsewhere: bool = False
    """Whether something was done in the portal, which is reported to a person."""
    is_given_up: bool = False
    """Whether a person decides that it did not happen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(Expected):
    """One operation: `prepare` makes what it is carried out on and returns the call."""

    prepare: Callable[[World], Call]


# The customer's


def _checkout(world: World) -> Call:
    reference = world.new_reference()

    def call() -> object:
        if not PaymentOrder.objects.filter(reference=reference).exists():
            payments.create_order(reference=reference, amount=Decimal("25.00"), currency="EUR")
        return payments.start_checkout(payments.get_order(reference))

    return call


def _came_back(world: World) -> Call:
    attempt = payments.start_checkout(world.order())
    world.control.complete_checkout(attempt.reference, "success")
    return lambda: payments.orders.reconcile_attempt(attempt.reference)


def _declined(world: World) -> Call:
    attempt = payments.start_checkout(world.order())
    world.control.complete_checkout(attempt.reference, "refused")
    return lambda: payments.orders.reconcile_attempt(attempt.reference)


def _cancel(world: World) -> Call:
    order = world.order()
    payments.start_checkout(order)
    return lambda: payments.cancel(again(order), by="anna")


def _button(world: World) -> Call:
    order = world.order()
    return lambda: payments.wallet.open_session(again(order), session="key-of-ada")


def _card(method: str) -> Callable[[World], Call]:
    def prepare(world: World) -> Call:
        order, customer = world.order(), Customer(world.control, gateways.context_of("default"))
        button = payments.wallet.open_session(order, session=customer.session)
        detail = customer.approve(button, method)
        return lambda: payments.wallet.pay(again(order), session=customer.session, detail=detail)

    return prepare


# The shop's


def _capture(world: World) -> Call:
    order = world.paid("preauthorization")
    return lambda: payments.capture(again(order), FIVE, idempotency_key=f"c-{order.pk}")


def _refund(world: World) -> Call:
    order = world.paid()
    return lambda: payments.refund(again(order), FIVE, idempotency_key=f"r-{order.pk}", by="anna")


def _reverse(world: World) -> Call:
    order = world.paid("preauthorization")
    return lambda: payments.reverse(again(order), idempotency_key=f"v-{order.pk}")


def _detached(world: World) -> Call:
    deposit = world.deposit()
    return lambda: payments.refund_migrated(deposit, FIVE, "EUR", idempotency_key=f"d-{deposit}")


def _refused(world: World) -> Call:
    order = world.paid("preauthorization")
    world.control.fault("capture", "error_body")
    return lambda: payments.capture(again(order), FIVE, idempotency_key=f"c-{order.pk}")


# A person's


def _ask(world: World) -> Call:
    order = world.paid()
    return lambda: payments.refund(again(order), Decimal(20), idempotency_key=f"a-{order.pk}", by=world.anna)


def waiting_approval(world: World) -> int:
    """Let a refund wait for a second person; return the request's key."""
    try:
        _ask(world)()
    except payments.errors.AwaitingApproval as waits:
        return waits.approval.pk
    raise AssertionError("nobody has to approve it")


def _approve(world: World) -> Call:
    pk = waiting_approval(world)
    return lambda: payments.approvals.approve(Approval.objects.get(pk=pk), by=world.ben)


def resolve(world: World) -> Call:
    """Decide on a capture that never came to the gateway, which only a person can know."""
    world.control.fault("capture", "drop_before")
    pk = payments.capture(world.paid("preauthorization"), FIVE).pk
    world.sweep_after(3, 10, 20, 120, 600, 90_000)
    return lambda: payments.approvals.resolve(
        GatewayTransaction.objects.get(pk=pk), decision="DID_NOT_HAPPEN", reason="ticket 4711", by=world.anna
    )


def _book(world: World) -> Call:
    order = _with_portal_refund(world)
    payments.reconcile(order, everything=True)
    pk = Discrepancy.objects.latest("pk").pk
    return lambda: payments.approvals.book_discrepancy(
        Discrepancy.objects.get(pk=pk), reason="seen in the portal", by=world.anna
    )


def _batch(world: World) -> Call:
    paid = [world.paid("preauthorization") for _ in range(2)]
    batch = payments.batches.draft(BatchKind.CAPTURE, paid, by=world.anna)
    payments.batches.start(batch)
    return lambda: payments.batches.step(OperationBatch.objects.get(pk=batch.pk))


# The background's


def _sweep_lost(world: World) -> Call:
    """An answer was lost, another sender died, and an approval waits for its confirming question."""
    first, second = world.paid("preauthorization"), world.paid("preauthorization")
    world.control.fault("capture", "drop_after")
    payments.capture(first, FIVE)
    in_child(lambda: capture_and_die(second))
    world.advance(360)
    return payments.sweep


def capture_and_die(order: PaymentOrder) -> None:
    """Send a capture, and die before its answer is stored."""
    vars(sending)["apply"] = lambda *_, **__: die()
    payments.capture(again(order), FIVE)


def _sweep_unsent(world: World) -> Call:
    order = world.paid("preauthorization")
    with gateway_out_of_reach():
        payments.capture(order, FIVE)
    world.advance(30)
    return payments.sweep


def _sweep_pages(world: World) -> Call:
    """A page has ended, another is cancelled, a button was not pressed."""
    payments.start_checkout(world.order())
    cancelled = world.order()
    payments.start_checkout(cancelled)
    payments.cancel(cancelled, by="anna")
    payments.wallet.open_session(world.order(), session="key-of-ada")
    world.advance(3_600)
    return payments.sweep


def _compare(world: World) -> Call:
    order = _with_portal_refund(world)
    return lambda: [
        payments.reconcile(again(order)),
        list(payments.maintenance.comparison("default", days=1, repair_as="anna").rows),
    ]


def _with_portal_refund(world: World) -> PaymentOrder:
    order = world.paid()
    world.control.portal(order.payments.get().reference, "ecom.refund", "5.00")
    return order


OPERATIONS = (
    Operation(name="checkout", prepare=_checkout, opens_pages=True),
    Operation(name="return", prepare=_came_back, at_most={"checkout": 1}),
    Operation(name="declined return", prepare=_declined, at_most={"checkout": 1}, is_refused=True),
    Operation(name="cancellation", prepare=_cancel, at_most={"checkout": 1}, opens_pages=True),
    Operation(name="wallet button", prepare=_button, at_most={"authorization": 0}),
    Operation(name="wallet card", prepare=_card(TOKEN), at_most={"authorization": 1}),
    Operation(
        name="wallet card with 3-D Secure", prepare=_card(CARD), at_most={"authorization": 1}, is_refused=True
    ),
    Operation(name="capture", prepare=_capture, at_most={"capture": 1}),
    Operation(name="refused capture", prepare=_refused, at_most={"capture": 1}, is_refused=True),
    Operation(name="refund", prepare=_refund, at_most={"refund": 1}),
    Operation(name="reversal", prepare=_reverse, at_most={"reversal": 1}),
    Operation(name="detached refund", prepare=_detached, at_most={"detached_refund": 1}),
    Operation(name="request of a second person", prepare=_ask, at_most={"refund": 0}),
    Operation(name="approval by a second person", prepare=_approve, at_most={"refund": 1}),
    Operation(name="resolution", prepare=resolve, at_most={"capture": 1}, is_given_up=True),
    Operation(name="booking of a portal refund", prepare=_book, at_most={"refund": 0}, is_elsewhere=True),
    Operation(name="batch", prepare=_batch, at_most={"capture": 2}),
    Operation(name="sweep of lost answers", prepare=_sweep_lost, at_most={"capture": 2}),
    Operation(name="sweep of unsent requests", prepare=_sweep_unsent, at_most={"capture": 1}),
    Operation(name="sweep of ended pages", prepare=_sweep_pages, at_most={"checkout": 2}, opens_pages=True),
    Operation(name="comparison", prepare=_compare, at_most={"refund": 0}, is_elsewhere=True),
)
