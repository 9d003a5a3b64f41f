"""What each step does: the shop's public API, and what customers, staff, the provider and time do beside it.

A verb that finds nothing to act on raises `NothingToDo`, so that any order of steps is a history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from decimal import Decimal
from typing import Final, TypeVar

from django.contrib.auth import get_user_model
from django.db.models import F

from proof.simulation.world import World
from wallet_gateway import payments
from wallet_gateway.domain.actors import Actor
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.models import (
    Approval,
    BatchKind,
    BatchState,
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    OperationBatch,
    OperationBatchRow,
    Payment,
    PaymentOrder,
)
from wallet_gateway.operations.wallet.session import WalletSession
from wallet_gateway.payments.approvals import Decision
from wallet_gateway.protocol.cart import Item
from wallet_gateway.protocol.money import Money

S, K = TransactionState, TransactionKind
T = TypeVar("T")
MOST_ORDERS: Final = 3
_SHEET_FAILED: Final = {
    "code": "4000340",
    "description": "GeneralValidationError",
    "details": {"message": "closed"},
}


class NothingToDo(Exception):
    """There is nothing that the step could act on."""


def _nth(rows: Iterable[T], which: int) -> T:
    """Return one of several by its number, modulo their count; raises NothingToDo for an empty list."""
    found = list(rows)
    if not found:
        raise NothingToDo
    return found[which % len(found)]


def _order(which: int) -> PaymentOrder:
    return _nth(PaymentOrder.objects.order_by("pk"), which)


def _paid(which: int, **that: F) -> Payment:
    """Return one of the paid payments, rather one of those that fit."""
    paid = Payment.objects.filter(authorized__gt=0).select_related("order").order_by("pk")
    return _nth(list(paid.filter(**that)) or paid, which)


def _transaction(which: int, *states: TransactionState) -> GatewayTransaction:
    return _nth(GatewayTransaction.objects.filter(state__in=states).order_by("pk"), which)


def person(name: str) -> Actor:
    """Return one of the shop's people by name, with the account."""
    account = get_user_model().objects.get(username=name)
    return Actor(name=name, account=str(account.pk))


def _money(amount: str | None) -> Decimal | None:
    return None if amount is None else Decimal(amount)


# Orders and the hosted page


def order(world: World, *, type: str, payable_for: int | None, amount: str) -> None:  # noqa: A002
    number = PaymentOrder.objects.count() + 1
    if number > MOST_ORDERS:
        raise NothingToDo
    until = world.time.shop_now() + timedelta(seconds=payable_for) if payable_for else None
    mug = Item(product_id="MUG-1", product_name="Mug", unit_amount=Decimal(amount) / 2, quantity=2)
    payments.create_order(
        reference=f"ORDER-{number}", currency="EUR", items=[mug], type=type, payable_until=until
    )


def checkout(world: World, *, which: int) -> None:
    payments.start_checkout(_order(which))


def pay_on_page(world: World, *, which: int) -> None:
    """Pay on the gateway's page and come back, as most customers do."""
    payment = payments.start_checkout(_payable(which))
    world.gateway.decide_page(payment.reference, "success")
    payments.orders.reconcile_attempt(payment.reference)


def _payable(which: int) -> PaymentOrder:
    return _nth((order for order in PaymentOrder.objects.order_by("pk") if order.is_payable), which)


def decide_page(world: World, *, which: int, outcome: str) -> None:
    pages = GatewayTransaction.objects.filter(kind=K.CHECKOUT).exclude(redirect_url="").order_by("-pk")
    page = _nth(pages, which)
    world.gateway.decide_page(page.reference, outcome)


def come_back(world: World, *, which: int) -> None:
    payment = _nth(Payment.objects.order_by("-pk"), which)
    payments.orders.reconcile_attempt(payment.reference)


def reconcile(world: World, *, which: int, everything: bool) -> None:
    found = _order(which)
    payments.reconcile(found, everything=everything)


def cancel(world: World, *, which: int) -> None:
    found = _order(which)
    payments.cancel(found, by="shop")


# The wallet button


def _sheet(world: World, shopper: str) -> tuple[int, WalletSession]:
    if shopper not in world.sheets:
        raise NothingToDo
    return world.sheets[shopper]


def show_button(world: World, *, which: int, shopper: str) -> None:
    found = _payable(which)
    world.sheets[shopper] = (found.pk, payments.wallet.open_session(found, session=shopper))


