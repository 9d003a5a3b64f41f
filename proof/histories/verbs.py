"""What each step does: the shop's public API, and what customers, staff, the provider and time do beside it.

A verb that finds nothing to act on raises `NothingToDo`, so that any order of steps is a history.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final, ParamSpec

from django.contrib.auth import get_user_model
from django.db import OperationalError
from django.db.models import F

from proof.histories.crashes import Died
from proof.histories.speech import APPROVED, PENDING
from proof.histories.steps import NothingToDo, nth
from proof.histories.virtual_world import VirtualWorld
from proof.histories.world import World
from wallet_gateway import payments
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.people import Actor
from wallet_gateway.domain.states import TransactionKind, TransactionState
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
from wallet_gateway.operation_errors import OperationError
from wallet_gateway.payments.approvals import Decision
from wallet_gateway.payments.wallet_session import WalletSession
from wallet_gateway.protocol.cart import Item
from wallet_gateway.protocol.money import Money

S, K = TransactionState, TransactionKind
P = ParamSpec("P")
_SHEET_FAILED: Final = {
    "code": "4000340",
    "description": "GeneralValidationError",
    "details": {"message": "closed"},
}


VERBS: Final[dict[str, Callable[..., None]]] = {}
"""What each verb of `steps.VERBS` does, by its name."""


def _verb(does: Callable[P, None]) -> Callable[P, None]:
    VERBS[does.__name__] = does
    return does


def _order(which: int) -> PaymentOrder:
    return nth(PaymentOrder.objects.order_by("pk"), which)


def _paid(which: int, **that: F) -> Payment:
    """Return one of the paid payments, rather one of those that fit."""
    paid = Payment.objects.filter(authorized__gt=0).select_related("order").order_by("pk")
    return nth(list(paid.filter(**that)) or paid, which)


def _transaction(which: int, *states: TransactionState) -> GatewayTransaction:
    return nth(GatewayTransaction.objects.filter(state__in=states).order_by("pk"), which)


def person(name: str) -> Actor:
    """Return one of the shop's people by name, with the account."""
    account = get_user_model().objects.get(username=name)
    return Actor(name=name, account=str(account.pk))


# Orders and the hosted page


@_verb
def order(world: World, *, type: str, number: int, payable_for: int | None, amount: str) -> None:  # noqa: A002
    if PaymentOrder.objects.count() >= world.most_orders:
        raise NothingToDo
    until = world.time.shop_now() + timedelta(seconds=payable_for) if payable_for else None
    mug = Item(product_id="MUG-1", product_name="Mug", unit_amount=Decimal(amount), quantity=1)
    payments.create_order(
        reference=f"ORDER-{number}", currency="EUR", items=[mug], type=type, payable_until=until
    )


@_verb
def checkout(world: World, *, which: int) -> None:
    payments.start_checkout(_order(which))


@_verb
def pay_on_page(world: World, *, which: int, outcome: str) -> None:
    """Open a page, decide there and come back, as most customers do."""
    payment = payments.start_checkout(_payable(which))
    if payment.reference in world.gateway.open_pages:
        world.gateway.decide_page(payment.reference, outcome)
        payments.orders.reconcile_attempt(payment.reference)


def _payable(which: int) -> PaymentOrder:
    return nth((order for order in PaymentOrder.objects.order_by("pk") if order.is_payable), which)


@_verb
def decide_page(world: World, *, which: int, outcome: str) -> None:
    """Decide on a page that was opened before, without coming back."""
    pages = [reference for reference in _pages() if reference in world.gateway.open_pages]
    world.gateway.decide_page(nth(pages, which), outcome)


def _pages() -> list[str]:
    """Return the pages that somebody can find, the newest first: not those whose address was lost."""
    found = GatewayTransaction.objects.filter(kind=K.CHECKOUT).exclude(redirect_url="").order_by("-pk")
    return list(found.values_list("reference", flat=True))


@_verb
def come_back(world: World, *, which: int) -> None:
    payments.orders.reconcile_attempt(nth(Payment.objects.order_by("-pk"), which).reference)


@_verb
def reconcile(world: World, *, which: int, everything: bool) -> None:
    payments.reconcile(_order(which), everything=everything)


@_verb
def cancel(world: World, *, which: int) -> None:
    payments.cancel(_order(which), by="shop")


# The wallet button


def _sheet(world: World, shopper: str) -> tuple[int, WalletSession]:
    if shopper not in world.sheets:
        raise NothingToDo
    return world.sheets[shopper]


@_verb
def show_button(world: World, *, which: int, shopper: str) -> None:
    found = _payable(which)
    world.sheets[shopper] = (found.pk, payments.wallet.open_session(found, session=shopper))


@_verb
def approve_in_sheet(world: World, *, which: int, shopper: str, card: str) -> None:
    show_button(world, which=which, shopper=shopper)
    order_pk, sheet = _sheet(world, shopper)
    detail = world.gateway.approve_in_wallet(sheet.parameters, sheet.reference, card)
    world.results.append((order_pk, shopper, detail))


