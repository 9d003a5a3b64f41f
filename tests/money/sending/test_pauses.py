"""When nothing new is sent: at the gateway's word, after many unknowns, by setting, by a person's stop."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection

from tests.money.sending.movers import FOLLOW_UPS, OPERATIONS, mover
from tests.support.database_faults import meddling, raising
from tests.support.gateway import answering, losing, record, refusing
from tests.support.shop import Shop, order_of, state
from tests.support.shop_fixtures import Connect
from wallet_gateway import payments, signals
from wallet_gateway.models import GatewayPause, GatewayTransaction, PauseCode
from wallet_gateway.protocol.card_numbers import has_card_number

pytestmark = pytest.mark.django_db
WHY: dict[str, Any] = {"by": "anna", "reason": "amounts look wrong"}


def throttled(_: object) -> tuple[int, object]:
    return 429, {"code": "1", "details": {"message": "too many"}}


def limit_rate(shop: Shop, seconds: int) -> GatewayTransaction:
    """Let a capture be answered with a rate limit of so many seconds."""
    payment, shop.gateway.retry_after = shop.pay(type="preauthorization"), seconds
    shop.gateway.answers.append(throttled)
    limited = payments.capture(order_of(payment), Decimal("1.00"))
    shop.gateway.retry_after = None
    assert limited.state == "UNKNOWN"
    return limited


def lose(shop: Shop, times: int) -> None:
    for _ in range(times):
        payment = shop.pay()
        shop.lose_answer(payments.refund, order_of(payment), Decimal("1.00"))


@pytest.fixture
def told(shop: Shop, connect: Connect) -> list[dict[str, Any]]:
    """What the shop's receivers heard of pauses, in order, and the state of the latest request then."""
    said: list[dict[str, Any]] = []

    def hear(**given: Any) -> None:
        latest = GatewayTransaction.objects.order_by("pk").last()
        said.append(given | {"found": latest and latest.state})

    connect(signals.sending_paused, hear)
    connect(signals.sending_resumed, hear)
    return said


# Whatever stops it


def rate_limit(shop: Shop) -> Callable[[], object]:
    limited = limit_rate(shop, 120)
    assert limited.next_query_at is not None
    assert limited.next_query_at - shop.clock.now() > timedelta(seconds=119), "the question waits, too"
    shop.clock.by += timedelta(seconds=115)
    return lambda: shop.clock.sleep(6)


def switch_off(shop: Shop) -> Callable[[], object]:
    shop.configure(SENDING_ENABLED=False)
    return lambda: shop.configure(SENDING_ENABLED=True)


def stop_by_a_person(shop: Shop) -> Callable[[], object]:
    payments.maintenance.stop_sending("default", **WHY)
    return lambda: payments.maintenance.resume_sending("default", by="bob", reason="it was the test shop")


STOPS = [
    *((stop_by_a_person, name) for name in OPERATIONS),
    *((rate_limit, name) for name in ("capture", "authorization", "checkout")),
    *((switch_off, name) for name in ("refund", "detached_refund", "authorization", "checkout")),
]


@pytest.mark.every_database
@pytest.mark.parametrize(("stop", "name"), STOPS)
def test_while_sending_is_stopped_nothing_leaves_nothing_is_reserved_and_questions_go_on(
    stop: Callable[[Shop], Callable[[], object]], name: str, shop: Shop
) -> None:
    operation, page = mover(name, shop), shop.begin()
    resume = stop(shop)
    sent = len(shop.gateway.sent), len(shop.gateway.opened)
    with pytest.raises(payments.errors.SendingStopped):
        operation.execute()
    assert (len(shop.gateway.sent), len(shop.gateway.opened), operation.held()) == (*sent, 0)
    if stop is not rate_limit:
        shop.report_and_ask(page, record(page.reference))
        assert state(page)[0] == "PAID"

    resume()
    assert operation.execute().state == ("OPEN" if name == "checkout" else "APPROVED")


def test_a_longer_pause_is_not_shortened_by_a_later_one_and_told_once(
    shop: Shop, told: list[dict[str, Any]], django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        first, second = shop.pay(), shop.pay()
        shop.gateway.retry_after = 10

        def limit_in_between(_: object) -> tuple[int, object]:
            # Another request is answered while this one is out.
            shop.gateway.retry_after = 600
            shop.gateway.answers.append(throttled)
            payments.refund(order_of(second), Decimal("1.00"))
            shop.gateway.retry_after = 10
            return throttled(_)

        shop.gateway.answers.append(limit_in_between)
        payments.refund(order_of(first), Decimal("1.00"))
    pause = GatewayPause.objects.get()
    assert pause.sending_until is not None
    assert pause.sending_until - shop.clock.now() > timedelta(seconds=590)
    assert pause.pause_code == PauseCode.RETRY_AFTER
    assert len(told) == 1


def test_what_never_left_waits_for_the_end_of_a_pause(shop: Shop) -> None:
    operation = mover("capture", shop)
    with shop.cut_off():
        transaction = operation.execute()
    limit_rate(shop, 60)
    shop.until(transaction.next_send_at)
    assert payments.sweep()[0].sent_again == 0
    assert operation.requests(transaction) == []
    shop.clock.by += timedelta(seconds=61)
    assert payments.sweep()[0].sent_again == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ["reversal", "authorization", "checkout"])
def test_the_outcome_is_recorded_before_anybody_hears_of_the_pause(
    name: str, shop: Shop, told: list[dict[str, Any]]
) -> None:
    operation, shop.gateway.retry_after = mover(name, shop), 60
    operation.will(throttled)
    transaction = operation.execute()
    assert transaction.state == ("ABANDONED" if name == "checkout" else "UNKNOWN")
    assert [(said["found"], said["code"]) for said in told] == [(transaction.state, PauseCode.RETRY_AFTER)]


