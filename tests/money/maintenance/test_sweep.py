"""The sweep: what is due for each gateway is done once, and no row holds up another."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import DataError, IntegrityError, OperationalError, connection

from tests.support.database_faults import Meddler, meddling, raising
from tests.support.gateway import Killed, killing, record
from tests.support.shop import Shop, open_differences, order_of, reloaded, state
from wallet_gateway import payments
from wallet_gateway.models import (
    BatchState,
    GatewayTransaction,
    Job,
    JobPosition,
    OperationBatch,
    OperationBatchRow,
    OutboxEvent,
    Payment,
)
from wallet_gateway.payments.errors import GatewayUnreachable
from wallet_gateway.testing.plugin import WalletApplication

pytestmark = pytest.mark.django_db
FIVE = Decimal("5.00")
NOTHING: dict[str, int] = {}
SWEPT = JobPosition.objects.filter(job=Job.SWEEP)


def swept() -> dict[str, int]:
    """What a sweep of the one gateway did, without what it did nothing of."""
    (report,) = payments.sweep()
    did = {name: count for name, count in asdict(report).items() if name != "gateway" and count}
    assert report.did_something is bool(did)
    return did


def wait(shop: Shop, **by: float) -> None:
    shop.clock.by += timedelta(**by)


def paid_unknown_to_us(shop: Shop) -> Payment:
    """A page that a customer has paid; no query has been made yet."""
    payment = shop.begin()
    shop.report(payment, record(payment.reference))
    return payment


def die(shop: Shop, payment: Payment) -> GatewayTransaction:
    """Let the process die while a capture is out."""
    shop.gateway.answers.append(killing)
    with pytest.raises(Killed):
        payments.capture(order_of(payment), amount=FIVE)
    return payment.transactions.get(state="SENDING")


def unsent(shop: Shop, payment: Payment) -> GatewayTransaction:
    with shop.cut_off():
        return payments.capture(order_of(payment), amount=FIVE)


@pytest.mark.every_database
def test_a_sweep_does_what_is_due_once(shop: Shop) -> None:
    assert swept() == NOTHING
    page = paid_unknown_to_us(shop)
    die(shop, shop.pay(type="preauthorization"))
    unsent(shop, shop.pay(type="preauthorization"))
    wait(shop, seconds=125)
    assert swept() == {"leases_ended": 1, "queried": 1, "sent_again": 1}
    assert state(page) == ("PAID", False)


def test_a_lease_ends_after_two_minutes_and_not_before(shop: Shop) -> None:
    shop.clock.stop()
    die(shop, shop.pay(type="preauthorization"))
    wait(shop, seconds=120)
    assert "leases_ended" not in swept()
    wait(shop, milliseconds=1)
    assert [swept().get("leases_ended") for _ in range(2)] == [1, None]


def test_each_gateway_is_swept_by_itself_and_has_its_heartbeat(
    shop: Shop, wallet_application: WalletApplication
) -> None:
    usual = shop.settings.WALLET_GATEWAY["GATEWAYS"]["default"]
    shop.set(GATEWAYS={"default": usual, "second": usual})
    wallet_application(shop.gateway, alias="second")
    first = paid_unknown_to_us(shop)
    second = shop.begin(gateway="second")
    shop.report(second, record(second.reference))
    wait(shop, seconds=80)
    assert [(each.gateway, each.queried) for each in payments.sweep()] == [("default", 1), ("second", 1)]
    assert (state(first)[0], state(second)[0]) == ("PAID", "PAID")
    assert payments.maintenance.reconcile_due(gateway="second") == 0
    before = dict(SWEPT.values_list("gateway", "moved_at"))
    wait(shop, seconds=30)
    payments.sweep()
    after = dict(SWEPT.values_list("gateway", "moved_at"))
    assert {alias for alias in after if after[alias] - before[alias] >= timedelta(seconds=30)} == {
        "default",
        "second",
    }


# Pages of which nothing was sent


def test_a_page_of_which_nothing_was_sent_is_given_up_when_it_would_have_ended(shop: Shop) -> None:
    order = shop.order(cardholder_email="ada@example.com")
    shop.clock.stop()
    with shop.cut_off(), pytest.raises(GatewayUnreachable):
        payments.start_checkout(order)
    page = GatewayTransaction.objects.get()
    assert page.expires_at is not None
    assert "ada@example.com" in page.request_body
    shop.clock.by += page.expires_at - shop.clock.now() - timedelta(seconds=1)
    assert swept() == NOTHING
    wait(shop, seconds=1)
    assert [swept(), swept()] == [{"pages_given_up": 1}, NOTHING]

    assert reloaded(page).state == "ABANDONED"
    assert "ada@" not in page.request_body
    payment = Payment.objects.get()
    assert state(payment) == ("FAILED", True)
    assert not OutboxEvent.objects.exists(), "the customer has seen at once that no page was opened"
    again = payments.start_checkout(order_of(payment))
    assert (again.redirect_url != "", again.reference != page.reference) == (True, True)


# Rows that cannot be handled

Execute = Callable[..., Any]


@pytest.mark.parametrize(
    "fault", [IntegrityError("a CHECK says no"), DataError(), ValueError("NUL"), KeyError("new")], ids=repr
)
def test_a_row_that_cannot_be_handled_is_logged_and_does_not_hold_up_the_others(
    fault: Exception, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = paid_unknown_to_us(shop), paid_unknown_to_us(shop)
    transaction = GatewayTransaction.objects.get(reference=bad.reference)

    def stumble(execute: Execute, sql: str, parameters: Any, *given: Any) -> Any:  # noqa: ANN401
        if "INSERT INTO" in sql and "transactionevent" in sql and transaction.pk in parameters:
            raise fault
        return execute(sql, parameters, *given)

    wait(shop, seconds=80)
    with connection.execute_wrapper(stumble):
        assert swept()["queried"] == 2
    assert (state(good)[0], state(bad)[0]) == ("PAID", "OPEN")
    assert reloaded(transaction).needs_operator
    assert f"{bad.reference} could not be handled" in caplog.text
    assert type(fault).__name__ in caplog.text
    wait(shop, seconds=61)
    assert swept()["queried"] == 1, "it is due again, a minute later"
    assert state(bad)[0] == "PAID"


def test_a_settled_payment_whose_answer_cannot_be_recorded_is_shown_and_asked_about_each_hour(
    shop: Shop,
) -> None:
    payment = shop.pay()
    GatewayTransaction.objects.update(next_query_at=shop.clock.now())
    wait(shop, days=1)
    before = len(shop.gateway.asked)
    with connection.execute_wrapper(Meddler("UPDATE", "query_count", act=raising(KeyError("new")), times=9)):
        for seconds, asked in ((0, 1), (61, 1), (3600, 2)):
            wait(shop, seconds=seconds)
            payments.sweep()
            assert len(shop.gateway.asked) == before + asked
    (shown,) = open_differences()
    assert (shown.kind, state(payment)[0]) == ("RECORD_UNREADABLE", "PAID")
    assert "KeyError" in shown.explanation


def test_a_page_that_never_left_is_not_given_up_once_a_record_contradicts_that(shop: Shop) -> None:
    payment = order_of(shop.begin()).payments.get()
    row = GatewayTransaction.objects.filter(payment=payment)
    row.update(state="NOT_SENT", expires_at=shop.clock.now(), next_query_at=None)
    Payment.objects.update(state="OPEN")
    wait(shop, seconds=1)

    def contradict() -> None:
        shop.report(payment, record(payment.reference))
        payments.reconcile(order_of(payment), everything=True)

    with meddling("SAVEPOINT", act=contradict):
        payments.sweep()
    assert (row.get().state, state(payment)[0]) == ("ANOMALY", "FROZEN")


@pytest.mark.django_db(transaction=True)
def test_an_operational_error_of_one_row_does_not_hold_up_the_others_while_the_database_answers(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Between the tries to store an answer while the database seems to be away.
    monkeypatch.setattr(time, "sleep", lambda _: None)
    bad, good = paid_unknown_to_us(shop), paid_unknown_to_us(shop)
    key = GatewayTransaction.objects.get(reference=bad.reference).pk

    def run_too_long(execute: Execute, sql: str, parameters: Any, *given: Any) -> Any:  # noqa: ANN401
        if "INSERT INTO" in sql and "transactionevent" in sql and key in parameters:
            raise OperationalError("canceling statement due to statement timeout")
        return execute(sql, parameters, *given)

    wait(shop, seconds=80)
    with connection.execute_wrapper(run_too_long):
        assert swept()["queried"] == 2
    assert (state(good)[0], state(bad)[0]) == ("PAID", "OPEN")


@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_away_stops_the_sweep(shop: Shop) -> None:
    paid_unknown_to_us(shop)
    wait(shop, seconds=80)
    is_gone = False

    def die_at_the_first_event(execute: Execute, sql: str, *given: Any) -> Any:  # noqa: ANN401
        nonlocal is_gone
        is_gone = is_gone or ("INSERT INTO" in sql and "transactionevent" in sql)
        if is_gone:
            raise OperationalError("server closed the connection")
        return execute(sql, *given)

    with connection.execute_wrapper(die_at_the_first_event), pytest.raises(OperationalError):
        payments.sweep()


@pytest.mark.parametrize("left", ["a page", "a sender that died"])
def test_what_waits_at_a_gateway_that_is_gone_from_the_settings_is_said_loudly(
    left: str, shop: Shop, wallet_application: WalletApplication, caplog: pytest.LogCaptureFixture
) -> None:
    payment = shop.begin() if left == "a page" else shop.pay(type="preauthorization")
    if left != "a page":
        GatewayTransaction.objects.update(next_query_at=None)
        die(shop, payment)
    payments.sweep()
    assert "the settings do not name" not in caplog.text
    usual = shop.settings.WALLET_GATEWAY["GATEWAYS"]["default"]
    shop.set(GATEWAYS={"second": usual})
    wallet_application(shop.gateway, alias="second")
    payments.sweep()
    assert "1 transactions wait at gateway 'default', which the settings do not name" in caplog.text
    shop.set(GATEWAYS={"default": usual})


def test_drafts_that_nobody_confirmed_are_dropped_and_batches_stay(shop: Shop) -> None:
    shop.clock.stop()
    order = shop.order()
    for each in BatchState:
        given: dict[str, Any] = {"kind": "CAPTURE", "created_by": "anna", "created_at": shop.clock.now()}
        batch = OperationBatch.objects.create(**given, state=each)
        OperationBatchRow.objects.create(batch=batch, order=order, state="LEFT_OUT")
    wait(shop, days=7)
    payments.sweep()
    assert OperationBatch.objects.count() == len(BatchState)
    wait(shop, seconds=1)
    payments.sweep()
    assert not OperationBatch.objects.filter(state="DRAFT").exists()
    assert OperationBatchRow.objects.count() == OperationBatch.objects.count() == len(BatchState) - 1
