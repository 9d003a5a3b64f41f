"""Figures for the dashboard, each against a literal that was worked out by hand."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils.timezone import get_fixed_timezone

from tests.models.rows import a_deposit, a_payment, a_transaction, an_order
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.domain.ways_of_paying import Way
from wallet_gateway.models import GatewayTransaction, TransactionEvent
from wallet_gateway.queries.statistics import DayFigures, Figures, GatewayFigures, Period, figures

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]

K, S = TransactionKind, TransactionState
MAY = Period(first=date(2026, 5, 1), last=date(2026, 5, 31), zone=ZoneInfo("UTC"))
NOON = datetime(2026, 5, 17, 12, tzinfo=UTC)


def attempt(
    state: TransactionState = S.APPROVED,
    *,
    kind: TransactionKind = K.CHECKOUT,
    minor: int = 2000,
    currency: str = "EUR",
    began: datetime = NOON,
    took: int = 60,
    type_: str = "sale",
) -> GatewayTransaction:
    order = an_order(currency=currency, amount_minor=minor, type=type_)
    return a_transaction(
        a_payment(order),
        kind=kind,
        state=state,
        currency=currency,
        amount_minor=minor,
        approved_minor=minor if state is S.APPROVED else None,
        created_at=began,
        state_changed_at=began + timedelta(seconds=took),
    )


def follow_up(kind: TransactionKind, minor: int, **columns: Any) -> GatewayTransaction:
    given: dict[str, Any] = {
        "state": S.APPROVED,
        "approved_minor": minor,
        "amount_minor": minor,
        "created_at": NOON,
    }
    return a_transaction(kind=kind, **given | {"state_changed_at": NOON} | columns)


def test_the_period_before_is_as_long_and_counts_apart() -> None:
    attempt(minor=2000)
    attempt(minor=700, began=datetime(2026, 4, 30, 23, 58, tzinfo=UTC))
    attempt(minor=100, began=datetime(2026, 3, 31, 0, 0, tzinfo=UTC))
    attempt(minor=9999, began=datetime(2026, 3, 30, 23, 0, tzinfo=UTC))
    found = figures(MAY, compared=True)
    assert (MAY.before.first, MAY.before.last) == (date(2026, 3, 31), date(2026, 4, 30))
    assert [row.taken_minor for row in found.money] == [2000]
    assert [(str(row.day), row.taken_minor) for row in found.before] == [
        ("2026-03-31", 100),
        ("2026-04-30", 700),
    ]
    assert figures(MAY).before == ()


def the_day(found: Figures) -> DayFigures:
    (day,) = found.money
    return day


def test_sales_and_captures_are_taken_and_preauthorizations_only_reserved() -> None:
    attempt(minor=2000)
    attempt(minor=1050, kind=K.AUTHORIZATION)
    attempt(minor=7000, type_="preauthorization")
    follow_up(K.CAPTURE, 300)
    follow_up(K.REVERSAL, 9999)
    follow_up(K.CAPTURE, 9999, state=S.UNKNOWN, approved_minor=None)

    day = the_day(figures(MAY))

    assert (day.day, day.currency) == (date(2026, 5, 17), "EUR")
    assert str(day.money(day.taken_minor)) == "33.50 EUR"
    assert day.authorized_minor == 7000


def test_refunds_and_detached_refunds_count_what_was_approved() -> None:
    follow_up(K.REFUND, 500)
    follow_up(K.DETACHED_REFUND, 750, amount_minor=1000, deposit=a_deposit())
    day = the_day(figures(MAY))
    assert (day.taken_minor, day.refunded_minor, day.detached_minor) == (0, 500, 750)


def test_the_approval_rate_is_that_of_decided_attempts_by_way_of_paying() -> None:
    for state in (S.APPROVED, S.APPROVED, S.APPROVED, S.REJECTED, S.EXPIRED, S.OPEN, S.UNKNOWN):
        attempt(state)
    attempt(S.APPROVED, kind=K.AUTHORIZATION)
    attempt(S.REJECTED, kind=K.AUTHORIZATION)
    attempt(S.AWAITING_RESULT, kind=K.AUTHORIZATION)

    ways = the_day(figures(MAY)).ways

    assert (ways[Way.HOSTED_PAGE].approved, ways[Way.HOSTED_PAGE].decided) == (3, 4)
    assert ways[Way.HOSTED_PAGE].rate == 0.75
    assert ways[Way.WALLET_BUTTON].rate == 0.5


def test_where_nothing_was_decided_there_is_no_rate() -> None:
    attempt(S.EXPIRED)
    assert the_day(figures(MAY)).ways[Way.HOSTED_PAGE].rate is None


def test_the_time_to_settle_is_the_mean_of_all_approved_attempts() -> None:
    attempt(took=60)
    attempt(took=120, type_="preauthorization")
    attempt(took=30, kind=K.AUTHORIZATION)
    attempt(S.REJECTED, took=5000)
    follow_up(K.CAPTURE, 1)
    day = the_day(figures(MAY))
    assert (day.settled, day.seconds_to_settle) == (3, 70.0)


def test_an_attempt_counts_when_it_began_and_its_money_when_it_was_approved() -> None:
    attempt(began=datetime(2026, 5, 17, 23, 59, 30, tzinfo=UTC))
    first, second = figures(MAY).money
    assert (first.day.day, first.ways[Way.HOSTED_PAGE].approved, first.taken_minor) == (17, 1, 0)
    assert (second.day.day, second.ways[Way.HOSTED_PAGE].approved, second.taken_minor) == (18, 0, 2000)


def test_only_the_period_counts_its_last_day_included() -> None:
    for began in ("2026-04-30T23:58:00", "2026-05-01T00:00:00", "2026-05-31T23:58:00", "2026-06-01T00:00:00"):
        attempt(began=datetime.fromisoformat(began).replace(tzinfo=UTC))
    assert [str(day.day) for day in figures(MAY).money] == ["2026-05-01", "2026-05-31"]
    assert (len(MAY.days), str(MAY.days[-1])) == (31, "2026-05-31")


def test_days_are_those_of_the_time_zone() -> None:
    attempt(began=datetime(2026, 5, 17, 22, 30, tzinfo=UTC))
    berlin = Period(first=MAY.first, last=MAY.last, zone=ZoneInfo("Europe/Berlin"))
    assert str(the_day(figures(MAY)).day) == "2026-05-17"
    assert str(the_day(figures(berlin)).day) == "2026-05-18"


def test_days_are_those_of_an_offset_that_has_no_name() -> None:
    attempt(began=datetime(2026, 4, 30, 22, 30, tzinfo=UTC))
    attempt(began=datetime(2026, 4, 30, 21, 30, tzinfo=UTC))
    east = Period(first=MAY.first, last=MAY.last, zone=get_fixed_timezone(120))
    assert str(the_day(figures(east)).day) == "2026-05-01"


def exchange(kind: str, *, status: int | None, ms: int | None, at: datetime = NOON) -> None:
    transaction = GatewayTransaction.objects.first() or a_transaction()
    TransactionEvent.objects.create(
        transaction=transaction,
        kind=kind,
        state_after="OPEN",
        http_status=status,
        elapsed_ms=ms,
        occurred_at=at,
    )


def test_the_gateway_is_measured_by_its_answers_and_by_what_was_none() -> None:
    exchange("ANSWER", status=200, ms=100)
    exchange("RECORDS", status=200, ms=50)
    exchange("FAULT", status=503, ms=30)
    exchange("FAULT", status=None, ms=1020)
    exchange("DECISION", status=None, ms=None)
    exchange("ANSWER", status=200, ms=7, at=NOON + timedelta(days=1))

    assert figures(MAY).gateway == (
        GatewayFigures(
            day=date(2026, 5, 17), exchanges=4, faults=2, server_errors=1, mean_ms=300, slowest_ms=1020
        ),
        GatewayFigures(
            day=date(2026, 5, 18), exchanges=1, faults=0, server_errors=0, mean_ms=7, slowest_ms=7
        ),
    )
