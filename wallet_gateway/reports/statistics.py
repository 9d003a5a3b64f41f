"""Statistics by day and currency for the dashboard: money, approvals, pages, times and gateway calls.

Three SQL statements for any range. Totals in different currencies are never added. Money counts on the day
of its approval, attempts and pages on the day they began.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

from django.db import connections
from django.db.models import Avg, Count, DateTimeField, ExpressionWrapper, F, Max, Q, QuerySet, Sum
from django.db.models.functions import TruncDate

from wallet_gateway.domain.states import WAY_OF, PaymentType, TransactionKind, TransactionState, Way
from wallet_gateway.models import GatewayTransaction, TransactionEvent, TransactionEventKind
from wallet_gateway.models.maintenance import not_tests
from wallet_gateway.protocol.codes import check_currency, stored_currency
from wallet_gateway.protocol.errors import UnknownCode
from wallet_gateway.protocol.money import Money

LONGEST_RANGE = timedelta(days=366)
"""The most days that statistics are shown of."""


class Counted(StrEnum):
    """A figure that counts approved transactions."""

    TAKEN = "TAKEN"
    RESERVED = "RESERVED"
    REFUNDED = "REFUNDED"
    DETACHED_REFUNDS = "DETACHED_REFUNDS"
    HOSTED_PAGE = "HOSTED_PAGE"
    WALLET_BUTTON = "WALLET_BUTTON"


BY_WAY: Mapping[Way, Counted] = MappingProxyType({way: Counted(way.value) for way in Way})
"""The figures of attempts to pay; the others are of money."""
_OPENS, _RESERVES = Q(kind__in=list(WAY_OF)), Q(payment_type=PaymentType.PREAUTHORIZATION)
_COUNTED = {
    Counted.TAKEN: Q(kind=TransactionKind.CAPTURE) | _OPENS & ~_RESERVES,
    Counted.RESERVED: _OPENS & _RESERVES,
    Counted.REFUNDED: Q(kind=TransactionKind.REFUND),
    Counted.DETACHED_REFUNDS: Q(kind=TransactionKind.DETACHED_REFUND),
    **{BY_WAY[way]: Q(kind=kind) for kind, way in WAY_OF.items()},
}


def transactions_of(figure: Counted) -> Q:
    """Return the condition of the transactions that a figure counts, whatever their day and currency.

    The figures add up these rows, and the admin lists them.
    """
    return Q(state=TransactionState.APPROVED) & _COUNTED[figure]


def day_column(figure: Counted) -> str:
    """Return the column of the day: attempts count on the day they began, money on that of its approval."""
    return "created_at" if figure in BY_WAY.values() else "state_changed_at"


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
    """The average time from the start of an attempt to its approval; None without one."""

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


def _day(column: str, period: Period) -> TruncDate:
    """Return the day of a time as a column.

    Databases spell a fixed offset, which is not a named time zone, in different ways, and MariaDB may have no
    time zone tables. Then it is the day by the UTC offset at the end of the period: wrong only by the hour of
    summer time.
    """
    database = connections[GatewayTransaction.objects.all().db]
    if isinstance(period.zone, ZoneInfo) and database.features.has_zoneinfo_database:
        return TruncDate(column, tzinfo=period.zone)
    offset = datetime.combine(period.last, time(12), period.zone).utcoffset() or timedelta()
    local = ExpressionWrapper(F(column) + offset, output_field=DateTimeField())
    return TruncDate(local, tzinfo=UTC)


_MINOR = F("approved_minor") - F("excess_minor")
_MONEY: Mapping[str, Any] = {
    "taken": Sum(_MINOR, filter=_COUNTED[Counted.TAKEN], default=0),
    "reserved": Sum(_MINOR, filter=_COUNTED[Counted.RESERVED], default=0),
    "refunded": Sum(_MINOR, filter=_COUNTED[Counted.REFUNDED], default=0),
    "detached": Sum(_MINOR, filter=_COUNTED[Counted.DETACHED_REFUNDS], default=0),
    "settled": Count("pk", filter=_OPENS),
    "took": Avg(F("state_changed_at") - F("created_at"), filter=_OPENS),
}
_ANSWERS: Mapping[str, Any] = {
    "exchanges": Count("*"),
    "faults": Count("occurred_at", filter=Q(kind=TransactionEventKind.FAULT)),
    "server_errors": Count("occurred_at", filter=Q(http_status__gte=500)),
    "mean_ms": Avg("elapsed_ms"),
    "slowest_ms": Max("elapsed_ms"),
}


def figures(period: Period, *, compared: bool = False, without_tests: bool = False) -> Figures:
    """Count and add up a period; money and attempts `compared` with the period before.

    `without_tests` leaves out payments that are tests; the answers of all gateways count.
    """
    only = not_tests() if without_tests else Q()
    span = replace(period, first=period.before.first) if compared else period
    attempts = GatewayTransaction.objects.filter(only, _OPENS, span.of("created_at"))
    approved = GatewayTransaction.objects.filter(
        only, span.of("state_changed_at"), state=TransactionState.APPROVED
    )
    kinds = (TransactionEventKind.ANSWER, TransactionEventKind.FAULT, TransactionEventKind.RECORDS)
    answers = TransactionEvent.objects.filter(period.of("occurred_at"), kind__in=kinds)
    days: dict[tuple[date, str], DayFigures] = {}
    currency_of = cache(_currency)

    def day_figures(row: Mapping[str, Any]) -> DayFigures:
        day, code = row["day"], row["currency"]
        return days.setdefault((day, code), DayFigures(day=day, currency=currency_of(code)))

    for row in _by_day(attempts, _day("created_at", span), "currency", "kind", "state", number=Count("*")):
        found, state, number = day_figures(row), TransactionState(row["state"]), row["number"]
        if row["kind"] == TransactionKind.CHECKOUT:
            found.pages[state] = number
        way = found.ways[WAY_OF[row["kind"]]]
        way.approved += number if state is TransactionState.APPROVED else 0
        way.decided += number if state in {TransactionState.APPROVED, TransactionState.REJECTED} else 0
    for row in _by_day(approved, _day("state_changed_at", span), "currency", **_MONEY):
        found = day_figures(row)
        found.taken_minor, found.authorized_minor = int(row["taken"]), int(row["reserved"])
        found.refunded_minor, found.detached_minor = int(row["refunded"]), int(row["detached"])
        found.settled = row["settled"]
        found.seconds_to_settle = row["took"].total_seconds() if row["settled"] else None
    gateway = [
        GatewayFigures(**row | {"mean_ms": None if row["mean_ms"] is None else round(row["mean_ms"])})
        for row in _by_day(answers, _day("occurred_at", period), **_ANSWERS)
    ]
    money = [days[key] for key in sorted(days)]
    return Figures(
        money=tuple(row for row in money if row.day >= period.first),
        before=tuple(row for row in money if row.day < period.first),
        gateway=tuple(sorted(gateway, key=lambda row: row.day)),
    )


def _by_day(rows: QuerySet[Any], day: TruncDate, *others: str, **measured: Any) -> Iterable[dict[str, Any]]:
    """Group rows by day and other columns, unsorted: the few resulting groups are sorted later."""
    grouped = rows.order_by().annotate(day=day).values("day", *others)
    found: Iterable[dict[str, Any]] = grouped.annotate(**measured)
    return found


def _currency(code: str) -> str:
    """Return the currency of a code; one that no table knows has the decimals of a row."""
    try:
        return check_currency(code)
    except UnknownCode:
        rows = GatewayTransaction.objects.filter(currency=code).order_by()
        return stored_currency(code, rows.values_list("exponent", flat=True)[0])
