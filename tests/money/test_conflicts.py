"""News that meets other news, and databases that refuse: nothing is written twice, half or not at all."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, InterfaceError, OperationalError, connection
from django.db import transaction as db_transaction
from django.test import override_settings

from tests.support.database_faults import Meddler, raising
from tests.support.gateway import Answer, Sent, answering, approved, losing, record
from tests.support.refusals import refuses
from tests.support.shop import Shop, book_gateways_amount, of, order_of, state, told
from tests.support.waiting import PATIENCE
from wallet_gateway import payments, signals
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    OutboxEvent,
    Payment,
    PaymentOrder,
    TransactionEvent,
)
from wallet_gateway.payments.errors import ErrorCode, InsideTransaction, InvalidState

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]
FIVE = Decimal("5.00")
HOSTILE = "no\r\nERROR forged: paid\u2028\u202e\x1b[2J" + "x" * 5000


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were slept between two tries."""
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    return slept


def another_settles() -> None:
    PaymentOrder.objects.update(version=PaymentOrder.objects.get().version + 1)


EVENT, ORDER = ("INSERT", "transactionevent"), ("UPDATE", "paymentorder", "state")


# Two writers


def lost_capture(shop: Shop) -> tuple[Payment, GatewayTransaction]:
    payment = shop.pay(type="preauthorization")
    lost = shop.lose_answer(payments.capture, order_of(payment))
    shop.report(lost, of(lost))
    return payment, lost


def booked(payment: Payment, capture: GatewayTransaction) -> tuple[str, int, int, int]:
    """The state of a capture, what is booked, and how often it was written down and told as approved."""
    payment.refresh_from_db()
    capture.refresh_from_db()
    written = TransactionEvent.objects.filter(transaction=capture, lifecycle_event="APPROVED")
    count = OutboxEvent.objects.filter(transaction=capture).count()
    return capture.state, payment.captured, written.filter(state_after="APPROVED").count(), count


@pytest.mark.parametrize("times", [1, 2, 6])
def test_a_writer_that_is_outrun_reads_again_and_has_its_turn(times: int, shop: Shop) -> None:
    payment, lost = lost_capture(shop)
    with connection.execute_wrapper(Meddler(*ORDER, act=another_settles, times=times)):
        shop.ask(payment)
    assert booked(payment, lost) == ("APPROVED", 3000, 1, 1)


