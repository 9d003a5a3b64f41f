"""What each step does: customers, the shop's people, the portal, the provider and time.

A step that finds nothing to act on does nothing, so that any order of steps is a history.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Final, TypeVar

from proof.habits.gateway import APPROVED, PENDING
from proof.habits.world import World
from wallet_gateway import payments
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.operations.errors import OperationError

S, K = TransactionState, TransactionKind
T = TypeVar("T")
MOST_ORDERS: Final = 3


class NothingToDo(Exception):
    """There is nothing that the step could act on."""


def _nth(rows: Sequence[T], which: int) -> T:
    if not rows:
        raise NothingToDo
    return rows[which % len(rows)]


def _order(which: int) -> PaymentOrder:
    return _nth(list(PaymentOrder.objects.order_by("pk")), which)


def _payment(which: int) -> Payment:
    """Return a payment that holds money in our books, rather than another one."""
    rows = list(Payment.objects.order_by("pk"))
    return _nth([row for row in rows if row.authorized] or rows, which)


def order(world: World, *, type: str, amount: str) -> None:  # noqa: A002  the interface's word
    number = PaymentOrder.objects.count() + 1
    if number > MOST_ORDERS:
        raise NothingToDo
    payments.create_order(reference=f"ORDER-{number}", currency="EUR", amount=Decimal(amount), type=type)


def pay_on_page(world: World, *, which: int, outcome: str, fate: str) -> None:
    """Open a page, decide there, and come back to the shop."""
    payable = [found for found in PaymentOrder.objects.order_by("pk") if found.is_payable]
    world.gateway.fate = fate
    opened = payments.start_checkout(_nth(payable, which))
    if opened.reference in world.gateway.pages:
        world.gateway.decide_page(opened.reference, outcome)
        payments.orders.reconcile_attempt(opened.reference)


def decide_page(world: World, *, which: int, outcome: str) -> None:
    """Decide on a page that was opened before, without coming back."""
    world.gateway.decide_page(_nth(world.gateway.open_pages, which), outcome)


def press_button(world: World, *, which: int, fate: str) -> None:
    found = _order(which)
    sheet = payments.wallet.open_session(found, session="browser-of-ada")
    detail = {
        "clientSystemTransactionId": sheet.reference,
        "transactionAccountId": f"ACCOUNT-{sheet.reference}",
        "transactionMethod": "WalletPay",
        "cryptogram": "AgAAAAAAAIR8CQrXcIhbQAAAAAA=",
        "eciIndicator": "05",
    }
    world.gateway.fate = fate
    payments.wallet.pay(found, session="browser-of-ada", detail=detail)


def settle(world: World, *, which: int, outcome: str) -> None:
    pending = [one for one in world.gateway.truth if one.state == PENDING and not one.is_changed]
    world.gateway.settle(_nth(pending, which), outcome)


def come_back(world: World, *, which: int) -> None:
    payments.orders.reconcile_attempt(_nth(list(Payment.objects.order_by("-pk")), which).reference)


def _follow_up(
    world: World, verb: Callable[..., Any], which: int, left: str, percent: int | None, fate: str
) -> None:
    payment = _payment(which)
    given: dict[str, Any] = {}
    if percent is not None:
        minor = (
            payment.authorized - payment.captured
            if left == "captured"
            else payment.captured - payment.refunded
        )
        given["amount"] = Decimal(max(1, minor * percent // 100)) / 100
    # One click, which the browser repeats: it is one intent.
    key = f"click-{GatewayTransaction.objects.count()}"
    world.gateway.fate = fate
    for _ in range(2):
        with contextlib.suppress(OperationError):
            made = verb(payment.order, payment=payment, idempotency_key=key, by="anna", **given)
            world.keys.setdefault(key, set()).add(made.reference)


def capture(world: World, *, which: int, percent: int | None, fate: str) -> None:
    _follow_up(world, payments.capture, which, "captured", percent, fate)


def refund(world: World, *, which: int, percent: int | None, fate: str) -> None:
    _follow_up(world, payments.refund, which, "refunded", percent, fate)


def reverse(world: World, *, which: int, fate: str) -> None:
    _follow_up(world, payments.reverse, which, "", None, fate)


def portal(world: World, *, which: int, type: str, percent: int) -> None:  # noqa: A002
    opened = [one for one in world.gateway.truth if one.state == APPROVED and one.intent == one.original]
    if not world.gateway.portal(_nth(opened, which).original, type, percent):
        raise NothingToDo


def execute_again(world: World, *, which: int) -> None:
    done = [one for one in world.gateway.truth if one.state == APPROVED and one.intent and not one.is_changed]
    if not world.gateway.execute_again(_nth(done, which)):
        raise NothingToDo


def _transaction(which: int, *states: TransactionState) -> GatewayTransaction:
    return _nth(list(GatewayTransaction.objects.filter(state__in=states).order_by("pk")), which)


def send_again(world: World, *, which: int, fate: str) -> None:
    found = _transaction(which, S.NOT_SENT)
    world.gateway.fate = fate
    payments.follow_ups.send_again(found, by="anna")


def give_up(world: World, *, which: int) -> None:
    payments.follow_ups.give_up_unsent(_transaction(which, S.NOT_SENT), by="anna")


def decide(world: World, *, which: int, how: str) -> None:
    """Decide on an outcome: after a look into the portal, or as the page offers it."""
    found = _transaction(which, S.UNKNOWN, S.ANOMALY, S.PENDING, S.AWAITING_3DS, S.OPEN)
    if how == "honest":
        truth = world.gateway.happened(found.reference)
        if truth == PENDING:
            raise NothingToDo
        how = "DID_HAPPEN" if truth == APPROVED else "DID_NOT_HAPPEN"
    payments.approvals.resolve(found, decision=how, reason="as the portal says", by="anna")
    world.note_decision(found)


def close(world: World, *, which: int) -> None:
    found = _nth(list(Discrepancy.objects.filter(closed_at=None).order_by("pk")), which)
    payments.approvals.close_discrepancy(found, reason="looked at", by="anna")
    if found.transaction is not None:
        world.note_closed(found.transaction.reference)


def book(world: World, *, which: int) -> None:
    found = _nth(list(Discrepancy.objects.filter(booked_as=None).order_by("pk")), which)
    world.gateway.is_listened_to = False
    try:
        payments.approvals.book_discrepancy(found, reason="in the portal, too", by="anna")
    finally:
        world.gateway.is_listened_to = True


def teach(world: World) -> None:
    if world.gateway.is_taught:
        raise NothingToDo
    world.teach()


def take_back(world: World, *, which: int, how: str) -> None:
    """Let an approved record that the shop has seen change its state, or be archived."""
    seen = {shown.id for records in world.gateway.ever.values() for shown in records}
    approved = [one for one in world.gateway.truth if one.state == APPROVED and f"G-{one.number}" in seen]
    one = _nth(approved, which)
    one.is_changed = True
    if how == "gone":
        one.is_gone = True
    else:
        one.state = how


def flood(world: World, *, which: int) -> None:
    world.gateway.flooded.add(_nth(list(world.gateway.pages), which))


def compare(world: World) -> None:
    list(payments.maintenance.comparison("default", days=400, repair_as="anna").rows)


def reconcile(world: World, *, which: int, everything: bool) -> None:
    payments.reconcile(_order(which), everything=everything)


def sweep(world: World) -> None:
    payments.sweep()


def wait(world: World, *, seconds: int) -> None:
    world.time.pass_by(seconds)


VERBS: Final[dict[str, Callable[..., None]]] = {
    verb.__name__: verb
    for verb in (
        order,
        pay_on_page,
        decide_page,
        press_button,
        settle,
        come_back,
        capture,
        refund,
        reverse,
        portal,
        execute_again,
        send_again,
        give_up,
        decide,
        close,
        book,
        teach,
        take_back,
        flood,
        compare,
        reconcile,
        sweep,
        wait,
    )
}
"""Each step by its name."""
