"""Statistics by day and currency for the dashboard: money, approvals, pages, times and gateway calls.

Three SQL statements for any range; one more on MariaDB without time zone tables. Totals in different
currencies are never added. Money counts on the day of its approval, attempts and pages on the day they began.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from operator import attrgetter
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Avg, Count, DateTimeField, ExpressionWrapper, F, Max, Q, QuerySet, Sum
from django.db.models.functions import TruncDate

from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.domain.ways_of_paying import WAY_OF, Way
from wallet_gateway.models import GatewayTransaction, TransactionEvent, TransactionEventKind
from wallet_gateway.models.test_rows import not_tests
from wallet_gateway.protocol.codes import check_currency, stored_currency
from wallet_gateway.protocol.errors import UnknownCode
from wallet_gateway.protocol.money import Money
from wallet_gateway.reports.counted import Counted, money_figure_of

LONGEST_RANGE = timedelta(days=366)
"""The most days that statistics are shown of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Whole days in one time zone, both ends included."""

    first: date
    last: date
    zone: tzinfo

    @property
    def days(self) -> tuple[date, ...]:
        """Return all days of the period."""
        return tuple(self.first + timedelta(days=n) for n in range((self.last - self.first).days + 1))

    @property
    def before(self) -> Period:
        """Return the period of the same number of days that ends on the day before."""
        length = self.last - self.first + timedelta(days=1)
        return Period(first=self.first - length, last=self.first - timedelta(days=1), zone=self.zone)

    def of(self, column: str) -> Q:
        """Return the condition that a time is within the period."""
        after = datetime.combine(self.last + timedelta(days=1), time(), self.zone)
        first = datetime.combine(self.first, time(), self.zone)
        return Q(**{f"{column}__gte": first, f"{column}__lt": after})


@dataclass(slots=True, kw_only=True)
class WayFigures:
    """The results of the payment attempts with one method."""

    approved: int = 0
    decided: int = 0
    """Approved and rejected attempts; an unused page says nothing about approval."""

    @property
    def rate(self) -> float | None:
        """Return the share of approved attempts, 0 to 1; None if none was decided."""
        return self.approved / self.decided if self.decided else None


@dataclass(slots=True, kw_only=True)
class DayFigures:
    """One day in one currency."""

    day: date
    currency: str
    taken_minor: int = 0
    """Sales and captures, in minor units."""
    authorized_minor: int = 0
    """Reserved by preauthorizations."""
    refunded_minor: int = 0
    detached_minor: int = 0
    """Refunds of payments of an earlier provider."""
    ways: dict[Way, WayFigures] = field(default_factory=lambda: {way: WayFigures() for way in Way})
    pages: dict[TransactionState, int] = field(default_factory=dict)
    """Hosted pages by current state."""
    settled: int = 0
    """Attempts to pay approved on this day."""
    seconds_to_settle: float | None = None
    """The average time from the start of an attempt to its approval."""

    def money(self, minor: int) -> Money:
        """Return one of the totals with its currency."""
        return Money.from_minor_units(minor, self.currency)


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayFigures:
    """The results of all gateway calls on one day, in all currencies."""

    day: date
    exchanges: int
    faults: int
    """Requests and status queries without a usable response."""
    server_errors: int
    """Responses with an HTTP status of 500 or above; most of them are faults, too."""
    mean_ms: int | None
    slowest_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """All statistics of a period; days without data are left out."""

    money: tuple[DayFigures, ...]
    """Sorted by day, then by currency."""
    gateway: tuple[GatewayFigures, ...]
    before: tuple[DayFigures, ...] = ()
    """The same of the period before, if it was asked for."""

    @property
    def currencies(self) -> tuple[str, ...]:
        """Return the currencies that have data."""
        return tuple(sorted({row.currency for row in (*self.money, *self.before)}))


def figures(
    period: Period, *, currency: str = "", compared: bool = False, without_tests: bool = False
) -> Figures:
    """Count and add up a period, for one currency if given; `compared` with the period before.

    `without_tests` leaves out payments that are tests; the answers of all gateways count.
    """
    only = Q(currency=currency) if currency else Q()
    if without_tests:
        only &= not_tests()
    span = replace(period, first=period.before.first) if compared else period
    if not isinstance(period.zone, ZoneInfo):
        # Databases spell a fixed offset, which is not a named time zone, in different ways.
        return _figures(period, span, only, _day_by_offset)
    try:
        return _figures(period, span, only, _day_in_zone)
    except _ZoneIsUnknown:
        return _figures(period, span, only, _day_by_offset)


Row = Mapping[str, Any]
DayOf = Callable[[str, Period], TruncDate]


class _ZoneIsUnknown(Exception):
    """The database has no time zone tables: MariaDB then returns NULL instead of the day."""


def _day_in_zone(column: str, period: Period) -> TruncDate:
    return TruncDate(column, tzinfo=period.zone)


def _day_by_offset(column: str, period: Period) -> TruncDate:
    """Return the day by the UTC offset at the end of the period: wrong only by the hour of summer time."""
    offset = datetime.combine(period.last, time(12), period.zone).utcoffset() or timedelta()
    local = ExpressionWrapper(F(column) + offset, output_field=DateTimeField())
    return TruncDate(local, tzinfo=UTC)


def _figures(period: Period, span: Period, only: Q, day_of: DayOf) -> Figures:
    """Count the gateway's answers in the period; money and attempts in the span, which may begin earlier."""
    days = _Days()
    began, approved = day_of("created_at", span), day_of("state_changed_at", span)
    for row in _by_day(_attempts(span).filter(only), _NUMBER, began, "currency", "kind", "state"):
        days.count_attempts(row)
    for row in _by_day(_approved(span).filter(only), _MONEY, approved, "currency", "kind", "payment_type"):
        days.add_money(row)
    answers = map(_gateway_day, _by_day(_exchanges(period), _ANSWERS, day_of("occurred_at", period)))
    rows = days.sorted()
    return Figures(
        money=tuple(row for row in rows if row.day >= period.first),
        before=tuple(row for row in rows if row.day < period.first),
        gateway=tuple(sorted(answers, key=attrgetter("day"))),
    )