@_verb
def pay_by_button(world: World, *, which: int, shopper: str, card: str) -> None:
    approve_in_sheet(world, which=which, shopper=shopper, card=card)
    post_result(world, which=-1)


@_verb
def post_result(world: World, *, which: int) -> None:
    order_pk, shopper, detail = nth(world.results, which)
    payments.wallet.pay(PaymentOrder.objects.get(pk=order_pk), session=shopper, detail=detail)


@_verb
def another_card(world: World, *, which: int, shopper: str, card: str) -> None:
    order_pk, sheet = _sheet(world, shopper)
    found = PaymentOrder.objects.get(pk=order_pk)
    reference = payments.wallet.next_reference(found, session=shopper)
    detail = world.gateway.approve_in_wallet(sheet.parameters, reference, card)
    world.results.append((order_pk, shopper, detail))
    post_result(world, which=-1)


@_verb
def close_sheet(world: World, *, which: int, shopper: str) -> None:
    order_pk, sheet = _sheet(world, shopper)
    failed = _SHEET_FAILED | {"clientSystemTransactionId": sheet.reference}
    payments.wallet.pay(PaymentOrder.objects.get(pk=order_pk), session=shopper, detail=failed)


@_verb
def price_sheet(world: World, *, which: int, shopper: str) -> None:
    order_pk, sheet = _sheet(world, shopper)
    found = PaymentOrder.objects.get(pk=order_pk)
    payments.wallet.price_sheet(found, reference=sheet.reference, session=shopper)


@_verb
def leave_three_d_secure(world: World, *, which: int, outcome: str) -> None:
    waiting = GatewayTransaction.objects.filter(kind=K.AUTHORIZATION).exclude(redirect_url="")
    found = nth(waiting.order_by("-pk"), which)
    world.sandbox.leave_three_d_secure(found.reference, outcome)


# After it is paid


def _follow_up(
    world: World, call: Callable[..., GatewayTransaction], payment: Payment, key: str | None, **given: Any
) -> None:
    """Make a follow-up; a double click is two calls with one key, and has to be one intent."""
    if key == "click-on-it":
        key = f"click-{payment.pk}"
    if key != "double-click":
        call(payment.order, payment=payment, idempotency_key=key, **given)
        return
    key = f"double-click-{payment.pk}/{GatewayTransaction.objects.count()}"
    for _ in range(2):
        with contextlib.suppress(OperationError):
            made = call(payment.order, payment=payment, idempotency_key=key, **given)
            world.clicks.setdefault(key, set()).add(made.reference)


