"""Operations that are refused after the call that made them: the shop and its people are told, once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.client.servers import unused_port
from tests.operations.batches.rows import LONG
from tests.operations.conftest import MakeContext, Pay, Resolve, VirtualClock, sweep_until
from tests.operations.second_person import asked, needs_two, person
from tests.operations.settlement.conftest import Listen
from tests.operations.settlement.conftest import listen as listen
from tests.operations.settlement.receivers import Receiver
from tests.operations.settlement.rows import a_follow_up, a_page, approval, contradiction, update
from tests.operations.subjects import DEPOSIT
from wallet_gateway import signals
from wallet_gateway.domain.capture_deadline import CapturePolicy, CaptureWindow
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import FINAL_STATES, LifecycleEvent, TransactionKind, TransactionState
from wallet_gateway.models import BatchKind, GatewayTransaction, OutboxEvent, Payment, PaymentOrder
from wallet_gateway.operations.approvals.resolve import Decision
from wallet_gateway.operations.batches import plan
from wallet_gateway.operations.batches.drive import Driver, step
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.approve import approve
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund, reverse
from wallet_gateway.operations.follow_ups.detached_refunds import refund_migrated
from wallet_gateway.operations.follow_ups.execute import SYSTEM, Initiator, resend_unsent
from wallet_gateway.operations.follow_ups.refusals import mark_seen
from wallet_gateway.operations.follow_ups.resend import send_again
from wallet_gateway.operations.maintenance.authorization_expiry import watch_authorizations
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.migration.import_export import import_migration_file
from wallet_gateway.operations.settlement.settle import reread, settle
from wallet_gateway.protocol.cart_lines import Item
from wallet_gateway.queries.health import health
from wallet_gateway.queries.work_queue import waiting
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S, E, K = TransactionState, LifecycleEvent, TransactionKind
KINDS = (K.CAPTURE, K.REFUND, K.REVERSAL, K.DETACHED_REFUND)
PENDING, ERRORED = Decimal("6660.02"), Decimal("6660.03")
"""Amounts that the sandbox's provider leaves undecided, and refuses."""
NOT_HAPPENED = Decision.DID_NOT_HAPPEN


@dataclass
class Asked:
    """Ask for an operation of a kind on something of exactly its amount."""

    control: SandboxControl
    context: GatewayContext
    pay: Pay

    def __call__(
        self,
        kind: TransactionKind,
        amount: Decimal = PENDING,
        *,
        context: GatewayContext | None = None,
        who: Initiator = SYSTEM,
    ) -> GatewayTransaction:
        context = context or self.context
        if kind is K.DETACHED_REFUND:
            head = "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,"
            line = f"{DEPOSIT},2026-01-15T10:30:00,{amount},EUR,0.00,PRV-1\n"
            file = f"{head}providerTransactionId\n{line}"
            self.control.migration_file(file)
            import_migration_file(file.splitlines(keepends=True), gateway="default", clock=context.clock)
            given: dict[str, Any] = {"amount": amount, "currency": "EUR", "context": context, "who": who}
            return refund_migrated(parent_transaction_id=DEPOSIT, **given)
        verb = {K.CAPTURE: capture, K.REFUND: refund, K.REVERSAL: reverse}[kind]
        return verb(payment=self.payment(kind, amount), context=context, who=who)

    def payment(self, kind: TransactionKind, amount: Decimal) -> Payment:
        goods = Item(product_id="CAR-1", product_name="Car", unit_amount=amount)
        return self.pay(type="sale" if kind is K.REFUND else "preauthorization", items=(goods,))


@pytest.fixture
def ask(wallet_sandbox: SandboxControl, context: GatewayContext, pay: Pay) -> Asked:
    return Asked(wallet_sandbox, context, pay)


@pytest.fixture
def heard(listen: Listen) -> Receiver:
    return listen(signals.operation_refused)


@pytest.fixture
def unreachable(make_context: MakeContext) -> GatewayContext:
    return make_context(f"http://127.0.0.1:{unused_port()}")


def is_over(transaction: GatewayTransaction) -> bool:
    return transaction.state in FINAL_STATES


def unseen(clock: VirtualClock) -> tuple[int, list[str]]:
    """What health counts, and what the work queue shows."""
    shown = waiting({}, now=clock.now()).refused
    return health(clock.now(), ["default"]).refused_afterwards, [row.reference for row in shown]


# Refused by the gateway, later


def pending(ask: Asked, kind: TransactionKind, **given: Any) -> GatewayTransaction:
    transaction = ask(kind, PENDING, **given)
    assert transaction.state == S.PENDING
    ask.control.settle_pending(transaction.reference, "refused")
    return transaction


