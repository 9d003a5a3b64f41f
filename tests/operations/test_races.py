"""Races with real threads and real commits: in any order, nothing is sent, booked or told twice.

Thirty-two threads on PostgreSQL and MariaDB; eight on SQLite, which has one writer at a time, in a file of
its own since threads cannot share its memory without tripping over each other's table locks.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection, connections
from django.db import transaction as db_transaction
from django.db.models import Q

from tests.client.servers import unused_port
from tests.operations.conftest import MUG, MakeContext, MakeOrder, Pay, VirtualClock, sweep_until
from tests.operations.dying import Killed, interrupted, kill, scripted
from tests.operations.journal import times_sent
from tests.operations.records import answer_of, record
from tests.operations.second_person import asked, limits_by_day, needs_two, person
from tests.operations.subjects import MIGRATION_FILE
from tests.operations.ways_of_writing import in_each_way
from wallet_gateway import signals
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.domain.policy import GatewayPolicy
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import (
    Approval,
    ApprovalState,
    GatewayTransaction,
    MigratedDeposit,
    OutboxEvent,
    Payment,
    PaymentOrder,
    TransactionEvent,
    TransactionEventKind,
)
from wallet_gateway.operations.approvals.requests import decline
from wallet_gateway.operations.approvals.resolve import Decision, resolve
from wallet_gateway.operations.checkout import orders
from wallet_gateway.operations.checkout.orders import OrderDetails
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import (
    AwaitingApproval,
    InvalidState,
    OperationOutstanding,
    OperationRefused,
    TryAgain,
)
from wallet_gateway.operations.follow_ups.approve import approve
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund, reverse
from wallet_gateway.operations.follow_ups.detached_refunds import refund_migrated
from wallet_gateway.operations.follow_ups.execute import Initiator, resend_unsent
from wallet_gateway.operations.maintenance.sweep import end_leases, sweep
from wallet_gateway.operations.polling.due import reconcile_due
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt, reconcile_order
from wallet_gateway.operations.settlement import settle as settlement
from wallet_gateway.operations.settlement.outbox import deliver_due
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]
S = TransactionState
THREADS = 8 if connection.vendor == "sqlite" else 32


def together(*works: Callable[[], Any], times: int | None = None) -> list[Any]:
    """Run works at the same moment, each in threads of its own; give what they returned or raised."""
    each = times or THREADS // len(works)
    barrier, results = threading.Barrier(each * len(works)), []

    def run(work: Callable[[], Any]) -> None:
        barrier.wait(60)
        try:
            results.append(work())
        except Exception as error:  # noqa: BLE001 - a thread's failure is a result to look at
            results.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(work,)) for work in works for _ in range(each)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(240)
    assert not any(thread.is_alive() for thread in threads)
    return results


def surprises(results: list[Any], *expected: type[Exception]) -> list[Any]:
    return [one for one in results if isinstance(one, Exception) and not isinstance(one, expected)]


@pytest.fixture
def real(context: GatewayContext) -> GatewayContext:
    """A context that really sleeps."""
    return replace(context, sleep=time.sleep)


def fresh(payment: Payment) -> Payment:
    return Payment.objects.select_related("order").get(pk=payment.pk)


def persistently(work: Callable[[], GatewayTransaction]) -> GatewayTransaction:
    """Try again while another operation is outstanding, as a person would."""
    for _ in range(4000):
        try:
            return work()
        except OperationOutstanding:
            time.sleep(0.01)
    raise AssertionError("it never came to its turn")


# Money


def test_refunds_never_exceed_what_was_captured(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    # As many as fit are fewer than there are threads.
    fits = THREADS * 5 // 8
    payment = pay(items=(), amount=Decimal(fits))

    def give_one_back() -> GatewayTransaction:
        return persistently(lambda: refund(payment=fresh(payment), context=real, amount=Decimal("1.00")))

    results = together(give_one_back)

    assert surprises(results, InvalidState) == []
    done = [one for one in results if isinstance(one, GatewayTransaction)]
    assert Counter(one.state for one in done) == {S.APPROVED: fits}
    payment = fresh(payment)
    assert (payment.refunded, payment.refund_reserved) == (payment.captured, 0)
    assert payment.order.state == OrderState.REFUNDED
    assert times_sent(wallet_sandbox, "refund") == fits


def test_while_one_refund_is_under_way_no_other_is_begun(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay()
    wallet_sandbox.fault("refund", "delay_after", seconds=0.5)
    results = together(lambda: refund(payment=fresh(payment), context=real, amount=Decimal("1.00")))

    assert surprises(results, OperationOutstanding) == []
    assert times_sent(wallet_sandbox, "refund") == len(
        [one for one in results if not isinstance(one, Exception)]
    )
    payment = fresh(payment)
    assert payment.refunded == 100 * times_sent(wallet_sandbox, "refund")


def test_either_captures_or_a_reversal_and_never_both(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay(type="preauthorization")
    results = together(
        lambda: capture(payment=fresh(payment), context=real, amount=Decimal("1.00")),
        lambda: reverse(payment=fresh(payment), context=real),
    )

    assert surprises(results, OperationOutstanding, InvalidState, InvalidState) == []
    payment = fresh(payment)
    reversed_ = payment.reversal == Reversal.DONE
    assert reversed_ is (payment.captured == 0)
    assert (times_sent(wallet_sandbox, "reversal"), times_sent(wallet_sandbox, "capture") > 0) == (
        (1, False) if reversed_ else (0, True)
    )


@pytest.mark.parametrize("amount", [Decimal("5.00"), None], ids=["a part", "all"])
def test_one_key_sends_once_however_often_it_is_clicked(
    amount: Decimal | None, pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay()
    who = Initiator(idempotency_key="click-1")
    results = together(lambda: refund(payment=fresh(payment), context=real, amount=amount, who=who))

    assert surprises(results) == []
    assert len({one.pk for one in results}) == 1
    assert times_sent(wallet_sandbox, "refund") == 1


def test_one_deposit_is_refunded_up_to_its_limit(
    real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.migration_file(MIGRATION_FILE)

    def give_ten_back() -> GatewayTransaction:
        return refund_migrated(
            parent_transaction_id="OLD-1001", amount=Decimal("10.00"), currency="EUR", context=real
        )

    results = together(lambda: persistently(give_ten_back))

    assert surprises(results, InvalidState) == []
    states = Counter(one.state for one in results if isinstance(one, GatewayTransaction))
    assert states[S.APPROVED] == 4
    assert set(states) <= {S.APPROVED, S.REJECTED}
    assert MigratedDeposit.objects.get().refunded == 4000


def test_what_never_left_is_sent_by_one_worker(
    pay: Pay, real: GatewayContext, make_context: MakeContext, wallet_sandbox: SandboxControl
) -> None:
    unreachable = make_context(f"http://127.0.0.1:{unused_port()}")
    transaction = capture(payment=pay(type="preauthorization"), context=unreachable, amount=Decimal("5.00"))
    results = together(lambda: resend_unsent(GatewayTransaction.objects.get(pk=transaction.pk), context=real))

    assert surprises(results) == []
    assert times_sent(wallet_sandbox, "capture") == 1
    assert Payment.objects.get().captured == 500


# Pages


@in_each_way
def test_many_clicks_on_one_order_open_one_page(
    make_order: MakeOrder, real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()

    def click() -> str:
        mine = PaymentOrder.objects.get(pk=order.pk)
        return start_checkout(order=mine, context=real, return_urls=return_urls).redirect_url

    results = together(click)

    assert surprises(results, TryAgain) == []
    shown = {one for one in results if isinstance(one, str)}
    assert len(shown) == 1
    assert "" not in shown
    assert times_sent(wallet_sandbox, "checkout") == 1
    assert Payment.objects.count() == 1


@in_each_way
def test_clicks_that_come_while_a_page_is_slow_to_open_hold_no_worker_and_open_no_other(
    make_order: MakeOrder, real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    wallet_sandbox.fault("checkout", "delay_after", seconds=0.5)

    def click() -> str:
        mine = PaymentOrder.objects.get(pk=order.pk)
        return start_checkout(order=mine, context=real, return_urls=return_urls).redirect_url

    results = together(click, times=4)

    assert surprises(results, TryAgain) == []
    assert len({one for one in results if isinstance(one, str)}) == 1
    assert times_sent(wallet_sandbox, "checkout") == 1


def test_many_calls_store_one_order(clock: VirtualClock) -> None:
    details = OrderDetails(currency="EUR", items=(MUG,))

    def create() -> int:
        order = orders.create_order(
            reference="SHOP-1", details=details, gateway="default", policy=GatewayPolicy(), clock=clock
        )
        return int(order.pk)

    results = together(create)
    assert surprises(results) == []
    assert len(set(results)) == PaymentOrder.objects.count() == 1


# News


def test_sweeps_share_the_questions(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    for _ in range(10):
        wallet_sandbox.complete_checkout(pay("return").reference, "success")
    before = times_sent(wallet_sandbox, "status")
    clock.advance(seconds=80)
    quick = replace(real, sleep=lambda _: None)
    results = together(lambda: reconcile_due(context=quick))

    assert surprises(results) == []
    assert sum(results) == 10
    assert times_sent(wallet_sandbox, "status") == before + 10
    assert PaymentOrder.objects.filter(state=OrderState.PAID).count() == 10


def test_a_payment_found_by_everybody_at_once_is_booked_and_told_once(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay("return")
    wallet_sandbox.complete_checkout(payment.reference, "success")
    clock.advance(seconds=80)
    told: list[str] = []

    def hear(event_id: str, **_: object) -> None:
        told.append(event_id)

    signals.order_paid.connect(hear)
    try:
        results = together(
            lambda: reconcile_attempt(reference=payment.reference, context=real),
            lambda: reconcile_order(order=fresh(payment).order, context=real, everything=True),
            lambda: sweep(context=real),
            lambda: deliver_due(clock=clock),
        )
    finally:
        signals.order_paid.disconnect(hear)

    assert surprises(results) == []
    payment = fresh(payment)
    assert (payment.authorized, payment.captured) == (2000, 2000)
    assert payment.order.state == OrderState.PAID
    assert told == [str(OutboxEvent.objects.get().event_id)]


@in_each_way
def test_two_pages_paid_at_the_same_moment_make_the_order_overpaid(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    first = pay("return")
    clock.advance(seconds=850)
    second = start_checkout(order=fresh(first).order, context=real, return_urls=return_urls)
    for payment in (first, second):
        wallet_sandbox.complete_checkout(payment.reference, "success")
    results = together(
        lambda: reconcile_attempt(reference=first.reference, context=real),
        lambda: reconcile_attempt(reference=second.reference, context=real),
    )

    assert surprises(results) == []
    assert PaymentOrder.objects.get().state == OrderState.OVERPAID
    assert sorted(OutboxEvent.objects.values_list("kind", flat=True)) == ["ANOMALY", "PAID"]


def test_a_lease_is_ended_once(pay: Pay, real: GatewayContext, clock: VirtualClock) -> None:
    with pytest.raises(Killed):
        capture(
            payment=pay(type="preauthorization"),
            context=interrupted(real, before=kill),
            amount=Decimal("5.00"),
        )
    clock.advance(seconds=121)
    results = together(lambda: end_leases(context=real))

    assert surprises(results) == []
    transaction = GatewayTransaction.objects.get(kind="CAPTURE")
    assert transaction.state == S.UNKNOWN
    assert Payment.objects.get().capture_reserved == 500


def test_answers_and_sweeps_that_meet_book_once(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay(type="preauthorization")
    wallet_sandbox.fault("capture", "drop_after")
    transaction = capture(payment=payment, context=real, amount=Decimal("5.00"))
    clock.advance_to(transaction.next_query_at)
    results = together(
        lambda: sweep(context=real),
        lambda: reconcile_order(order=fresh(payment).order, context=real, everything=True),
    )

    assert surprises(results) == []
    payment = fresh(payment)
    assert (payment.captured, payment.capture_reserved) == (500, 0)
    assert OutboxEvent.objects.filter(transaction=transaction).count() == 1


def test_events_are_delivered_once_by_many_sweeps(
    pay: Pay, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(settlement, "deliver", lambda *_, **__: 0)
        for _ in range(5):
            pay()
    clock.advance(seconds=61)
    told: list[str] = []

    def hear(event_id: str, **_: object) -> None:
        told.append(event_id)

    signals.order_paid.connect(hear)
    try:
        results = together(lambda: deliver_due(clock=clock))
    finally:
        signals.order_paid.disconnect(hear)
    assert surprises(results) == []
    assert (sum(results), len(told), len(set(told))) == (5, 5, 5)


# People


def test_a_decision_and_late_news_end_in_one_of_two_ways(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay()
    wallet_sandbox.fault("refund", "drop_before")
    transaction = refund(payment=payment, context=real, amount=Decimal("5.00"))
    quick = replace(real, sleep=lambda _: None)
    sweep_until(transaction, lambda row: row.needs_operator, context=quick, clock=clock)
    clock.advance(seconds=3)
    late = scripted(quick, answer_of(record(transaction, "5.00")))

    def decide() -> GatewayTransaction:
        current = GatewayTransaction.objects.get(pk=transaction.pk)
        no = Decision.DID_NOT_HAPPEN
        return resolve(current, decision=no, reason="support says no", by="anna", context=quick)

    results = together(
        decide, lambda: reconcile_order(order=fresh(payment).order, context=late, everything=True)
    )

    assert surprises(results, InvalidState) == []
    transaction.refresh_from_db()
    payment = fresh(payment)
    assert payment.refund_reserved == 0
    if transaction.state == S.APPROVED:
        assert (payment.refunded, payment.is_frozen) == (500, False)
    else:
        # Given up first: then the news contradicts it, and it is looked at again.
        assert (transaction.state, payment.refunded, payment.is_frozen) == (S.ANOMALY, 0, True)
    told = TransactionEvent.objects.filter(
        Q(kind="DECISION") | Q(state_after=S.ANOMALY), transaction=transaction
    )
    states = list(told.values_list("state_after", flat=True))
    # A second decision is one on the anomaly that followed upon the first.
    assert (S.ABANDONED, S.ABANDONED) not in pairwise(states)


def test_refusals_are_refusals_whatever_the_race(pay: Pay, real: GatewayContext) -> None:
    payment = pay(type="preauthorization")
    results = together(
        lambda: capture(payment=fresh(payment), context=real),
        lambda: refund(payment=fresh(payment), context=real),
        lambda: reverse(payment=fresh(payment), context=real),
        lambda: reconcile_order(order=fresh(payment).order, context=real, everything=True),
    )
    assert surprises(results, OperationRefused) == []


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite lets one writer in at a time")
def test_the_same_order_stored_twice_at_once_is_one_order_even_inside_old_snapshots(
    clock: VirtualClock,
) -> None:
    details = OrderDetails(currency="EUR", amount=Decimal("20.00"))
    together, found = threading.Barrier(2, timeout=60), []

    def store() -> None:
        if connection.vendor == "mysql":
            with connection.cursor() as cursor:
                cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        try:
            with db_transaction.atomic():
                # The snapshot of a transaction with repeatable reads is taken here, before either has stored.
                PaymentOrder.objects.count()
                together.wait()
                order = orders.create_order(
                    reference="RACE-1",
                    details=details,
                    gateway="default",
                    policy=GatewayPolicy(),
                    clock=clock,
                )
                found.append(order.token)
        finally:
            connection.close()

    threads = [threading.Thread(target=store) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 2
    assert len(set(found)) == 1


# A second person


def test_of_many_who_agree_at_once_one_does_and_it_is_sent_once(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment, two = pay(), needs_two(real)
    request = asked(lambda: refund(payment=payment, context=two, who=Initiator(by="anna")))
    names = iter(f"second-{number}" for number in range(THREADS))

    results = together(lambda: approve(request, by=person(next(names)), context=two))

    assert surprises(results, InvalidState) == []
    assert times_sent(wallet_sandbox, "refund") == 1
    (transaction,) = [row for row in results if isinstance(row, GatewayTransaction)]
    request.refresh_from_db()
    assert request.state == ApprovalState.AGREED
    witness = TransactionEvent.objects.get(transaction=transaction, kind=TransactionEventKind.APPROVAL)
    assert witness.created_by == request.decided_by


def test_either_somebody_agrees_or_somebody_declines(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment, two = pay(), needs_two(real)
    request = asked(lambda: refund(payment=payment, context=two, who=Initiator(by="anna")))

    results = together(
        lambda: approve(request, by=person("bert"), context=two),
        lambda: decline(request, by="carla", reason="not returned", clock=two.clock),
        times=4,
    )

    assert surprises(results, InvalidState) == []
    # Who agrees several times at once is told each time of the one refund.
    assert len({one for one in results if not isinstance(one, InvalidState)}) == 1
    request.refresh_from_db()
    agreed = request.state == ApprovalState.AGREED
    assert times_sent(wallet_sandbox, "refund") == int(agreed)
    assert fresh(payment).refunded == (2000 if agreed else 0)


def test_refunds_of_one_person_at_once_do_not_pass_the_limit_of_a_day_together(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payments, of_day = [pay() for _ in range(THREADS)], limits_by_day(real, EUR=4500)
    mine = iter(payments)
    someone = Initiator(by=person("anna"))

    results = together(lambda: refund(payment=next(mine), context=of_day, who=someone))

    assert surprises(results, AwaitingApproval) == []
    assert times_sent(wallet_sandbox, "refund") == 2
    assert sum(fresh(payment).refunded for payment in payments) == 4000
    assert Approval.objects.count() == THREADS - 2


def test_small_refunds_at_once_do_not_pass_the_limit_together(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment, two = pay(), needs_two(real, EUR=900)

    together(
        lambda: persistently(
            lambda: refund(payment=payment, context=two, amount=Decimal("3.00"), who=Initiator(by="anna"))
        ),
        times=6,
    )

    assert fresh(payment).refunded == 900
    assert times_sent(wallet_sandbox, "refund") == 3
    assert Approval.objects.filter(state=ApprovalState.WAITING).count() == 1


def test_one_click_that_uses_up_what_one_person_may_asks_nobody(pay: Pay, real: GatewayContext) -> None:
    payment, two = pay(), needs_two(real)
    who, five = Initiator(idempotency_key="click-1", by="anna"), Decimal("5.00")

    results = together(lambda: refund(payment=payment, context=two, amount=five, who=who))

    assert surprises(results) == []
    assert len({transaction.pk for transaction in results}) == 1
    assert not Approval.objects.exists()


def test_one_key_asks_once_however_often_it_is_clicked(pay: Pay, real: GatewayContext) -> None:
    payment, two = pay(), needs_two(real)
    who = Initiator(idempotency_key="click-1", by="anna")

    results = together(lambda: refund(payment=payment, context=two, who=who))

    assert surprises(results, AwaitingApproval) == []
    assert {one.approval.pk for one in results} == {Approval.objects.get().pk}