def _part(payment: Payment, percent: int | None) -> Decimal | None:
    """Return so many percent of a payment; None for what is left."""
    if percent is None:
        return None
    return Money.from_minor_units(max(1, payment.authorized * percent // 100), payment.currency).amount


@_verb
def capture(world: World, *, which: int, percent: int | None, key: str | None, by: str) -> None:
    payment = _paid(which, authorized__gt=F("captured"))
    _follow_up(world, payments.capture, payment, key, amount=_part(payment, percent), by=person(by))


@_verb
def refund(world: World, *, which: int, percent: int | None, key: str | None, by: str) -> None:
    payment = _paid(which, captured__gt=F("refunded"))
    _follow_up(world, payments.refund, payment, key, amount=_part(payment, percent), by=person(by))


@_verb
def reverse(world: World, *, which: int, key: str | None, by: str) -> None:
    _follow_up(world, payments.reverse, _paid(which), key, by=person(by))


@_verb
def refund_migrated(world: World, *, deposit: str, amount: str, key: str | None, by: str) -> None:
    payments.refund_migrated(deposit, Decimal(amount), "EUR", idempotency_key=key, by=person(by))


@_verb
def send_again(world: World, *, which: int, by: str) -> None:
    payments.follow_ups.send_again(_transaction(which, S.NOT_SENT), by=person(by))


@_verb
def give_up(world: World, *, which: int, by: str) -> None:
    payments.follow_ups.give_up_unsent(_transaction(which, S.NOT_SENT), by=person(by))


# Second persons and decisions


@_verb
def agree(world: World, *, which: int, by: str) -> None:
    payments.approvals.approve(nth(Approval.objects.order_by("-pk"), which), by=person(by))


@_verb
def decline(world: World, *, which: int, by: str) -> None:
    payments.approvals.decline(nth(Approval.objects.order_by("-pk"), which), by=person(by), reason="no")


@_verb
def decide(world: World, *, which: int, how: str, by: str) -> None:
    """Decide on an outcome: after a look into the portal, or without one."""
    found = _transaction(which, S.UNKNOWN, S.ANOMALY, S.PENDING, S.AWAITING_3DS, S.NOT_SENT, S.OPEN)
    is_careless = how in Decision.__members__
    if not is_careless:
        truth = world.gateway.happened(found.reference)
        if truth == PENDING:
            raise NothingToDo
        how = "DID_HAPPEN" if truth == APPROVED else "DID_NOT_HAPPEN"
    try:
        payments.approvals.resolve(found, decision=Decision[how], reason="ticket 4711", by=person(by))
    except (Died, OperationalError, OperationError) as error:
        # The process may have died after the commit. Or the answer to the commit was lost, and the second try
        # found that the decision had been made.
        if not isinstance(error, OperationError):
            world.bury()
        if not found.decided_by_person and GatewayTransaction.objects.get(pk=found.pk).decided_by_person:
            world.note_decision(found, is_careless=is_careless)
        raise
    world.note_decision(found, is_careless=is_careless)


@_verb
def close_difference(world: World, *, which: int, is_careless: bool, by: str) -> None:
    """Close a difference; a careful person books what was made elsewhere instead."""
    rows = Discrepancy.objects.filter(closed_at=None)
    if not is_careless:
        rows = rows.exclude(kind=DiscrepancyKind.MADE_ELSEWHERE)
    found = nth(rows.order_by("pk"), which)
    payments.approvals.close_discrepancy(found, reason="seen", by=person(by))
    if found.transaction is not None:
        world.answers.note_closed(found.transaction.reference)


@_verb
def book_difference(world: World, *, which: int, by: str) -> None:
    rows = Discrepancy.objects.filter(closed_at=None, kind=DiscrepancyKind.MADE_ELSEWHERE).order_by("pk")
    with world.answers.looking_up():
        payments.approvals.book_discrepancy(nth(rows, which), reason="seen", by=person(by))


# Batches


@_verb
def draft_batch(world: World, *, kind: str, by: str) -> None:
    payments.batches.draft(BatchKind(kind), list(PaymentOrder.objects.order_by("pk")), by=person(by))


@_verb
def start_batch(world: World, *, which: int) -> None:
    batch = _batch(which, BatchState.DRAFT)
    rows = list(OperationBatchRow.objects.filter(batch=batch).order_by("pk"))
    payments.batches.start(batch, rows)


@_verb
def refund_deposits(world: World, *, amount: str, by: str) -> None:
    deposits = MigratedDeposit.objects.filter(parent_transaction_id__in=["D-1", "D-2"]).order_by("pk")
    amounts = {deposit: Money.parse(amount, "EUR") for deposit in deposits}
    payments.batches.start_detached_refunds(amounts, token=f"page-{amount}", by=person(by))


@_verb
def step_batch(world: World, *, which: int) -> None:
    payments.batches.step(_batch(which, BatchState.RUNNING))


@_verb
def pause_or_stop_batch(world: World, *, which: int, how: str, by: str) -> None:
    batch = _batch(which, *BatchState)
    if how == "resume":
        payments.batches.resume(batch)
    elif how == "pause":
        payments.batches.pause(batch, by=person(by))
    else:
        payments.batches.stop(batch, by=person(by))


def _batch(which: int, *states: BatchState) -> OperationBatch:
    return nth(OperationBatch.objects.filter(state__in=states).order_by("-pk"), which)


# The provider, operators, and time


@_verb
def settle_pending(world: World, *, which: int, outcome: str) -> None:
    world.gateway.settle_pending(which, outcome)


@_verb
def portal(world: World, *, which: int, type: str, percent: int) -> None:  # noqa: A002
    world.gateway.portal(which, type, percent)


@_verb
def stop_sending(world: World, *, by: str) -> None:
    payments.maintenance.stop_sending("default", by=person(by), reason="drill")


@_verb
def resume_sending(world: World, *, by: str) -> None:
    payments.maintenance.resume_sending("default", by=person(by), reason="over")


@_verb
def sweep(world: World) -> None:
    payments.sweep()


@_verb
def compare(world: World, *, repair: bool) -> None:
    # What is only printed has to lead to nothing.
    with contextlib.nullcontext() if repair else world.answers.looking_up():
        list(payments.maintenance.comparison("default", days=40, repair_as="anna" if repair else "").rows)


@_verb
def wait(world: World, *, seconds: int) -> None:
    world.time.pass_by(seconds)


@_verb
def set_clock(world: World, *, seconds: int) -> None:
    world.time.set_shop_ahead(seconds)


@_verb
def lag(world: World, *, seconds: int) -> None:
    world.sandbox.change_lag(seconds)


# What only a gateway with habits does


@_verb
def execute_again(world: VirtualWorld, *, which: int) -> None:
    world.habitual.execute_again(which)


@_verb
def take_back(world: VirtualWorld, *, which: int, how: str) -> None:
    world.habitual.take_back(which, how, {one.id for shown in world.answers.ever.values() for one in shown})


@_verb
def flood(world: VirtualWorld, *, which: int) -> None:
    world.habitual.flooded.add(nth(_pages(), which))


@_verb
def teach(world: VirtualWorld) -> None:
    if world.answers.is_taught:
        raise NothingToDo
    world.teach()
