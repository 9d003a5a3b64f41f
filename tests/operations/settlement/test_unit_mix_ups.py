"""Mix-ups of units in records: a customer's freezes one payment, one of our own operations stops sending."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.operations.aftermath import problems
from tests.operations.conftest import MakeOrder, Pay, Start, VirtualClock
from tests.operations.dying import scripted
from tests.operations.records import answer_of, record
from tests.operations.subjects import Subject
from wallet_gateway import signals
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment
from wallet_gateway.operations.approvals import resolve as resolutions
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import SendingStopped
from wallet_gateway.operations.follow_ups.capture_refund_reverse import refund
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import query_and_record, reconcile_attempt
from wallet_gateway.operations.sending import emergency_stop
from wallet_gateway.queries.pauses import sending_pauses

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hears_the_alarm")]
S = TransactionState
QUARTER = timedelta(minutes=15)
MixUp = Callable[..., GatewayTransaction]


# One customer's odd record


@pytest.fixture
def mix_up(open_page: Pay, context: GatewayContext) -> MixUp:
    """Let a status query show the page of a new customer's order, or a given one, as paid a hundredfold."""
    numbers = iter(range(1, 100))

    def see(payment: Payment | None = None) -> GatewayTransaction:
        payment = payment or open_page(cardholder=_customer(next(numbers)))
        odd = answer_of(record(payment.opening, "2000.00"))
        reconcile_attempt(reference=payment.reference, context=scripted(context, odd))
        return GatewayTransaction.objects.get(reference=payment.reference)

    return see


# Records of openings: an alarm, and no stop


def _customer(number: int) -> dict[str, str | None]:
    return {"cardholder_email": f"customer-{number}@example.com"}


@pytest.mark.parametrize(("minutes", "alarms"), [(59, 1), (61, 0)], ids=["within the hour", "later"])
def test_a_second_order_within_the_hour_is_an_alarm_and_stops_nothing(
    minutes: int, alarms: int, mix_up: MixUp, clock: VirtualClock, caplog: pytest.LogCaptureFixture
) -> None:
    mix_up()
    clock.advance(minutes=minutes)
    mix_up()
    errors = [one for one in caplog.records if one.levelname == "ERROR" and "2000.00" in one.getMessage()]
    assert len(errors) == alarms
    assert sending_pauses(clock.now()) == ()
    assert "open unit mix-ups, amounts that differ by a factor of ten or more: 2" in problems(clock)


def test_one_that_a_person_has_closed_does_not_count(
    mix_up: MixUp, context: GatewayContext, clock: VirtualClock, caplog: pytest.LogCaptureFixture
) -> None:
    mix_up()
    resolutions.close_discrepancy(
        Discrepancy.objects.get(), reason="one customer's trick", by="anna", context=context
    )
    mix_up()
    assert not [one for one in caplog.records if one.levelname == "ERROR"]


# Records whose reference no browser knows


@pytest.fixture
def own_mix_up(pay: Pay, context: GatewayContext) -> MixUp:
    """Let a status query show a refund of ours as carried out a hundredfold."""

    def see(given: GatewayTransaction | None = None) -> GatewayTransaction:
        row = given or refund(payment=pay(), context=context, amount=Decimal("5.00"))
        return query_and_record(row, context=scripted(context, answer_of(record(row, "500.00"))))

    return see


def test_a_record_of_an_earlier_providers_payment_is_no_customers_doing(
    deposit_refund: Subject, context: GatewayContext, clock: VirtualClock
) -> None:
    refund_of_deposit = deposit_refund.execute()
    odd = answer_of(record(refund_of_deposit, "500.00"))
    clock.advance_to(refund_of_deposit.next_query_at)
    sweep(context=scripted(context, odd))
    assert Discrepancy.objects.get().kind == "UNIT_MIX_UP"
    assert len(sending_pauses(clock.now())) == 1


@pytest.mark.parametrize("by_then", ["the pause is over", "a person has stopped it"])
def test_nobody_hears_that_sending_goes_on_if_closing_the_mix_up_resumes_nothing(
    by_then: str,
    own_mix_up: MixUp,
    context: GatewayContext,
    clock: VirtualClock,
    heard: list[dict[str, Any]],
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    own_mix_up()
    if by_then == "the pause is over":
        clock.advance(minutes=16)
    else:
        emergency_stop.stop_sending(context=context, by="anna", reason="who is wrong?")
    with django_capture_on_commit_callbacks(execute=True):
        for row in Discrepancy.objects.all():
            resolutions.close_discrepancy(row, reason="their test", by="anna", context=context)
    assert heard == []


def test_a_pause_is_an_alarm_and_a_person_who_ends_it_is_named(
    own_mix_up: MixUp,
    context: GatewayContext,
    clock: VirtualClock,
    heard: list[dict[str, Any]],
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        own_mix_up()
    (alarm,) = heard
    assert (alarm["gateway"], alarm["until"], alarm["code"], alarm["by"]) == (
        "default",
        clock.now() + QUARTER,
        "UNIT_MIX_UP",
        "",
    )
    assert alarm["reason"]
    with django_capture_on_commit_callbacks(execute=True):
        for row in Discrepancy.objects.all():
            resolutions.close_discrepancy(row, reason="their test", by="anna", context=context)
    assert [(told["signal"], told["by"]) for told in heard[1:]] == [(signals.sending_resumed, "anna")]


def test_a_refund_of_ours_carried_out_a_hundredfold_stops_all_sending_for_a_quarter_of_an_hour(
    own_mix_up: MixUp,
    make_order: MakeOrder,
    start: Start,
    pay: Pay,
    context: GatewayContext,
    clock: VirtualClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    paid = pay()
    own_mix_up()

    (pause,) = sending_pauses(clock.now())
    assert (pause.gateway, pause.by, pause.until) == ("default", "", clock.now() + QUARTER)
    assert "sending to default is stopped for 15 minutes: unit mix-up" in caplog.text
    assert "nothing is sent to default" in problems(clock)
    with pytest.raises(SendingStopped):
        start(make_order())
    with pytest.raises(SendingStopped):
        refund(payment=paid, context=context, amount=Decimal("1.00"))

    clock.advance(minutes=15, seconds=1)
    assert start(make_order()).is_open
    assert refund(payment=paid, context=context, amount=Decimal("1.00")).state == S.APPROVED
    assert "open unit mix-ups, amounts that differ by a factor of ten or more: 1" in problems(clock)


def test_seeing_it_again_does_not_prolong_the_stop(own_mix_up: MixUp, clock: VirtualClock) -> None:
    row = own_mix_up()
    ends = clock.now() + QUARTER
    clock.advance(minutes=10)
    own_mix_up(row)
    (pause,) = sending_pauses(clock.now())
    assert pause.until == ends
