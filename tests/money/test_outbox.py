"""What the shop is told: at least once, always under the same id, whatever receivers or processes do."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.db import transaction as db_transaction

from tests.support.gateway import Killed, record
from tests.support.nameless_receivers import nameless
from tests.support.shop import Shop, euros, of, order_of, state
from tests.support.shop_fixtures import Connect, Receiver, die
from wallet_gateway import payments, signals
from wallet_gateway.models import GatewayPause, OutboxEvent, PaymentOrder

__all__ = ["nameless"]
pytestmark = pytest.mark.django_db


def the_event() -> OutboxEvent:
    return OutboxEvent.objects.get()


# What is told


def test_a_payment_is_told_with_all_a_shop_needs(connect: Connect, shop: Shop) -> None:
    receiver = connect(signals.order_paid)
    payment = shop.pay(metadata={"cart": "77"})
    (told,) = receiver.told
    event = the_event()
    assert told["sender"] is PaymentOrder
    assert told["signal"] is signals.order_paid
    assert (told["order"], told["reference"]) == (order_of(payment), payment.order.reference)
    assert (told["order"].state, told["amount"]) == ("PAID", euros("30.00"))
    assert (told["event_id"], told["occurred_at"]) == (str(event.event_id), event.occurred_at)
    assert (event.order, event.transaction, event.amount) == (payment.order, payment.opening, told["amount"])
    assert (event.next_delivery_at, event.attempts) == (None, 1)
    assert event.delivered_at is not None
    assert type(told["metadata"]) is dict
    assert json.loads(json.dumps(told["metadata"])) == {"cart": "77"}


@pytest.mark.django_db(transaction=True)
def test_what_is_told_has_been_committed(connect: Connect, shop: Shop) -> None:
    seen: list[tuple[str, bool]] = []

    def look(order: PaymentOrder, **_: object) -> None:
        seen.append((PaymentOrder.objects.get(pk=order.pk).state, connection.in_atomic_block))

    connect(signals.order_paid, look)
    shop.pay()
    assert seen == [("PAID", False)]


@pytest.mark.parametrize(
    ("word", "heard"), [("Errored", {"order_failed": 1}), ("Pending", {}), (None, {"order_expired": 1})]
)
def test_the_end_of_an_attempt_is_told_once_and_what_is_undecided_is_not(
    word: str | None, heard: dict[str, int], connect: Connect, shop: Shop
) -> None:
    named = {name: connect(getattr(signals, name)) for name in vars(signals) if name.startswith("order_")}
    payment = shop.begin()
    if word:
        shop.report_and_ask(payment, record(payment.reference, state=word))
    shop.hours(1)
    assert {name: len(receiver.told) for name, receiver in named.items() if receiver.told} == heard


def test_a_page_that_fails_again_after_a_second_card_was_tried_is_told_once(
    connect: Connect, shop: Shop
) -> None:
    receiver, other = connect(signals.order_failed), shop.begin()
    shop.report_and_ask(other, record(other.reference, state="Errored"))
    payment = shop.begin()
    for word in ("Errored", "Pending", "Errored"):
        shop.report_and_ask(payment, record(payment.reference, state=word))
    assert [told["order"].pk for told in receiver.told] == [other.order_id, payment.order_id]


def test_the_life_of_a_preauthorization_is_told_step_by_step(connect: Connect, shop: Shop) -> None:
    named = {name: connect(getattr(signals, name)) for name in vars(signals) if name.startswith("order_")}
    payment = shop.pay(type="preauthorization")
    for operate, amount in (
        (payments.capture, "5.00"),
        (payments.capture, "25.00"),
        (payments.refund, "1.00"),
        (payments.refund, "29.00"),
    ):
        operate(order_of(payment), Decimal(amount))
    payments.reverse(order_of(shop.pay(type="preauthorization")))
    assert {name: receiver.amounts for name, receiver in named.items() if receiver.told} == {
        "order_authorized": ["30.00 EUR", "30.00 EUR"],
        "order_captured_in_part": ["5.00 EUR"],
        "order_paid": ["25.00 EUR"],
        "order_refunded": ["1.00 EUR", "29.00 EUR"],
        "order_reversed": ["30.00 EUR"],
    }
    ids = [event_id for receiver in named.values() for event_id in receiver.ids]
    assert len(set(ids)) == len(ids)


def test_a_refused_refund_of_an_earlier_providers_payment_is_told_without_an_order(
    connect: Connect, shop: Shop
) -> None:
    receiver = connect(signals.operation_refused)
    lost = shop.lose_answer(payments.refund_migrated, "OLD-1", Decimal("5.00"), "EUR")
    shop.report(lost, of(lost, state="Errored"))
    shop.sweep_when_due(lost)
    (told,) = receiver.told
    assert (told["order"], told["reference"], told["metadata"]) == (None, "", {})
    assert (told["kind"], told["transaction"]) == ("DETACHED_REFUND", lost)


# Receivers that fail


@pytest.mark.every_database
def test_a_receiver_that_raises_is_told_again_under_the_same_id(
    connect: Connect, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    failing, sound = connect(signals.order_paid, Receiver(failures=2)), connect(signals.order_paid)
    payment = shop.pay()
    assert state(payment)[0] == "PAID", "the shop's fault is not the payment's"
    event = the_event()
    assert (event.delivered_at, event.last_error) == (None, "ValueError")
    assert str(event.event_id) in caplog.text
    ours = [one.getMessage() for one in caplog.records if one.name.startswith("wallet_gateway")]
    assert not any("warehouse" in line for line in ours)
    for wait in (60, 120):
        assert event.next_delivery_at is not None
        assert abs((event.next_delivery_at - shop.clock.now()).total_seconds() - wait) < 5
        shop.until(event.next_delivery_at)
        payments.sweep()
        event.refresh_from_db()
    assert failing.ids == sound.ids == [str(event.event_id)] * 3
    assert (event.next_delivery_at, event.attempts) == (None, 3)


def test_a_receiver_that_never_takes_it_is_told_every_hour_in_the_end(connect: Connect, shop: Shop) -> None:
    connect(signals.order_paid, Receiver(failures=10_000))
    shop.pay()
    for _ in range(12):
        shop.until(the_event().next_delivery_at)
        assert payments.maintenance.deliver_events() == 0
    later = the_event().next_delivery_at
    assert later is not None
    assert timedelta(minutes=59) < later - shop.clock.now() <= timedelta(hours=1)
    assert the_event().attempts == 13


def test_a_receiver_may_refund_what_it_was_told_of(connect: Connect, shop: Shop) -> None:
    connect(signals.order_paid, lambda order, **_: payments.refund(order))
    payment = shop.pay()
    assert state(payment)[0] == "REFUNDED"
    delivered = OutboxEvent.objects.filter(delivered_at__isnull=False).order_by("pk")
    assert list(delivered.values_list("kind", flat=True)) == ["PAID", "REFUNDED"]


# Processes that die or lose their database while they tell


@pytest.mark.parametrize("times", [1, 2])
def test_a_process_that_dies_while_it_tells_leaves_the_event_to_the_sweep(
    times: int, connect: Connect, shop: Shop
) -> None:
    if times == 2:
        receiver = connect(signals.order_paid)
    connect(signals.order_paid, die)
    with pytest.raises(Killed):
        shop.pay()
    signals.order_paid.disconnect(die)
    if times == 1:
        receiver = connect(signals.order_paid)
    assert PaymentOrder.objects.get().state == "PAID"
    shop.clock.sleep(55)
    assert [report.events_delivered for report in payments.sweep()] == [0], "the process may live"
    shop.clock.sleep(6)
    assert [report.events_delivered for report in payments.sweep()] == [1]
    assert receiver.ids == [str(the_event().event_id)] * times


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("table", ["outboxevent", "ordermetadata"])
def test_a_delivery_that_the_database_fails_is_no_failed_payment_and_is_made_again(
    table: str, connect: Connect, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    receiver = connect(signals.order_paid)

    def fail(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:  # noqa: ANN401 - Django's
        if table in sql and sql.startswith(("UPDATE", "SELECT")):
            raise DatabaseError("server closed the connection")
        return execute(sql, *rest)

    with connection.execute_wrapper(fail):
        payment = shop.begin(metadata={"cart": "77"})
        assert shop.report_and_ask(payment, record(payment.reference)).state == "PAID"
    assert "delivered again later" in caplog.text
    shop.clock.sleep(61)
    payments.sweep()
    assert receiver.told[-1]["metadata"] == {"cart": "77"}
    assert set(receiver.ids) == {str(the_event().event_id)}
    assert the_event().delivered_at is not None


def untold(shop: Shop, number: int, connect: Connect) -> list[str]:
    """Pay orders in processes that die before they tell it; return the orders' references."""
    connect(signals.order_paid, die)
    for _ in range(number):
        with pytest.raises(Killed):
            shop.pay()
    signals.order_paid.disconnect(die)
    shop.clock.sleep(61)
    return list(PaymentOrder.objects.order_by("pk").values_list("reference", flat=True))