@pytest.mark.django_db(transaction=True)
def test_the_pause_is_in_force_while_the_outcome_is_recorded_and_told_of_if_that_fails(
    shop: Shop, told: list[dict[str, Any]]
) -> None:
    operation, shop.gateway.retry_after = mover("refund", shop), 60
    table = connection.ops.quote_name("wallet_gateway_gatewaytransaction")
    operation.will(throttled)
    with meddling(f"UPDATE {table}", act=raising(ZeroDivisionError())), pytest.raises(ZeroDivisionError):
        operation.execute()
    assert GatewayPause.objects.get().sending_until is not None
    assert [said["found"] for said in told] == ["SENDING"]


# After many unknown outcomes


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("before", "minutes", "last", "pauses"),
    [
        (2, 0, "lost", False),
        (3, 0, "lost", True),
        (3, 0, "odd currency", True),
        (3, 0, "refused", False),
        (3, 0, "approved", False),
        (3, 11, "lost", False),
    ],
)
def test_the_fourth_unknown_outcome_of_ten_minutes_pauses_new_requests_and_no_question(
    before: int, minutes: int, last: str, pauses: bool, shop: Shop
) -> None:
    operation = mover("capture", shop)
    lose(shop, before)
    shop.clock.by += timedelta(minutes=minutes)
    answer = {"lost": losing, "odd currency": answering(currencyCode="USD"), "refused": refusing(400)}
    operation.will(answer.get(last, shop.gateway.approve))
    if last == "refused":
        # It stays unknown, and yet the gateway has answered.
        shop.gateway.queries.append(lambda _: (200, b"no answer"))
    operation.execute()
    assert GatewayPause.objects.filter(sending_until__gt=shop.clock.now()).exists() is pauses
    if not pauses:
        return
    with pytest.raises(payments.errors.SendingStopped):
        payments.start_checkout(shop.order())
    shop.clock.by += timedelta(seconds=3)
    assert payments.sweep()[0].queried >= before
    shop.clock.by += timedelta(minutes=6)
    assert mover("refund", shop).execute().state == "APPROVED"


# A pause that begins meanwhile


@pytest.mark.every_database
@pytest.mark.parametrize("name", ["checkout", *FOLLOW_UPS])
def test_nothing_new_is_begun_once_another_process_has_paused(name: str, shop: Shop) -> None:
    operation = mover(name, shop)
    payments.start_checkout(shop.order())
    later = shop.clock.now() + timedelta(minutes=1)
    GatewayPause.objects.update_or_create(gateway="default", defaults={"sending_until": later})
    with pytest.raises(payments.errors.SendingStopped):
        operation.execute()


# A person's stop


def stopped_by() -> list[str]:
    return [pause.by for pause in payments.maintenance.sending_pauses()]


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("first", "second", "holder"),
    [(2, 1, "anna"), (1, 2, "bob"), (1, None, "bob"), (None, 1, "anna"), (None, None, "anna")],
)
def test_of_two_stops_the_one_that_lasts_longer_holds(
    first: int | None, second: int | None, holder: str, shop: Shop
) -> None:
    for by, hours in (("anna", first), ("bob", second)):
        until = None if hours is None else shop.clock.now() + timedelta(hours=hours)
        payments.maintenance.stop_sending("default", by=by, reason="drill", until=until)
    assert stopped_by() == [holder]
    if first and second:
        shop.clock.by += timedelta(hours=3)
        assert stopped_by() == []
        until = shop.clock.now() + timedelta(minutes=5)
        payments.maintenance.stop_sending("default", by="carla", reason="again", until=until)
        assert stopped_by() == ["carla"]


def test_a_stop_and_a_machines_pause_do_not_replace_each_other(shop: Shop) -> None:
    limit_rate(shop, 900)
    (pause,) = payments.maintenance.sending_pauses()
    assert (pause.by, pause.code, pause.until is not None) == ("", PauseCode.RETRY_AFTER, True)
    assert pause.reason.startswith("the gateway asks for time: ")
    payments.maintenance.stop_sending("default", **WHY)
    assert stopped_by() == ["anna"]
    shop.clock.by += timedelta(days=3000)
    assert stopped_by() == ["anna"]


def test_who_listens_hears_of_every_stop_and_of_its_end_once(
    shop: Shop, told: list[dict[str, Any]], django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    until = shop.clock.now() + timedelta(hours=2)
    with django_capture_on_commit_callbacks(execute=True):
        limit_rate(shop, 60)
        payments.maintenance.stop_sending("default", **WHY, until=until)
        payments.maintenance.stop_sending("default", **WHY, until=until)
        payments.maintenance.resume_sending("default", by="bob", reason="checked")
    heard = [(said["gateway"], said["by"], said.get("code")) for said in told]
    assert heard == [
        ("default", "", PauseCode.RETRY_AFTER),
        ("default", "anna", None),
        ("default", "bob", None),
    ]
    assert [said["reason"] for said in told[1:]] == ["amounts look wrong", "checked"]
    assert told[1]["until"] == until


@pytest.mark.parametrize("decide", ["stop_sending", "resume_sending"])
def test_a_card_number_in_a_reason_is_neither_stored_nor_logged(
    decide: str, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    if decide == "resume_sending":
        payments.maintenance.stop_sending("default", **WHY)
    getattr(payments.maintenance, decide)("default", by="anna", reason="like 4111.1111.1111.1111")
    rows = str(list(GatewayPause.objects.values_list("stop_reason", "resume_reason")))
    assert "like" in rows
    assert not has_card_number(rows + caplog.text)
