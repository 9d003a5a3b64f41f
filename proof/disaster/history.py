"""What a shop has done before a backup, and goes on to do after it."""

from __future__ import annotations

import contextlib
from decimal import Decimal

from proof.kills.children import in_child
from proof.kills.instants import die
from proof.kills.operations import FIVE
from proof.kills.world import World, gateway_out_of_reach
from proof.wallet_customer import Customer
from wallet_gateway import gateways, payments
from wallet_gateway.models import Approval, BatchKind, GatewayTransaction, PaymentOrder
from wallet_gateway.operations.errors import OperationError
from wallet_gateway.operations.sending import answers

SESSION = "key-of-ada"


def before(world: World) -> dict[str, int | str]:
    """Leave something in every state that a backup may find; return what to go on with."""
    left: dict[str, int | str] = {}
    left["page"] = payments.start_checkout(world.order()).reference
    left["unpaid"] = world.order().pk
    left["paid"] = world.paid().pk
    left["authorized"] = world.paid("preauthorization").pk
    left["portal"] = world.paid().pk
    for name, call in (("unsent", payments.capture), ("unsent refund", payments.refund)):
        order = world.paid("preauthorization" if name == "unsent" else "sale")
        with gateway_out_of_reach():
            call(order, FIVE)
        left[name] = order.pk
    dead = world.paid("preauthorization")
    in_child(lambda: _capture_and_die(dead.pk))
    left["dead"] = dead.pk
    button = world.order()
    session = payments.wallet.open_session(button, session=SESSION)
    left |= {"button": button.pk, "button's reference": session.reference}
    try:
        payments.refund(world.paid(), Decimal(20), by=world.anna)
    except payments.errors.AwaitingApproval as waits:
        left["request"] = waits.approval.pk
    batch = payments.batches.draft(BatchKind.REFUND, [world.paid() for _ in range(2)], by=world.anna)
    rows = list(batch.rows.all())
    for row in rows:
        row.amount_minor = 500
    payments.batches.start(batch, rows)
    left["batch"] = batch.pk
    return left


def afterwards(world: World, left: dict[str, int | str]) -> None:
    """Go on for some minutes: customers pay, people click, the sweep does what is due."""
    world.control.complete_checkout(str(left["page"]), "success")
    order = PaymentOrder.objects.get(pk=left["unpaid"])
    world.control.complete_checkout(payments.start_checkout(order).reference, "success")
    payments.reconcile(order)
    payments.refund(PaymentOrder.objects.get(pk=left["paid"]), FIVE)
    payments.capture(PaymentOrder.objects.get(pk=left["authorized"]), FIVE)
    reference = PaymentOrder.objects.get(pk=left["portal"]).payments.get().reference
    world.control.portal(reference, "ecom.refund", "5.00")
    customer = Customer(world.control, gateways.context_of("default"), SESSION)
    customer.pay(PaymentOrder.objects.get(pk=left["button"]))
    payments.approvals.approve(Approval.objects.get(pk=left["request"]), by=world.ben)
    for seconds in (30, 125, 360):
        world.advance(seconds)
        payments.sweep()


def click_again(left: dict[str, int | str]) -> None:
    """Let people at another copy of the shop do the same once more, as far as the gateway lets them."""
    for call, name in ((payments.refund, "paid"), (payments.capture, "authorized")):
        with contextlib.suppress(OperationError):
            call(PaymentOrder.objects.get(pk=left[name]), FIVE)


def references() -> set[str]:
    """Return all references of a site."""
    return set(GatewayTransaction.objects.values_list("reference", flat=True))


def _capture_and_die(pk: int) -> None:
    vars(answers)["settle"] = lambda *_, **__: die()
    payments.capture(PaymentOrder.objects.get(pk=pk), FIVE)