def approve_in_sheet(world: World, *, which: int, shopper: str, card: str) -> None:
    show_button(world, which=which, shopper=shopper)
    order_pk, sheet = _sheet(world, shopper)
    detail = world.gateway.approve_in_wallet(sheet.parameters, sheet.reference, card)
    world.results.append((order_pk, shopper, detail))


def pay_by_button(world: World, *, which: int, shopper: str, card: str) -> None:
    approve_in_sheet(world, which=which, shopper=shopper, card=card)
    post_result(world, which=-1)


def post_result(world: World, *, which: int) -> None:
    result = _nth(world.results, which)
    order_pk, shopper, detail = result
    found = PaymentOrder.objects.get(pk=order_pk)
    payments.wallet.pay(found, session=shopper, detail=detail)


def another_card(world: World, *, which: int, shopper: str, card: str) -> None:
    order_pk, sheet = _sheet(world, shopper)
    found = PaymentOrder.objects.get(pk=order_pk)
    reference = payments.wallet.next_reference(found, session=shopper)
    detail = world.gateway.approve_in_wallet(sheet.parameters, reference, card)
    world.results.append((order_pk, shopper, detail))
    post_result(world, which=-1)


def close_sheet(world: World, *, which: int, shopper: str) -> None:
    order_pk, sheet = _sheet(world, shopper)
    failed = _SHEET_FAILED | {"clientSystemTransactionId": sheet.reference}
    payments.wallet.pay(PaymentOrder.objects.get(pk=order_pk), session=shopper, detail=failed)


def price_sheet(world: World, *, which: int, shopper: str) -> None:
    order_pk, sheet = _sheet(world, shopper)
    found = PaymentOrder.objects.get(pk=order_pk)
    payments.wallet.price_sheet(found, reference=sheet.reference, session=shopper)


def leave_three_d_secure(world: World, *, which: int, outcome: str) -> None:
    waiting = GatewayTransaction.objects.filter(kind=K.AUTHORIZATION).exclude(redirect_url="")
    found = _nth(waiting.order_by("-pk"), which)
    world.gateway.leave_three_d_secure(found.reference, outcome)


# After it is paid


def capture(world: World, *, which: int, amount: str | None, key: str | None, by: str) -> None:
    payment = _paid(which, authorized__gt=F("captured"))
    given = {"payment": payment, "idempotency_key": key, "by": person(by)}
    payments.capture(payment.order, _money(amount), **given)  # type: ignore[arg-type]


def refund(world: World, *, which: int, amount: str | None, key: str | None, by: str) -> None:
    payment = _paid(which, captured__gt=F("refunded"))
    given = {"payment": payment, "idempotency_key": key, "by": person(by)}
    payments.refund(payment.order, _money(amount), **given)  # type: ignore[arg-type]


def reverse(world: World, *, which: int, key: str | None, by: str) -> None:
    payment = _paid(which)
    payments.reverse(payment.order, payment=payment, idempotency_key=key, by=person(by))


def refund_migrated(world: World, *, deposit: str, amount: str, key: str | None, by: str) -> None:
    payments.refund_migrated(deposit, Decimal(amount), "EUR", idempotency_key=key, by=person(by))


def send_again(world: World, *, which: int, by: str) -> None:
    found = _transaction(which, S.NOT_SENT)
    payments.follow_ups.send_again(found, by=person(by))


def give_up(world: World, *, which: int, by: str) -> None:
    found = _transaction(which, S.NOT_SENT)
    payments.follow_ups.give_up_unsent(found, by=person(by))


# Second persons and decisions


def agree(world: World, *, which: int, by: str) -> None:
    found = _nth(Approval.objects.order_by("-pk"), which)
    payments.approvals.approve(found, by=person(by))


def decline(world: World, *, which: int, by: str) -> None:
    found = _nth(Approval.objects.order_by("-pk"), which)
    payments.approvals.decline(found, by=person(by), reason="no")


def resolve(world: World, *, which: int, by: str) -> None:
    """Decide as a person does who has asked the provider's support before."""
    found = _transaction(which, S.UNKNOWN, S.ANOMALY, S.PENDING, S.AWAITING_3DS, S.NOT_SENT)
    happened = world.gateway.is_known(found.reference)
    if happened and found.state != S.ANOMALY:
        raise NothingToDo
    decision = Decision.DID_HAPPEN if happened else Decision.DID_NOT_HAPPEN
    payments.approvals.resolve(found, decision=decision, reason="ticket 4711", by=person(by))