def _by_day(rows: QuerySet[Any], measured: Measures, day: TruncDate, *others: str) -> Iterable[Row]:
    """Group rows by day and other columns, unsorted: the few resulting groups are sorted later."""
    found: Iterable[Row] = rows.order_by().annotate(day=day).values("day", *others).annotate(**measured)
    if any(row["day"] is None for row in found):
        raise _ZoneIsUnknown
    return found


Measures = Mapping[str, Any]
_NUMBER: Measures = {"number": Count("*")}
_MONEY: Measures = {
    **_NUMBER,
    "minor": Sum(F("approved_minor") - F("excess_minor")),
    "took": Avg(F("state_changed_at") - F("created_at")),
}
_ANSWERS: Measures = {
    **_NUMBER,
    "faults": Count("occurred_at", filter=Q(kind=TransactionEventKind.FAULT)),
    "server_errors": Count("occurred_at", filter=Q(http_status__gte=500)),
    "mean_ms": Avg("elapsed_ms"),
    "slowest_ms": Max("elapsed_ms"),
}


def _attempts(period: Period) -> QuerySet[GatewayTransaction]:
    return GatewayTransaction.objects.filter(period.of("created_at"), kind__in=list(WAY_OF))


def _approved(period: Period) -> QuerySet[GatewayTransaction]:
    return GatewayTransaction.objects.filter(period.of("state_changed_at"), state=TransactionState.APPROVED)


def _exchanges(period: Period) -> QuerySet[TransactionEvent]:
    kinds = (TransactionEventKind.ANSWER, TransactionEventKind.FAULT, TransactionEventKind.RECORDS)
    return TransactionEvent.objects.filter(period.of("occurred_at"), kind__in=kinds)


_COLUMN_OF = {
    Counted.TAKEN: "taken_minor",
    Counted.RESERVED: "authorized_minor",
    Counted.REFUNDED: "refunded_minor",
    Counted.DETACHED_REFUNDS: "detached_minor",
}


class _Days:
    """Collects the totals of each day."""

    def __init__(self) -> None:
        self._rows: dict[tuple[date, str], DayFigures] = {}
        self._currencies: dict[str, str] = {}
        self._took: dict[tuple[date, str], list[tuple[int, float]]] = defaultdict(list)

    def _of(self, row: Row) -> DayFigures:
        day, code = row["day"], row["currency"]
        if code not in self._currencies:
            self._currencies[code] = _currency(code)
        return self._rows.setdefault((day, code), DayFigures(day=day, currency=self._currencies[code]))

    def count_attempts(self, row: Row) -> None:
        """Add the number of attempts of one kind in one state."""
        figures, state, number = self._of(row), TransactionState(row["state"]), row["number"]
        if row["kind"] == TransactionKind.CHECKOUT:
            figures.pages[state] = number
        way = figures.ways[WAY_OF[row["kind"]]]
        if state is TransactionState.APPROVED:
            way.approved += number
        if state in {TransactionState.APPROVED, TransactionState.REJECTED}:
            way.decided += number

    def add_money(self, row: Row) -> None:
        """Add the approved amount of one kind."""
        figures, kind, minor = self._of(row), TransactionKind(row["kind"]), int(row["minor"] or 0)
        counted = money_figure_of(kind, row["payment_type"])
        if counted is not None:
            column = _COLUMN_OF[counted]
            setattr(figures, column, getattr(figures, column) + minor)
        if kind in WAY_OF:
            self._add_attempts(figures, row)

    def _add_attempts(self, figures: DayFigures, row: Row) -> None:
        took = self._took[figures.day, figures.currency]
        took.append((row["number"], row["took"].total_seconds()))
        figures.settled = sum(number for number, _ in took)
        figures.seconds_to_settle = sum(number * mean for number, mean in took) / figures.settled

    def sorted(self) -> tuple[DayFigures, ...]:
        """Return the days in order."""
        return tuple(self._rows[key] for key in sorted(self._rows))


def _currency(code: str) -> str:
    """Return the currency of a code; one that no table knows has the decimals of a row."""
    try:
        return check_currency(code)
    except UnknownCode:
        rows = GatewayTransaction.objects.filter(currency=code).order_by()
        return stored_currency(code, rows.values_list("exponent", flat=True)[0])


def _gateway_day(row: Row) -> GatewayFigures:
    mean = row["mean_ms"]
    return GatewayFigures(
        day=row["day"],
        exchanges=row["number"],
        faults=row["faults"],
        server_errors=row["server_errors"],
        mean_ms=None if mean is None else round(mean),
        slowest_ms=row["slowest_ms"],
    )