def test_a_writer_that_is_outrun_for_ever_writes_nothing_and_the_next_sweep_does_it(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    payment, lost = lost_capture(shop)
    with connection.execute_wrapper(Meddler(*ORDER, act=another_settles, times=1000)):
        shop.until(lost.next_query_at)
        payments.sweep()
    assert booked(payment, lost) == ("UNKNOWN", 0, 0, 0)
    assert "VersionConflict" in caplog.text
    shop.days(1)
    assert booked(payment, lost) == ("APPROVED", 3000, 1, 1)


def test_a_thaw_that_is_outrun_looks_again(shop: Shop) -> None:
    payment = shop.pay()
    shop.report(payment, record(payment.reference, transactionAmount=25))
    shop.ask(payment)

    with connection.execute_wrapper(Meddler(*ORDER, act=another_settles, times=3)):
        shop.decide(payment, "DID_HAPPEN")
    assert state(payment)[0] == "PAID"


def test_a_further_difference_of_a_frozen_payment_is_seen_by_whoever_thaws_it(shop: Shop) -> None:
    payment = shop.pay()
    versions = []
    for number in range(2):
        fields = {"id": f"P-{number}", "type": "ecom.refund", "transactionAmount": 1}
        shop.gateway.records[payment.reference].append(record(payment.reference, **fields))
        shop.ask(payment)
        versions.append(order_of(payment).version)
    assert Discrepancy.objects.count() == 2
    assert versions[1] > versions[0]


def test_a_difference_that_is_committed_while_a_payment_thaws_freezes_it(shop: Shop) -> None:
    payment = shop.pay()

    def find(number: int) -> None:
        fields = {"id": f"P-{number}", "type": "ecom.refund", "transactionAmount": 1}
        shop.gateway.records[payment.reference].append(record(payment.reference, **fields))
        shop.ask(payment)

    def find_elsewhere() -> None:
        find(2)
        connection.close()

    find(1)
    other = threading.Thread(target=find_elsewhere)

    def find_another() -> None:
        other.start()
        # SQLite has one writer: there the other one comes right after the thaw.
        other.join(0 if connection.vendor == "sqlite" else PATIENCE)

    difference = Discrepancy.objects.get()
    with connection.execute_wrapper(Meddler(*ORDER, act=find_another)):
        payments.approvals.close_discrepancy(difference, reason="looked it up", by="anna")
    other.join(PATIENCE)
    (left,) = Discrepancy.objects.filter(closed_at=None)
    assert ("P-2" in str(left.explanation_params), state(payment)) == (True, ("FROZEN", False))


MEANWHILE: dict[str, list[dict[str, Any]] | None] = {"lease ended": None, "approved": [{"id": "G-1"}]}


@pytest.mark.parametrize("meanwhile", MEANWHILE)
@pytest.mark.parametrize(
    ("answer", "alone"),
    [
        (answering(id="G-1"), "APPROVED"),
        (losing, "UNKNOWN"),
        (answering(state="Errored"), "REJECTED"),
        (answering(state="Pending"), "PENDING"),
    ],
    ids=["approved", "lost", "errored", "pending"],
)
def test_an_answer_after_its_sender_was_given_up_adds_what_it_says_and_takes_nothing_back(
    answer: Answer, alone: str, meanwhile: str, shop: Shop
) -> None:
    payment = shop.pay(type="preauthorization")

    def go_on(sent: Sent) -> tuple[int, object]:
        reference = sent["clientSystemTransactionId"]
        own = record(reference, type="ecom.capture", transactionAmount=5)
        shop.gateway.records[reference] = [own | fields for fields in MEANWHILE[meanwhile] or ()]
        shop.clock.sleep(121)
        payments.sweep()
        if MEANWHILE[meanwhile]:
            shop.ask(payment)
        return answer(sent)

    shop.gateway.answers.append(go_on)
    capture = payments.capture(order_of(payment), FIVE)
    assert capture.state == (alone if meanwhile == "lease ended" else "APPROVED")
    payment.refresh_from_db()
    assert payment.captured == (500 if capture.state == "APPROVED" else 0)
    assert capture.next_send_at is None
    assert [kind for kind, _ in told()].count("CAPTURED_IN_PART") == (capture.state == "APPROVED")


@pytest.mark.parametrize("late", [[], [{"state": "Errored"}]], ids=["nothing", "errored"])
def test_an_answer_that_comes_late_calls_nobody_to_what_was_approved_meanwhile(
    late: list[dict[str, Any]], shop: Shop
) -> None:
    payment, lost = lost_capture(shop)
    GatewayTransaction.objects.filter(pk=lost.pk).update(absent_count=4, poll_step=30)

    def meet(_: str) -> tuple[int, object]:
        payments.reconcile(order_of(payment), everything=True)
        return 200, [of(lost, **fields) for fields in late]

    shop.gateway.queries.append(meet)
    shop.until(lost.next_query_at)
    payments.sweep()
    assert booked(payment, lost) == ("APPROVED", 3000, 1, 1)
    assert (lost.needs_operator, lost.absent_count) == (False, 0)
    assert lost.next_query_at is not None, "the confirming query is still to come"
    assert lost.next_query_at > shop.clock.now()


def test_a_decision_holds_for_the_state_it_was_made_on(shop: Shop) -> None:
    payment, lost = lost_capture(shop)
    shop.report(lost, of(lost, id="G-1"), of(lost, id="G-2"))
    shop.ask(payment)
    lost.refresh_from_db()
    stale = GatewayTransaction.objects.get(pk=lost.pk)
    payments.approvals.resolve(lost, decision="DID_HAPPEN", reason="so", by="anna")
    with pytest.raises(InvalidState):
        payments.approvals.resolve(stale, decision="DID_NOT_HAPPEN", reason="no", by="bert")
    assert booked(payment, lost)[:2] == ("APPROVED", 3000)


def test_a_decision_meets_a_record_that_another_transaction_has_just_taken_and_changes_nothing(
    shop: Shop,
) -> None:
    """Only the gateway's own news is kept as a contradiction."""
    payment, lost = lost_capture(shop)
    shop.report(lost, of(lost, id="G-1", transactionAmount=25))
    shop.ask(payment)
    (difference,) = Discrepancy.objects.filter(transaction=lost)
    other = payments.capture(order_of(shop.pay(type="preauthorization")))

    def take_it_after_the_look(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:  # noqa: ANN401
        seen = execute(sql, *rest)
        if sql.startswith("SELECT") and sql.endswith("LIMIT 1") and "record_id" in sql:
            GatewayTransaction.objects.filter(pk=other.pk).update(record_id="G-1")
        return seen

    written = TransactionEvent.objects.count()
    with (
        connection.execute_wrapper(take_it_after_the_look),
        refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE),
    ):
        book_gateways_amount(difference)
    assert TransactionEvent.objects.count() == written
    assert booked(payment, lost)[:2] == ("ANOMALY", 0)


def test_what_a_receiver_settles_is_in_the_transaction_that_is_returned(shop: Shop) -> None:
    payment = shop.pay(type="preauthorization")

    def contradict(**_: object) -> None:
        made = GatewayTransaction.objects.get(kind="CAPTURE")
        shop.report(made, of(made, id=made.record_id), of(made, id="G-9"))
        shop.ask(payment)

    signals.order_captured_in_part.connect(contradict)
    try:
        assert payments.capture(order_of(payment), FIVE).state == "ANOMALY"
    finally:
        signals.order_captured_in_part.disconnect(contradict)


# What the database refuses


class _State(Exception):
    sqlstate = "40001"


class _OldState(Exception):
    pgcode = "40P01"


def conflict(kind: object) -> OperationalError:
    """An error as the drivers raise it when a transaction has to be run again."""
    if isinstance(kind, int):
        return OperationalError(kind, "Deadlock found when trying to get lock")
    error = OperationalError("database is locked" if kind == "locked" else "could not serialize access")
    if isinstance(kind, type):
        error.__cause__ = kind()
    return error


CONFLICTS = [_State, _OldState, 1020, 1205, 1213, "locked"]


@pytest.mark.parametrize("kind", CONFLICTS)
def test_what_the_database_wants_repeated_is_repeated_from_the_rows_as_they_are(
    kind: object, waits: list[float], shop: Shop
) -> None:
    payment, lost = lost_capture(shop)
    with connection.execute_wrapper(Meddler(*EVENT, act=raising(conflict(kind)), times=4)):
        shop.ask(payment)
    assert booked(payment, lost) == ("APPROVED", 3000, 1, 1)
    assert state(payment)[0] == "PAID", "nothing of a run that was undone is counted"
    assert waits == [0.01, 0.02, 0.04, 0.08]


def test_an_order_that_the_database_refuses_within_the_shops_transaction_is_not_to_be_repeated(
    shop: Shop,
) -> None:
    """Only a key that another process has taken unseen goes away by a repetition."""
    refusing = Meddler("INSERT", "paymentorder", act=raising(IntegrityError("a CHECK says no")))
    with db_transaction.atomic(), connection.execute_wrapper(refusing), pytest.raises(IntegrityError):
        shop.order()


@pytest.mark.parametrize("table", ["paymentorder", "gatewaytransaction"])
def test_a_new_order_or_page_that_meets_too_many_conflicts_is_given_up_and_has_left_nothing(
    table: str, waits: list[float], shop: Shop
) -> None:
    order = shop.order()
    meddler = Meddler("INSERT", table, act=raising(conflict("locked")), times=5)
    with connection.execute_wrapper(meddler), pytest.raises(OperationalError):
        shop.order() if table == "paymentorder" else payments.start_checkout(order)
    assert sum(waits) == pytest.approx(0.15)
    assert (PaymentOrder.objects.count(), Payment.objects.count()) == (1, 0)


@pytest.mark.parametrize(
    "error",
    [OperationalError("no connection to db.shop.example as root"), InterfaceError("db.shop.example closed")],
    ids=["operational", "interface"],
)
@pytest.mark.parametrize("times", [1, 5])
def test_an_answer_of_the_gateway_outlasts_a_database_that_is_away(
    times: int, error: Exception, waits: list[float], shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    payment = shop.pay(type="preauthorization")
    meddler = Meddler(*EVENT, act=raising(error), times=0)

    def go_away(sent: Sent) -> tuple[int, object]:
        meddler.left = times
        return 200, approved(sent)

    shop.gateway.answers.append(go_away)
    with connection.execute_wrapper(meddler):
        capture = payments.capture(order_of(payment), FIVE)
    assert booked(payment, capture) == ("APPROVED", 500, 1, 1)
    assert waits == [0.5, 1.0, 2.0, 5.0, 10.0][:times]
    assert caplog.text.count("could not be stored yet") == times
    assert "shop.example" not in caplog.text


def test_patience_ends_and_the_outcome_is_found_by_a_query(waits: list[float], shop: Shop) -> None:
    payment = shop.pay(type="preauthorization")
    meddler = Meddler(*EVENT, act=raising(OperationalError("gone")), times=0)

    def go_away(sent: Sent) -> tuple[int, object]:
        meddler.left = 100
        return shop.gateway.approve(sent)

    shop.gateway.answers.append(go_away)
    with connection.execute_wrapper(meddler), pytest.raises(OperationalError):
        payments.capture(order_of(payment), FIVE)
    assert sum(waits) == 18.5
    capture = GatewayTransaction.objects.get(kind="CAPTURE")
    shop.clock.sleep(121)
    payments.sweep()
    shop.days(1)
    assert booked(payment, capture) == ("APPROVED", 500, 1, 1)


def test_nothing_is_sent_in_a_transaction_of_the_caller_or_where_nothing_would_be_committed(
    shop: Shop,
) -> None:
    payment, order = shop.pay(), shop.order()
    acts = (lambda: payments.refund(order_of(payment)), lambda: payments.start_checkout(order))
    for act in acts:
        with db_transaction.atomic(), pytest.raises(InsideTransaction, match="non_atomic_requests"):
            act()
    connection.set_autocommit(False)
    try:
        for act in acts:
            with pytest.raises(RuntimeError, match="autocommit is off"):
                act()
    finally:
        connection.rollback()
        connection.set_autocommit(True)
    for act in acts:
        with (
            override_settings(DATABASE_ROUTERS=[_Elsewhere()]),
            pytest.raises(RuntimeError, match="E004"),
        ):
            act()
    assert shop.gateway.sent == []
    assert GatewayTransaction.objects.count() == 1


class _Elsewhere:
    """A router that sends every row to another database."""

    def db_for_write(self, model: object, **hints: object) -> str:
        return "replica"

    def allow_relation(self, *rows: object, **hints: object) -> bool:
        return True


@pytest.mark.parametrize("refused", ["a row", "an answer"])
def test_what_cannot_be_stored_makes_one_tame_line_and_changes_nothing(
    refused: str, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    payment, lost = lost_capture(shop)
    error = IntegrityError(f"a CHECK says no\nDETAIL: Failing row contains (ada@example.com, {HOSTILE})")
    meddler = Meddler(*EVENT, act=raising(error), times=100 if refused == "a row" else 0)
    if refused == "an answer":
        said = {"code": "1", "details": {"message": HOSTILE}}
        shop.gateway.queries.append(lambda _: (400, said))
    shop.until(lost.next_query_at)
    with connection.execute_wrapper(meddler):
        (report,) = payments.sweep()
    assert report.queried == 1
    lines = [one.getMessage() for one in caplog.records if one.name.startswith("wallet_gateway")]
    assert lines
    for line in lines:
        assert line.isprintable(), line
        assert len(line) < 500
    assert "ada@" not in caplog.text
    assert booked(payment, lost) == ("UNKNOWN", 0, 0, 0)


# The threads of a process take turns to write to SQLite


only_sqlite = pytest.mark.skipif(
    connection.vendor != "sqlite", reason="the other databases queue their writers themselves"
)


@pytest.fixture
def writer(shop: Shop) -> Iterator[tuple[threading.Event, list[str]]]:
    """A thread that begins to write, with the turn to do so, until it is told to go on."""
    begun, go_on, results = threading.Event(), threading.Event(), list[str]()
    order = shop.order()

    def wait(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:  # noqa: ANN401 - Django's
        if sql.startswith("BEGIN"):
            begun.set()
            assert go_on.wait(PATIENCE)
        return execute(sql, *rest)

    def write() -> None:
        with connection.execute_wrapper(wait):
            results.append(payments.start_checkout(order).state)
        connection.close()

    thread = threading.Thread(target=write)
    thread.start()
    assert begun.wait(PATIENCE)
    yield go_on, results
    go_on.set()
    thread.join(PATIENCE)
    assert results[-1] == "OPEN"


@only_sqlite
def test_threads_that_write_to_sqlite_take_turns_and_never_find_it_busy(
    shop: Shop, writer: tuple[threading.Event, list[str]]
) -> None:
    go_on, results = writer
    order = shop.order()

    def second() -> None:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout = 0")
        results.append(payments.start_checkout(order).state)
        connection.close()

    thread = threading.Thread(target=second)
    thread.start()
    thread.join(0.2)
    assert not results, "the second writer waits for its turn"
    go_on.set()
    thread.join(PATIENCE)
    assert "OPEN" in results


@only_sqlite
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_that_is_forked_while_somebody_writes_has_a_turn_of_its_own(
    shop: Shop, writer: tuple[threading.Event, list[str]]
) -> None:
    order = shop.order()
    child = os.fork()
    if child == 0:
        try:
            os._exit(payments.start_checkout(order).state != "OPEN")
        finally:
            os._exit(2)
    for _ in range(int(PATIENCE * 100)):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        threading.Event().wait(0.01)
    else:
        os.kill(child, 9)
        os.waitpid(child, 0)
        pytest.fail("the child waits for a thread that it does not have")
    assert os.waitstatus_to_exitcode(status) == 0


def test_what_a_shop_does_after_our_commit_may_write_as_well(shop: Shop) -> None:
    def pay_on(order: PaymentOrder, **_: object) -> None:
        db_transaction.on_commit(lambda: payments.refund(order))

    signals.order_paid.connect(pay_on)
    try:
        payment = shop.pay()
    finally:
        signals.order_paid.disconnect(pay_on)
    assert state(payment)[0] == "REFUNDED"
