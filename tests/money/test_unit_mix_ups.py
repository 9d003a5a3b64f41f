"""Mix-ups of units: a customer's freezes one payment, one of our own operations stops all sending."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.support.gateway import answering, record
from tests.support.shop import OPERATIONS, Shop, kinds, news, of, open_differences, order_of, state
from tests.support.shop_fixtures import Connect
from wallet_gateway import payments, signals
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment
from wallet_gateway.payments.errors import SendingStopped

pytestmark = pytest.mark.django_db
QUARTER = timedelta(minutes=15)
FACTORS = pytest.mark.parametrize("factor", [100, 0.01], ids=["times 100", "divided by 100"])


@pytest.fixture
def said(connect: Connect, django_capture_on_commit_callbacks: Callable[..., Any]) -> Callable[..., Any]:
    """Give what does something and returns what was said about pauses."""
    heard: list[tuple[str, Any, str]] = []

    def hear(signal: object, gateway: str, by: str, **more: Any) -> None:
        name = "paused" if signal is signals.sending_paused else "resumed"
        heard.append((name, more.get("code"), by))
        assert gateway == "default"
        assert name == "resumed" or (more["until"] and more["reason"])

    def act(work: Callable[[], object]) -> list[tuple[str, Any, str]]:
        heard.clear()
        with django_capture_on_commit_callbacks(execute=True):
            work()
        return list(heard)

    connect(signals.sending_paused, hear)
    connect(signals.sending_resumed, hear)
    return act


def alarms(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [one.getMessage() for one in caplog.records if one.levelname == "ERROR"]


def close_all() -> None:
    for difference in open_differences():
        payments.approvals.close_discrepancy(difference, reason="their test", by="anna")


# One customer's odd record


def odd_page(shop: Shop, factor: float = 100) -> Payment:
    payment = shop.begin()
    shop.report_and_ask(payment, record(payment.reference, transactionAmount=round(30 * factor, 2)))
    return payment


@FACTORS
def test_records_of_pages_freeze_their_payments_and_the_second_one_is_an_alarm_and_sending_goes_on(
    factor: float, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    bystander = shop.pay()
    for payment in [odd_page(shop, factor) for _ in range(2)]:
        assert (state(payment), kinds(payment)) == (("FROZEN", False), {"UNIT_MIX_UP"})
    assert len(alarms(caplog)) == 1, "the second one within the hour is an alarm"
    assert not payments.maintenance.sending_pauses()
    assert shop.begin().redirect_url
    assert payments.refund(order_of(bystander)).state == "APPROVED"
    assert any("unit mix-ups" in finding.text and "2" in finding.text for finding in news())


@pytest.mark.parametrize(("minutes", "number"), [(58, 1), (61, 0)], ids=["within the hour", "later"])
def test_a_second_order_is_an_alarm_within_the_hour(
    minutes: int, number: int, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    odd_page(shop)
    shop.clock.by += timedelta(minutes=minutes)
    odd_page(shop)
    assert len(alarms(caplog)) == number


def test_one_that_a_person_has_closed_does_not_count(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    odd_page(shop)
    close_all()
    odd_page(shop)
    assert alarms(caplog) == []


# Operations whose reference no browser knows


KINDS = ["CAPTURE", "REFUND", "REVERSAL", "DETACHED_REFUND"]


def operation(shop: Shop, kind: str) -> GatewayTransaction:
    if kind == "DETACHED_REFUND":
        return payments.refund_migrated("OLD-1", Decimal("30.00"), "EUR")
    return OPERATIONS[kind](order_of(shop.pay_for(kind)))


def odd_operation(shop: Shop, kind: str = "REFUND", **fields: Any) -> GatewayTransaction:
    """Let a query show an operation of ours as carried out a hundredfold."""
    made = operation(shop, kind)
    shop.report(made, of(made, id=made.record_id or "G-1", **{"transactionAmount": 3000} | fields))
    seen_again(shop, made)
    return made


def seen_again(shop: Shop, made: GatewayTransaction) -> None:
    GatewayTransaction.objects.filter(pk=made.pk).update(next_query_at=shop.clock.now())
    shop.clock.sleep(1)
    payments.sweep()


@pytest.mark.parametrize(
    ("kind", "place", "amount"),
    [
        *((kind, "record", 3000) for kind in KINDS),
        ("REFUND", "record", 0.3),
        ("CAPTURE", "record", 0.3),
        ("DETACHED_REFUND", "answer", 3000),
    ],
)
def test_a_mix_up_of_an_operation_stops_all_sending_for_a_quarter_of_an_hour(
    kind: str, place: str, amount: float, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    paid = shop.pay()
    if place == "answer":
        shop.gateway.answers.append(answering(amount="3000.00"))
        assert operation(shop, kind).state == "ANOMALY"
    else:
        odd_operation(shop, kind, transactionAmount=amount)
    (pause,) = payments.maintenance.sending_pauses()
    assert (pause.gateway, pause.by) == ("default", "")
    assert pause.until is not None
    assert QUARTER - timedelta(seconds=9) < pause.until - shop.clock.now() <= QUARTER
    assert any("stopped for 15 minutes: unit mix-up" in line for line in alarms(caplog))
    assert any("nothing is sent to default" in finding.text for finding in news())
    sent = len(shop.gateway.sent)
    for act in (shop.begin, lambda: payments.refund(order_of(paid), Decimal("1.00"))):
        with pytest.raises(SendingStopped):
            act()
    assert len(shop.gateway.sent) == sent

    shop.until(pause.until)
    assert shop.begin().redirect_url
    assert payments.refund(order_of(paid), Decimal("1.00")).state == "APPROVED"
    assert kinds() == {"UNIT_MIX_UP"}, "it waits for a person all the same"


@pytest.mark.parametrize("kind", ["CHECKOUT", "REFUND", "REVERSAL"])
def test_what_was_declined_stops_nothing_however_mixed_up_its_units_are(
    kind: str, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        if kind == "CHECKOUT":
            payment = shop.begin()
            shop.report(payment, record(payment.reference, state="Errored", transactionAmount=3000))
        else:
            payment = shop.pay_for(kind)
            lost = shop.lose_answer(OPERATIONS[kind], order_of(payment))
            shop.report(lost, of(lost, state="Errored", transactionAmount=3000))
        caplog.clear()
        shop.ask(payment)
        assert alarms(caplog) == []
    assert not payments.maintenance.sending_pauses()
    assert not open_differences()


def test_a_pause_is_an_alarm_and_the_person_who_ends_it_is_named(
    shop: Shop, said: Callable[..., Any]
) -> None:
    assert said(lambda: odd_operation(shop)) == [("paused", "UNIT_MIX_UP", "")]
    assert said(close_all) == [("resumed", None, "anna")]
    assert payments.maintenance.sending_pauses() == ()


def test_a_person_who_decides_on_the_transaction_lifts_the_stop_until_it_is_shown_again(shop: Shop) -> None:
    shop.gateway.answers.append(answering(amount="3000.00"))
    made = operation(shop, "DETACHED_REFUND")
    payments.approvals.resolve(made, decision="DID_NOT_HAPPEN", reason="theirs", by="anna")
    assert payments.maintenance.sending_pauses() == ()
    shop.report(made, of(made, transactionAmount=3000))
    seen_again(shop, made)
    assert len(payments.maintenance.sending_pauses()) == 1


@pytest.mark.parametrize("by_then", ["the pause is over", "a person has stopped it"])
def test_nobody_hears_that_sending_goes_on_if_closing_the_mix_up_resumes_nothing(
    by_then: str, shop: Shop, said: Callable[..., Any]
) -> None:
    odd_operation(shop)
    if by_then == "the pause is over":
        shop.clock.by += timedelta(minutes=16)
    else:
        payments.maintenance.stop_sending("default", by="anna", reason="who is wrong?")
        shop.clock.by += timedelta(days=365)
    assert said(close_all) == []
    is_stopped = by_then == "a person has stopped it"
    assert len(payments.maintenance.sending_pauses()) == is_stopped, "closing lifts no person's stop"
    if is_stopped:
        payments.maintenance.resume_sending("default", by="anna", reason="mended")
    assert shop.begin().redirect_url


def test_seeing_it_again_does_not_prolong_the_stop(shop: Shop) -> None:
    made = odd_operation(shop)
    (before,) = payments.maintenance.sending_pauses()
    shop.clock.by += timedelta(minutes=10)
    seen_again(shop, made)
    assert Discrepancy.objects.count() == 1
    (pause,) = payments.maintenance.sending_pauses()
    assert pause.until == before.until
