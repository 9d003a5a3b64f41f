"""What the gateway calls pending for ever: asking never ends, and a person is told and can decide."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from tests.exhaustive import one_of
from tests.operations.aftermath import problems, told
from tests.operations.conftest import Pay, Resolve, Start, VirtualClock, sweep_until
from tests.operations.dying import scripted
from tests.operations.records import answer_of, record
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.operations.approvals.resolve import Decision
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState, OperationRefused
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund
from wallet_gateway.operations.follow_ups.capture_refund_reverse import reverse as reverse_payment
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.queries.work_queue import waiting
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState
NOT_HAPPENED = Decision.DID_NOT_HAPPEN
WEEK = timedelta(days=7)


def order() -> PaymentOrder:
    return PaymentOrder.objects.get()


def pending_answer(transaction: GatewayTransaction) -> bytes:
    return answer_of(record(transaction, transaction.amount.to_wire(), state="Pending"))


@pytest.fixture(params=["page", *one_of(["capture", "refund", "reversal"])])
def pending(
    request: pytest.FixtureRequest, pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl
) -> GatewayTransaction:
    """A page, or a follow-up, that the gateway calls pending for as long as anybody asks."""
    if request.param == "page":
        return pay("pending").opening
    payment = pay(type="sale" if request.param == "refund" else "preauthorization")
    wallet_sandbox.fault(request.param, "drop_before")
    if request.param == "reversal":
        transaction = reverse_payment(payment=payment, context=context)
    else:
        follow_up = capture if request.param == "capture" else refund
        transaction = follow_up(payment=payment, context=context, amount=Decimal("5.00"))
    return transaction


def held(transaction: GatewayTransaction, context: GatewayContext) -> GatewayContext:
    """A gateway that says of this one that it is pending, whenever it is asked."""
    return scripted(context, pending_answer(transaction))


@pytest.fixture
def slow(
    pending: GatewayTransaction, context: GatewayContext, clock: VirtualClock
) -> tuple[GatewayTransaction, GatewayContext]:
    """The same as it stands in our rows, and its gateway."""
    gateway = held(pending, context)
    if pending.state != S.PENDING:
        clock.advance_to(pending.next_query_at)
        sweep(context=gateway)
        pending.refresh_from_db()
    assert pending.state == S.PENDING
    return pending, gateway


Slow = tuple[GatewayTransaction, GatewayContext]


def test_asking_never_ends_and_grows_rare(slow: Slow, clock: VirtualClock) -> None:
    transaction, gateway = slow
    began, waits = clock.now(), []
    while clock.now() - began < timedelta(days=120):
        before = clock.now()
        clock.advance_to(transaction.next_query_at)
        waits.append(clock.now() - before)
        sweep(context=gateway)
        transaction.refresh_from_db()
    assert transaction.state == S.PENDING
    assert transaction.next_query_at is not None
    assert max(waits) <= timedelta(days=10)
    assert len(waits) < 70


def test_after_a_week_a_person_is_told_and_not_before(slow: Slow, clock: VirtualClock) -> None:
    transaction, gateway = slow
    sweep_until(transaction, lambda row: row.needs_operator, context=gateway, clock=clock)
    assert WEEK <= clock.now() - transaction.state_changed_at < WEEK + timedelta(days=2)
    assert "transactions that wait for a person: 1" in problems(clock)
    assert waiting({}, now=clock.now()).stuck == (transaction,)
    assert transaction.state == S.PENDING


def test_before_a_week_it_is_too_early_to_decide(slow: Slow, resolve: Resolve, clock: VirtualClock) -> None:
    transaction, gateway = slow
    clock.advance(days=6, hours=23)
    sweep(context=gateway)
    with refuses(InvalidState, ErrorCode.TOO_EARLY, after=timedelta(days=7), needed=5):
        resolve(transaction, NOT_HAPPENED)


def test_a_person_gives_it_up_and_that_alone_frees_what_it_holds(
    slow: Slow, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    transaction, gateway = slow
    is_page = transaction.outstanding_key is None
    sweep_until(transaction, lambda row: row.needs_operator, context=gateway, clock=clock)
    if is_page:
        assert (order().state, order().is_payable) == (OrderState.PENDING, False)
    else:
        assert transaction.payment is not None
        payment = Payment.objects.get(pk=transaction.payment.pk)
        with pytest.raises(OperationRefused):
            capture(payment=payment, context=context, amount=Decimal("1.00"))

    given_up = resolve(transaction, NOT_HAPPENED)

    assert (given_up.state, given_up.decided_by_person, given_up.outstanding_key) == (S.ABANDONED, True, None)
    assert not given_up.needs_operator
    assert given_up.next_query_at is not None, "the reference stays on watch"
    payment = Payment.objects.get()
    assert (payment.capture_reserved, payment.refund_reserved, payment.reversal) == (0, 0, "none")
    if is_page:
        assert order().is_payable
    elif transaction.kind != "REFUND":
        assert capture(payment=payment, context=context, amount=Decimal("1.00")).state == S.APPROVED


def test_what_was_given_up_and_is_approved_after_all_is_seen(
    slow: Slow, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    transaction, gateway = slow
    sweep_until(transaction, lambda row: row.needs_operator, context=gateway, clock=clock)
    given_up = resolve(transaction, NOT_HAPPENED)
    clock.advance_to(given_up.next_query_at)
    sweep(context=gateway)
    transaction.refresh_from_db()
    assert transaction.state == S.ABANDONED, "that it is still pending is no news"

    clock.advance_to(transaction.next_query_at)
    sweep(context=scripted(context, answer_of(record(transaction, transaction.amount.to_wire()))))
    transaction.refresh_from_db()
    assert (transaction.state, order().state) == (S.ANOMALY, OrderState.FROZEN)
    assert Discrepancy.objects.get(transaction=transaction).kind == "APPROVED_AFTER_END"


def test_what_the_gateway_then_forgets_is_still_asked_about_and_told_after_a_day(
    slow: Slow, context: GatewayContext, clock: VirtualClock
) -> None:
    transaction, gateway = slow
    sweep_until(transaction, lambda row: row.query_count > 9, context=gateway, clock=clock)
    assert not transaction.needs_operator
    forgets = scripted(context, b"[]")
    began = clock.now()
    sweep_until(transaction, lambda row: row.needs_operator, context=forgets, clock=clock)
    assert clock.now() - began < timedelta(days=3)
    assert transaction.state == S.PENDING
    for _ in range(60):
        before = transaction.query_count
        clock.advance_to(transaction.next_query_at)
        sweep(context=forgets)
        transaction.refresh_from_db()
        assert (transaction.state, transaction.query_count) == (S.PENDING, before + 1)
    assert transaction.next_query_at is not None
    assert transaction.needs_operator


def test_a_month_of_pending_ends_by_the_gateways_word_at_any_time(
    slow: Slow, context: GatewayContext, clock: VirtualClock
) -> None:
    transaction, gateway = slow
    for _ in range(50):
        clock.advance_to(transaction.next_query_at)
        sweep(context=gateway)
        transaction.refresh_from_db()
    assert clock.now() - transaction.state_changed_at > timedelta(days=60)
    clock.advance_to(transaction.next_query_at)
    sweep(context=scripted(context, answer_of(record(transaction, transaction.amount.to_wire()))))
    transaction.refresh_from_db()
    assert (transaction.state, transaction.needs_operator) == (S.APPROVED, False)


def test_a_page_that_the_sandbox_keeps_pending_for_a_month_pays_in_the_end(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    transaction = pay("pending").opening
    sweep_until(transaction, lambda row: row.query_count > 40, context=context, clock=clock)
    assert clock.now() - transaction.state_changed_at > timedelta(days=30)
    assert (transaction.state, transaction.needs_operator) == (S.PENDING, True)

    wallet_sandbox.settle_pending(transaction.reference, "success")
    sweep_until(transaction, lambda row: row.state == S.APPROVED, context=context, clock=clock)
    assert (order().state, told()) == (OrderState.PAID, ["PAID"])


def test_an_unknown_outcome_that_nobody_decides_on_is_asked_about_for_ever_too(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay()
    wallet_sandbox.fault("refund", "drop_before")
    transaction = refund(payment=payment, context=context, amount=Decimal("5.00"))
    nothing = scripted(context, b"[]")
    sweep_until(
        transaction,
        lambda row: clock.now() - row.state_changed_at > timedelta(days=60),
        context=nothing,
        clock=clock,
    )
    assert (transaction.state, transaction.needs_operator) == (S.UNKNOWN, True)
    clock.advance_to(transaction.next_query_at)
    sweep(context=scripted(context, answer_of(record(transaction, "5.00"))))
    transaction.refresh_from_db()
    assert transaction.state == S.APPROVED


def test_a_page_that_was_given_up_can_be_paid_anew_and_both_are_seen(
    pay: Pay,
    start: Start,
    resolve: Resolve,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    transaction = pay("pending").opening
    sweep_until(transaction, lambda row: row.needs_operator, context=context, clock=clock)
    transaction = resolve(transaction, NOT_HAPPENED)
    second = start(order())
    wallet_sandbox.complete_checkout(second.reference, "success")
    wallet_sandbox.settle_pending(transaction.reference, "success")
    sweep_until(transaction, lambda row: row.state != S.ABANDONED, context=context, clock=clock)
    assert (transaction.state, order().state) == (S.ANOMALY, OrderState.FROZEN)