def close_difference(world: World, *, which: int, by: str) -> None:
    """Close what a person may close after a look: what was made elsewhere is booked instead."""
    rows = Discrepancy.objects.filter(closed_at=None).exclude(kind=DiscrepancyKind.MADE_ELSEWHERE)
    found = _nth(rows.order_by("pk"), which)
    payments.approvals.close_discrepancy(found, reason="seen", by=person(by))


def book_difference(world: World, *, which: int, by: str) -> None:
    rows = Discrepancy.objects.filter(closed_at=None, kind=DiscrepancyKind.MADE_ELSEWHERE).order_by("pk")
    found = _nth(rows, which)
    payments.approvals.book_discrepancy(found, reason="seen", by=person(by))


# Batches


def draft_batch(world: World, *, kind: str, by: str) -> None:
    payments.batches.draft(BatchKind(kind), list(PaymentOrder.objects.order_by("pk")), by=person(by))


def start_batch(world: World, *, which: int) -> None:
    batch = _batch(which, BatchState.DRAFT)
    rows = list(OperationBatchRow.objects.filter(batch=batch).order_by("pk"))
    payments.batches.start(batch, rows)


def refund_deposits(world: World, *, amount: str, by: str) -> None:
    deposits = MigratedDeposit.objects.filter(parent_transaction_id__in=["D-1", "D-2"]).order_by("pk")
    amounts = {deposit: Money.parse(amount, "EUR") for deposit in deposits}
    payments.batches.start_detached_refunds(amounts, token=f"page-{amount}", by=person(by))


def step_batch(world: World, *, which: int) -> None:
    batch = _batch(which, BatchState.RUNNING)
    payments.batches.step(batch)


def pause_or_stop_batch(world: World, *, which: int, how: str, by: str) -> None:
    batch = _batch(which, *BatchState)
    if how == "resume":
        payments.batches.resume(batch)
    elif how == "pause":
        payments.batches.pause(batch, by=person(by))
    else:
        payments.batches.stop(batch, by=person(by))


def _batch(which: int, *states: BatchState) -> OperationBatch:
    return _nth(OperationBatch.objects.filter(state__in=states).order_by("-pk"), which)


# The provider, operators, and time


def settle_pending(world: World, *, which: int, outcome: str) -> None:
    rows = GatewayTransaction.objects.exclude(attempt_no=0).order_by("-pk")
    found = _nth(rows, which)
    world.gateway.settle_pending(found.reference, outcome)


def portal(world: World, *, which: int, type: str, amount: str) -> None:  # noqa: A002
    payment = _paid(which)
    world.gateway.portal(payment.reference, type, amount)


def stop_sending(world: World, *, by: str) -> None:
    payments.maintenance.stop_sending("default", by=person(by), reason="drill")


def resume_sending(world: World, *, by: str) -> None:
    payments.maintenance.resume_sending("default", by=person(by), reason="over")


def sweep(world: World) -> None:
    payments.sweep()


def compare(world: World, *, repair: bool) -> None:
    list(payments.maintenance.comparison("default", days=40, repair_as="anna" if repair else "").rows)


def wait(world: World, *, seconds: int) -> None:
    world.time.pass_by(seconds)


def set_clock(world: World, *, seconds: int) -> None:
    world.time.shop_ahead += timedelta(seconds=seconds)


def lag(world: World, *, seconds: int) -> None:
    world.gateway.change_behaviour(status_lag=timedelta(seconds=seconds))


VERBS: Final[dict[str, Callable[..., None]]] = {
    verb.__name__: verb
    for verb in (
        order,
        pay_on_page,
        checkout,
        decide_page,
        come_back,
        reconcile,
        cancel,
        show_button,
        approve_in_sheet,
        pay_by_button,
        post_result,
        another_card,
        close_sheet,
        price_sheet,
        leave_three_d_secure,
        capture,
        refund,
        reverse,
        refund_migrated,
        send_again,
        give_up,
        agree,
        decline,
        resolve,
        close_difference,
        book_difference,
        draft_batch,
        start_batch,
        refund_deposits,
        step_batch,
        pause_or_stop_batch,
        settle_pending,
        portal,
        stop_sending,
        resume_sending,
        sweep,
        compare,
        wait,
        set_clock,
        lag,
    )
}
"""Each verb by the name that steps have for it."""