def test_a_worker_that_dies_holds_up_the_one_event_it_was_telling(connect: Connect, shop: Shop) -> None:
    references = untold(shop, 3, connect)
    connect(signals.order_paid, die)
    with pytest.raises(Killed):
        payments.maintenance.deliver_events()
    signals.order_paid.disconnect(die)
    receiver = connect(signals.order_paid)
    assert payments.maintenance.deliver_events() == 2
    assert [told["reference"] for told in receiver.told] == references[1:]


def test_an_event_that_is_told_late_comes_with_its_order_as_it_stands_by_then(
    connect: Connect, shop: Shop
) -> None:
    for signal in (signals.order_authorized, signals.order_captured_in_part):
        connect(signal, Receiver(failures=1))
    payment = shop.pay(type="preauthorization")
    payments.capture(order_of(payment), Decimal("5.00"))
    shop.clock.sleep(61)
    seen: list[str] = []
    connect(signals.order_authorized, lambda order, **_: payments.capture(order))
    connect(signals.order_captured_in_part, lambda order, **_: seen.append(order.state))
    payments.maintenance.deliver_events()
    assert seen == ["PAID"]


# Pauses


@pytest.mark.django_db(transaction=True)
def test_a_pause_is_told_after_the_commit_and_a_receiver_that_fails_keeps_nobody_from_it(
    connect: Connect, shop: Shop, nameless: Callable[..., object]
) -> None:
    connect(signals.sending_paused, nameless)
    receivers = [connect(signal) for signal in (signals.sending_paused, signals.sending_resumed)]
    with db_transaction.atomic():
        payments.maintenance.stop_sending("default", by="anna", reason="who is wrong?")
        assert receivers[0].told == []
    payments.maintenance.resume_sending("default", by="bert", reason="checked")
    said = [
        (told["sender"], told["gateway"], told["by"], told["reason"])
        for receiver in receivers
        for told in receiver.told
    ]
    assert said == [
        (GatewayPause, "default", "anna", "who is wrong?"),
        (GatewayPause, "default", "bert", "checked"),
    ]