def unheard(ask: Asked, kind: TransactionKind, **given: Any) -> GatewayTransaction:
    ask.control.fault(kind.value.lower(), "drop_after", times=1)
    transaction = ask(kind, ERRORED, **given)
    assert transaction.state == S.UNKNOWN
    return transaction


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("begin", [pending, unheard])
def test_what_is_refused_after_its_call_is_told_once_and_waits_until_it_is_seen(
    begin: Callable[..., GatewayTransaction],
    kind: TransactionKind,
    ask: Asked,
    heard: Receiver,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    transaction = begin(ask, kind)
    assert (heard.told, unseen(clock)) == ([], (0, []))

    sweep_until(transaction, is_over, context=context, clock=clock)
    sweep(context=context)

    assert transaction.state == S.REJECTED
    (told,) = heard.told
    event = OutboxEvent.objects.get(kind="OPERATION_REFUSED")
    order = transaction.payment.order if transaction.payment else None
    assert (told["sender"], told["event_id"]) == (PaymentOrder, str(event.event_id))
    assert (told["kind"], told["amount"], told["transaction"]) == (kind, transaction.amount, transaction)
    assert (told["order"], told["reference"]) == (order, order.reference if order else "")
    assert told["explanation"] == transaction.explanation != ""
    assert told["metadata"] == {}
    assert told["occurred_at"] == transaction.refusal_unseen_since == transaction.state_changed_at
    assert event.delivered_at is not None
    assert unseen(clock) == (1, [transaction.reference])

    seen = mark_seen(transaction, by=person("bert", "17"), clock=clock)
    assert unseen(clock) == (0, [])
    later = clock.now()
    clock.advance(hours=1)
    again = mark_seen(transaction, by="carla", clock=clock)
    for row in (seen, again):
        stored = (row.refusal_seen_by, row.refusal_seen_by_account, row.refusal_seen_at)
        assert stored == ("bert", "17", later)
    event_of = transaction.events.latest("pk")
    assert (event_of.kind, event_of.created_by, event_of.state_after) == ("DECISION", "bert", S.REJECTED)
    assert event_of.explanation == "The refusal was seen"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", ["errored", "error_body"])
def test_a_refusal_that_the_call_returns_is_told_to_its_caller_alone(
    fault: str, kind: TransactionKind, ask: Asked, heard: Receiver, clock: VirtualClock
) -> None:
    ask.control.fault(kind.value.lower(), fault)
    assert ask(kind, Decimal("20.00")).state == S.REJECTED
    assert (heard.told, unseen(clock)) == ([], (0, []))


def test_what_is_approved_later_is_not_told_as_refused(
    ask: Asked, heard: Receiver, context: GatewayContext, clock: VirtualClock
) -> None:
    transaction = ask(K.REFUND)
    ask.control.settle_pending(transaction.reference, "success")
    sweep_until(transaction, is_over, context=context, clock=clock)
    assert (transaction.state, heard.told, unseen(clock)) == (S.APPROVED, [], (0, []))


# Refused at once, and nobody is there


def by_a_batch(ask: Asked, clock: VirtualClock, **_: Any) -> None:
    order = ask.payment(K.CAPTURE, Decimal("20.00")).order
    driver = Driver(context_of=lambda alias: ask.context, is_permitted=lambda *_: True, clock=clock)
    batch = plan.draft(BatchKind.CAPTURE, [order], by="anna", clock=clock)
    why = {"reason_code": "shipped", "comment": ""}
    plan.start(batch, [], is_permitted=driver.is_permitted, clock=clock, **why)
    step(batch, seconds=LONG, driver=driver)


def by_the_sweep(ask: Asked, clock: VirtualClock, **_: Any) -> None:
    ask.payment(K.CAPTURE, Decimal("20.00"))
    clock.advance(days=6)
    window = CaptureWindow(policy=CapturePolicy.CAPTURE)
    policy = replace(ask.context.policy, capture_window=window)
    watch_authorizations(context=replace(ask.context, policy=policy))


def resent_by_the_sweep(ask: Asked, unreachable: GatewayContext, **_: Any) -> None:
    unsent = ask(K.CAPTURE, Decimal("20.00"), context=unreachable)
    assert resend_unsent(unsent, context=ask.context) is not None


def resent_by_a_person(ask: Asked, unreachable: GatewayContext, **_: Any) -> None:
    unsent = ask(K.CAPTURE, Decimal("20.00"), context=unreachable)
    send_again(unsent, context=ask.context, who=Initiator(by="anna"))


@pytest.mark.parametrize("begin", [by_a_batch, by_the_sweep, resent_by_the_sweep, resent_by_a_person])
@pytest.mark.parametrize("fault", ["errored", "error_body"])
def test_a_refusal_that_reaches_nobody_who_asked_is_told(
    fault: str,
    begin: Callable[..., None],
    ask: Asked,
    heard: Receiver,
    clock: VirtualClock,
    unreachable: GatewayContext,
) -> None:
    ask.control.fault("capture", fault)
    begin(ask, clock=clock, unreachable=unreachable)
    (told,) = heard.told
    assert (told["kind"], str(told["amount"])) == (K.CAPTURE, "20.00 EUR")
    assert unseen(clock) == (1, [told["transaction"].reference])


def test_a_refusal_of_what_a_second_person_agreed_to_is_told(
    ask: Asked, heard: Receiver, clock: VirtualClock
) -> None:
    two, payment = needs_two(ask.context), ask.payment(K.REFUND, Decimal("20.00"))
    who = Initiator(by=person("anna"))
    request = asked(lambda: refund(payment=payment, context=two, who=who))
    ask.control.fault("refund", "errored")
    assert approve(request, by=person("bert"), context=two).state == S.REJECTED
    assert len(heard.told) == unseen(clock)[0] == 1


# Given up


def given_up_unknown(ask: Asked, clock: VirtualClock, resolve: Resolve, **_: Any) -> GatewayTransaction:
    ask.control.fault("capture", "status_before", status=500)
    transaction = ask(K.CAPTURE, Decimal("20.00"))
    waited = {"absent_count": 5, "state_changed_at": clock.now() - timedelta(days=2)}
    GatewayTransaction.objects.filter(pk=transaction.pk).update(**waited)
    return resolve(transaction, NOT_HAPPENED)


def given_up_unsent(
    ask: Asked, resolve: Resolve, unreachable: GatewayContext, **_: Any
) -> GatewayTransaction:
    return resolve(ask(K.CAPTURE, Decimal("20.00"), context=unreachable), NOT_HAPPENED)


def given_up_in_a_batch(
    ask: Asked, clock: VirtualClock, unreachable: GatewayContext, **_: Any
) -> GatewayTransaction:
    by_a_batch(replace(ask, context=unreachable), clock)
    return GatewayTransaction.objects.get(kind=K.CAPTURE)


@pytest.mark.parametrize("give_up", [given_up_unknown, given_up_unsent, given_up_in_a_batch])
def test_what_is_given_up_later_is_told_and_waits_until_it_is_seen(
    give_up: Callable[..., GatewayTransaction],
    ask: Asked,
    heard: Receiver,
    clock: VirtualClock,
    resolve: Resolve,
    unreachable: GatewayContext,
) -> None:
    transaction = give_up(ask, clock=clock, resolve=resolve, unreachable=unreachable)
    assert transaction.state == S.ABANDONED
    (told,) = heard.told
    assert (told["transaction"], told["explanation"]) == (transaction, transaction.explanation)
    assert unseen(clock) == (1, [transaction.reference])


# Approved all the same


@pytest.fixture
def refused_capture(context: GatewayContext, heard: Receiver) -> GatewayTransaction:
    page = a_page(order=None, payment_type="preauthorization")
    Payment.objects.update(type="preauthorization")
    opening = settle(reread(page), approval(2000, "opened"), context=context)
    asked_for = a_follow_up(opening, K.CAPTURE, S.PENDING, amount_minor=2000)
    return settle(asked_for, update(E.REJECTED), context=context)


def test_a_contradiction_takes_the_place_of_the_refusal_and_nothing_is_told_twice(
    refused_capture: GatewayTransaction,
    heard: Receiver,
    context: GatewayContext,
    clock: VirtualClock,
    resolve: Resolve,
) -> None:
    assert unseen(clock) == (1, [refused_capture.reference])
    settle(refused_capture, approval(2000), context=context)
    assert unseen(clock) == (0, [])

    given_up = resolve(reread(refused_capture), NOT_HAPPENED)
    assert (given_up.state, len(heard.told)) == (S.ABANDONED, 1)
    assert unseen(clock) == (1, [refused_capture.reference])


def test_what_was_told_as_refused_and_is_accepted_in_the_end_is_told_as_paid(
    refused_capture: GatewayTransaction, listen: Listen, context: GatewayContext, resolve: Resolve
) -> None:
    paid = listen(signals.order_paid)
    found = approval(2000)
    shown = replace(found, finding=replace(found.finding, shown_amount=2000))
    settle(refused_capture, shown, context=context)
    resolve(reread(refused_capture), Decision.DID_HAPPEN)
    assert [str(told["amount"]) for told in paid.told] == ["20.00 EUR"]


@pytest.mark.parametrize("ending", [S.REJECTED, S.EXPIRED])
def test_so_is_a_page_that_was_told_as_failed_or_expired(
    ending: TransactionState, listen: Listen, context: GatewayContext, resolve: Resolve
) -> None:
    paid, page = listen(signals.order_paid), a_page()
    settle(page, update(E(ending.value)), context=context)
    assert OutboxEvent.objects.get().kind in {"FAILED", "EXPIRED"}
    contradicted = contradiction(DiscrepancyKind.EXECUTED_TWICE, shown=2000)
    settle(reread(page), update(E.CONTRADICTED, finding=contradicted), context=context)
    resolve(reread(page), Decision.DID_HAPPEN)
    assert [str(told["amount"]) for told in paid.told] == ["20.00 EUR"]
