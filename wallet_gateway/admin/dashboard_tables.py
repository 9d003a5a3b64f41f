"""The statistics as tables: the source of the page, its charts and the CSV.

A cell has both the displayed text and the plain number, so that page, charts and CSV cannot differ.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models.labels import label_of
from wallet_gateway.money_format import format_amount
from wallet_gateway.number_format import format_number, format_percent
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import escape_formula
from wallet_gateway.queries.exports import Echo
from wallet_gateway.queries.statistics import DayFigures, Figures, GatewayFigures, Way

Label = str | Promise
NONE = "\N{EN DASH}"
WAYS: dict[Way, Label] = {
    Way.REDIRECT: gettext_lazy("Hosted page"),
    Way.BUTTON: gettext_lazy("Wallet button"),
}
PAGE_STATES = (TransactionState.APPROVED, TransactionState.REJECTED, TransactionState.EXPIRED)
"""The states shown separately; all others count as in progress or unclear."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure as displayed text and as a plain number; empty where there is no value."""

    text: str
    value: str


@dataclass(frozen=True, slots=True)
class Row:
    """One day."""

    day: date
    label: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One chart and the table with its data."""

    slug: str
    title: Label
    chart: str
    """`line`, `bar` or `stacked`."""
    unit: Label
    columns: tuple[Label, ...]
    rows: tuple[Row, ...]
    total: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrencyPart:
    """All tables of one currency."""

    currency: str
    glance: tuple[tuple[Label, str], ...]
    tables: tuple[Table, ...]


def currency_parts(figures: Figures, days: Sequence[date], *, only: str = "") -> tuple[CurrencyPart, ...]:
    """Build the tables of each currency, or of one."""
    wanted = [code for code in figures.currencies if only in {"", code}]
    return tuple(_part(code, figures, days) for code in wanted)


def _part(currency: str, figures: Figures, days: Sequence[date]) -> CurrencyPart:
    by_day = {row.day: row for row in figures.money if row.currency == currency}
    rows = [by_day.get(day) or DayFigures(day=day, currency=currency) for day in days]
    tables = (_volume(currency, rows), _approval(rows), _times(rows), _pages(rows))
    return CurrencyPart(currency=currency, glance=_glance(currency, rows), tables=tables)


def _volume(currency: str, rows: Sequence[DayFigures]) -> Table:
    def cells(row: DayFigures) -> tuple[Cell, ...]:
        totals = (row.taken_minor, row.authorized_minor, row.refunded_minor, row.detached_minor)
        return tuple(_money(minor, currency) for minor in totals)

    whole = DayFigures(
        day=rows[0].day,
        currency=currency,
        taken_minor=sum(row.taken_minor for row in rows),
        authorized_minor=sum(row.authorized_minor for row in rows),
        refunded_minor=sum(row.refunded_minor for row in rows),
        detached_minor=sum(row.detached_minor for row in rows),
    )
    return Table(
        slug=f"volume-{currency}",
        title=_("Volume and refunds"),
        chart="bar",
        unit=currency,
        columns=(_("Taken"), _("Reserved"), _("Refunded"), _("Detached refunds")),
        rows=_rows(rows, cells),
        total=cells(whole),
    )


def _approval(rows: Sequence[DayFigures]) -> Table:
    def cells(row: DayFigures) -> tuple[Cell, ...]:
        return tuple(_percent(row.ways[way].rate) for way in Way)

    return Table(
        slug=f"approval-{rows[0].currency}",
        title=_("Approval rate by way of paying"),
        chart="line",
        unit="%",
        columns=tuple(WAYS[way] for way in Way),
        rows=_rows(rows, cells),
        total=tuple(_percent(_rate(rows, way)) for way in Way),
    )


def _rate(rows: Iterable[DayFigures], way: Way) -> float | None:
    decided = sum(row.ways[way].decided for row in rows)
    return sum(row.ways[way].approved for row in rows) / decided if decided else None


def _times(rows: Sequence[DayFigures]) -> Table:
    return Table(
        slug=f"settling-{rows[0].currency}",
        title=_("Time from start to approval"),
        chart="line",
        unit=_("seconds"),
        columns=(_("Seconds, on average"),),
        rows=_rows(rows, lambda row: (_decimal(row.seconds_to_settle),)),
        total=(_decimal(_mean_seconds(rows)),),
    )


def _mean_seconds(rows: Iterable[DayFigures]) -> float | None:
    timed = [(row.settled, row.seconds_to_settle) for row in rows if row.seconds_to_settle is not None]
    number = sum(settled for settled, _ in timed)
    return sum(settled * mean for settled, mean in timed) / number if number else None


def _pages(rows: Sequence[DayFigures]) -> Table:
    def cells(row: DayFigures) -> tuple[Cell, ...]:
        shown = [row.pages.get(state, 0) for state in PAGE_STATES]
        return tuple(map(_count, [*shown, sum(row.pages.values()) - sum(shown)]))

    whole = DayFigures(day=rows[0].day, currency=rows[0].currency)
    for row in rows:
        for state, number in row.pages.items():
            whole.pages[state] = whole.pages.get(state, 0) + number
    return Table(
        slug=f"pages-{rows[0].currency}",
        title=_("Outcomes of hosted pages"),
        chart="stacked",
        unit=_("pages"),
        columns=(*map(label_of, PAGE_STATES), _("Open or in doubt")),
        rows=_rows(rows, cells),
        total=cells(whole),
    )


def _glance(currency: str, rows: Sequence[DayFigures]) -> tuple[tuple[Label, str], ...]:
    taken, refunded = (sum(getattr(row, name) for row in rows) for name in ("taken_minor", "refunded_minor"))
    rates = tuple((WAYS[way], _rate(rows, way)) for way in Way)
    return (
        (_("Taken"), str(Money.from_minor_units(taken, currency))),
        (_("Refunded"), str(Money.from_minor_units(refunded, currency))),
        *((_("Approved: %(way)s") % {"way": way}, _percent(rate).text or NONE) for way, rate in rates),
        (_("Seconds to approval"), _decimal(_mean_seconds(rows)).text or NONE),
    )


def gateway_table(figures: Figures, days: Sequence[date]) -> Table:
    """Build the table of gateway responses: one table only, because a response has no currency."""
    by_day = {row.day: row for row in figures.gateway}
    rows = [by_day.get(day) or _silent(day) for day in days]
    return Table(
        slug="gateway",
        title=_("The gateway's answers"),
        chart="mixed",
        unit=_("milliseconds"),
        columns=(
            _("Milliseconds, on average"),
            _("Slowest, in milliseconds"),
            _("Requests and status queries"),
            _("Without a usable answer"),
            _("HTTP 500 and above"),
        ),
        rows=_rows(rows, _answers),
    )


def _silent(day: date) -> GatewayFigures:
    return GatewayFigures(day=day, exchanges=0, faults=0, server_errors=0, mean_ms=None, slowest_ms=None)


def _answers(row: GatewayFigures) -> tuple[Cell, ...]:
    mean = row.mean_ms
    return tuple(map(_count, (mean, row.slowest_ms, row.exchanges, row.faults, row.server_errors)))


def _rows(
    figures: Sequence[DayFigures] | Sequence[GatewayFigures], cells: Callable[..., tuple[Cell, ...]]
) -> tuple[Row, ...]:
    return tuple(Row(each.day, date_format(each.day, "SHORT_DATE_FORMAT"), cells(each)) for each in figures)


def _money(minor: int, currency: str) -> Cell:
    money = Money.from_minor_units(minor, currency)
    return Cell(format_amount(money), money.to_wire())


def _count(number: int | None) -> Cell:
    return Cell("", "") if number is None else Cell(format_number(number), str(number))


def _percent(rate: float | None) -> Cell:
    return Cell("", "") if rate is None else Cell(format_percent(rate, decimals=1), f"{rate * 100:.1f}")


def _decimal(number: float | None) -> Cell:
    return Cell("", "") if number is None else Cell(format_number(number, decimals=1), f"{number:.1f}")


def csv_lines(parts: Sequence[CurrencyPart], gateway: Table) -> Iterator[str]:
    """Yield all tables as one CSV: a line for each day, currency and figure; skip empty cells."""
    writer = csv.writer(Echo())
    yield writer.writerow(("day", "currency", "chart", "figure", "value"))
    for currency, table in [
        *((part.currency, table) for part in parts for table in part.tables),
        ("", gateway),
    ]:
        for row in table.rows:
            for column, cell in zip(table.columns, row.cells, strict=True):
                if cell.value:
                    words = (currency, str(table.title), str(column))
                    yield writer.writerow((row.day.isoformat(), *map(escape_formula, words), cell.value))
