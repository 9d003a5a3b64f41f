"""Figures of the dashboard, each against a literal that was worked out by hand, and the lists behind them."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.admin.pages import DASHBOARD, listed, look
from tests.models.rows import a_deposit, a_payment, a_transaction, an_order
from wallet_gateway.domain.states import TransactionKind, TransactionState
from wallet_gateway.models import GatewayTransaction, TransactionEvent

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]

K, S = TransactionKind, TransactionState
MAY = {"first": "2026-05-01", "last": "2026-05-31"}
NOON = datetime(2026, 5, 17, 12, tzinfo=UTC)
SECONDS = "Seconds, on average"


def attempt(
    state: TransactionState = S.APPROVED,
    *,
    kind: TransactionKind = K.CHECKOUT,
    minor: int = 2000,
    currency: str = "EUR",
    began: datetime = NOON,
    took: int = 60,
    type_: str = "sale",
    gateway: str = "default",
) -> GatewayTransaction:
    order = an_order(currency=currency, amount_minor=minor, type=type_, gateway=gateway)
    return a_transaction(
        a_payment(order),
        kind=kind,
        gateway=gateway,
        state=state,
        currency=currency,
        amount_minor=minor,
        approved_minor=minor if state is S.APPROVED else None,
        created_at=began,
        state_changed_at=began + timedelta(seconds=took),
    )


def follow_up(kind: TransactionKind, minor: int, **columns: Any) -> GatewayTransaction:
    given: dict[str, Any] = {"state": S.APPROVED, "approved_minor": minor, "amount_minor": minor}
    return a_transaction(kind=kind, **given | {"created_at": NOON, "state_changed_at": NOON} | columns)


def exported(client: Client, **given: str) -> Iterator[dict[str, str]]:
    answer = client.get(f"{DASHBOARD}figures.csv", MAY | given)
    assert answer.status_code == 200
    yield from csv.DictReader(b"".join(answer).decode().splitlines())


def figures(client: Client, *, chart: str = "", **given: str) -> dict[tuple[str, str], str]:
    """Return the figures of a CSV that are not zero, by their day of the month and name."""
    found = [row for row in exported(client, **given) if chart in row["chart"]]
    assert len(found) == len({(row["day"], row["currency"], row["chart"], row["figure"]) for row in found})
    return {(row["day"][5:], row["figure"]): row["value"] for row in found if float(row["value"])}


def test_money_is_what_was_approved_in_major_units_and_reservations_stand_apart(admin_client: Client) -> None:
    attempt(minor=2000)
    attempt(minor=1050, kind=K.AUTHORIZATION)
    attempt(minor=7000, type_="preauthorization")
    attempt(minor=900, kind=K.AUTHORIZATION, type_="preauthorization")
    follow_up(K.CAPTURE, 300)
    follow_up(K.REVERSAL, 9999)
    follow_up(K.REFUND, 500, amount_minor=700, excess_minor=1)
    follow_up(K.DETACHED_REFUND, 750, amount_minor=1000, payment=None, deposit=a_deposit())
    for state in (S.UNKNOWN, S.REJECTED):
        attempt(state, minor=9999)
        follow_up(K.CAPTURE, 9999, state=state, approved_minor=None)
    expected = {
        ("05-17", "Taken"): "33.50",
        ("05-17", "Reserved"): "79.00",
        ("05-17", "Refunded"): "4.99",
        ("05-17", "Detached refunds"): "7.50",
    }
    assert figures(admin_client, chart="Volume") == expected
    total = {"Taken": "TAKEN", "Reserved": "RESERVED", "Refunded": "REFUNDED"}
    for figure, name in (total | {"Detached refunds": "DETACHED_REFUNDS"}).items():
        rows = listed(admin_client, "gatewaytransaction", {"counted": name} | BOTH)
        minor = sum(row.approved_minor - row.excess_minor for row in rows)
        assert f"{minor / 100:.2f}" == expected["05-17", figure], "the list behind a figure has its amounts"
    for way in ("HOSTED_PAGE", "WALLET_BUTTON"):
        assert len(listed(admin_client, "gatewaytransaction", {"counted": way} | BOTH)) == 2


BOTH = {"from": "2026-05-17", "to": "2026-05-17"}


def test_amounts_have_the_decimals_of_their_currency_and_no_cell_is_a_formula(admin_client: Client) -> None:
    attempt(minor=1234567, currency="KWD")
    attempt(minor=1234, currency="JPY")
    taken = {
        row["currency"]: row["value"]
        for row in exported(admin_client)
        if row["figure"] == "Taken" and float(row["value"])
    }
    assert taken == {"KWD": "1234.567", "JPY": "1234"}
    page = look(admin_client, f"{DASHBOARD}figures/", MAY)
    assert "KWD 1,234.567" in page
    assert 'data-value="1234.567"' in page
    of_yen = look(admin_client, f"{DASHBOARD}figures/", MAY | {"currency": "JPY"})
    assert ("¥1,234" in of_yen, "KWD 1,234.567" in of_yen) == (True, False)
    answer = admin_client.get(f"{DASHBOARD}figures.csv", MAY)
    assert answer["Content-Disposition"] == 'attachment; filename="figures-test-2026-05-01-2026-05-31.csv"'


def test_the_approval_rate_is_that_of_decided_attempts_by_way_of_paying(admin_client: Client) -> None:
    for state in (S.APPROVED, S.APPROVED, S.APPROVED, S.REJECTED, S.EXPIRED, S.OPEN, S.UNKNOWN):
        attempt(state)
    attempt(S.APPROVED, kind=K.AUTHORIZATION)
    attempt(S.REJECTED, kind=K.AUTHORIZATION)
    attempt(S.AWAITING_RESULT, kind=K.AUTHORIZATION)
    attempt(S.EXPIRED, began=NOON + timedelta(days=1))
    assert figures(admin_client, chart="Approval rate") == {
        ("05-17", "Hosted page"): "75.0",
        ("05-17", "Wallet button"): "50.0",
    }
    outcomes = figures(admin_client, chart="Outcomes")
    assert outcomes["05-17", "Open or in doubt"] == "2"
    assert outcomes["05-17", "Approved"] == "3"
    assert sum(map(int, outcomes.values())) == 8
    decided = [row for row in exported(admin_client) if row["day"] == "2026-05-18" and "rate" in row["chart"]]
    assert decided == [], "where nothing was decided there is no rate"


def test_the_time_to_settle_is_the_mean_of_all_approved_attempts(admin_client: Client) -> None:
    attempt(took=60)
    attempt(took=120, type_="preauthorization")
    attempt(took=30, kind=K.AUTHORIZATION)
    attempt(S.REJECTED, took=5000)
    follow_up(K.CAPTURE, 1)
    assert figures(admin_client, chart="Time from start") == {("05-17", SECONDS): "70.0"}


def test_an_attempt_counts_when_it_began_and_its_money_when_it_was_approved(admin_client: Client) -> None:
    sale = attempt(began=datetime(2026, 5, 17, 23, 59, 30, tzinfo=UTC))
    found = figures(admin_client)
    assert found["05-17", "Hosted page"] == "100.0"
    assert found["05-18", "Taken"] == "20.00"
    assert ("05-17", "Taken") not in found
    days = {day: {"from": f"2026-05-{day}", "to": f"2026-05-{day}"} for day in (17, 18)}
    for query, day in (
        ({"counted": "TAKEN"}, 18),
        ({"counted": "TAKEN", "currency": "EUR"}, 18),
        ({}, 17),
        ({"counted": "HOSTED_PAGE"}, 17),
        ({"counted": "x"}, 17),
    ):
        for each, dates in days.items():
            rows = listed(admin_client, "gatewaytransaction", query | dates)
            assert rows == [sale] * (each == day), (query, each)


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("UTC", ["05-01", "05-31"]),
        ("Europe/Berlin", ["05-01", "05-01", "05-31"]),
        ("Etc/GMT+2", ["05-31", "05-31"]),
    ],
)
def test_only_the_period_counts_in_the_days_of_the_time_zone_its_last_day_included(
    zone: str, expected: list[str], admin_client: Client
) -> None:
    for began in ("2026-04-30T22:30:00", "2026-05-01T00:00:00", "2026-05-31T21:58:00", "2026-06-01T00:00:00"):
        attempt(began=datetime.fromisoformat(began).replace(tzinfo=UTC))
    with timezone.override(zone):
        found = figures(admin_client, chart="Volume")
    counted = {"05-01": 0, "05-31": 0}
    for (day, figure), value in found.items():
        assert figure == "Taken"
        counted[day] += round(float(value) / 20)
    assert counted == {day: expected.count(day) for day in counted}


@pytest.mark.parametrize(
    ("now", "then", "said"),
    [
        (3000, 2000, "(+50.0%)"),
        (1000, 2000, "(\N{MINUS SIGN}50.0%)"),
        (2000, 2000, "(\N{PLUS-MINUS SIGN}0.0%)"),
        (2_000_000, 100, "(+1,999,900.0%)"),
        (2000, 0, ""),
    ],
)
def test_figures_stand_beside_those_of_as_many_days_before_with_a_percentage_where_it_means_something(
    now: int, then: int, said: str, admin_client: Client
) -> None:
    attempt(minor=now)
    if then:
        attempt(minor=then - 1, began=datetime(2026, 4, 30, 23, 58, tzinfo=UTC))
        attempt(minor=1, began=datetime(2026, 3, 31, 0, 0, tzinfo=UTC))
    attempt(minor=9999, began=datetime(2026, 3, 30, 23, 0, tzinfo=UTC))
    page = look(admin_client, f"{DASHBOARD}figures/", MAY)
    glance = page.text.partition("Taken ")[2].partition("Refunded")[0]
    assert f"before: €{then / 100:,.2f}" in glance
    assert said in glance
    assert bool(said) == ("%)" in glance)
    assert "Mar 31, 2026 to Apr 30, 2026" in page
    assert "Today is not over yet." not in page


def test_the_gateway_is_measured_by_its_answers_and_by_what_was_none(admin_client: Client) -> None:
    transaction = a_transaction()
    for kind, status, ms, days in (
        ("ANSWER", 200, 100, 0),
        ("RECORDS", 200, 50, 0),
        ("FAULT", 503, 30, 0),
        ("FAULT", None, 1020, 0),
        ("DECISION", None, None, 0),
        ("ANSWER", 200, 7, 1),
    ):
        TransactionEvent.objects.create(
            transaction=transaction,
            kind=kind,
            state_after="OPEN",
            http_status=status,
            elapsed_ms=ms,
            occurred_at=NOON + timedelta(days=days),
        )
    assert figures(admin_client, chart="answers") == {
        ("05-17", "Milliseconds, on average"): "300",
        ("05-17", "Slowest, in milliseconds"): "1020",
        ("05-17", "Requests and status queries"): "4",
        ("05-17", "Without a usable answer"): "2",
        ("05-17", "HTTP 500 and above"): "1",
        ("05-18", "Milliseconds, on average"): "7",
        ("05-18", "Slowest, in milliseconds"): "7",
        ("05-18", "Requests and status queries"): "1",
    }
