"""The statistics as tables: the source of the page, its charts and the CSV.

A cell has both the displayed text and the plain number, so that page, charts and CSV cannot differ.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from wallet_gateway.admin.badges import Tone, tone_of
from wallet_gateway.admin.dashboard_comparison import (
    ListUrl,
    MainFigure,
    main_figures,
    mean_seconds,
    percent_text,
    rate,
)
from wallet_gateway.domain.states import TransactionState, Way
from wallet_gateway.formats import format_amount, format_number, format_short_date
from wallet_gateway.models.fields import label_of
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import escape_formula
from wallet_gateway.reports.exports import TEST_COLUMN, Echo, yes_or_no
from wallet_gateway.reports.statistics import DayFigures, Figures, GatewayFigures

Label = str | Promise


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


@dataclass(frozen=True, slots=True)
class Column:
    """The heading of a column, and what its colour says; None for nothing."""

    label: Label
    tone: Tone | None = None


PAGE_STATES = (TransactionState.APPROVED, TransactionState.REJECTED, TransactionState.EXPIRED)
"""The states shown separately; all others count as in progress or unclear."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One chart and the table with its data."""

    slug: str
    title: Label
    chart: str
    """`line`, `bar` or `stacked`."""
    unit: Label
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    total: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrencyPart:
    """All tables of one currency."""

    currency: str
    glance: tuple[MainFigure, ...]
    """The main figures; empty in a CSV."""
    tables: tuple[Table, ...]


def currency_parts(
    figures: Figures, days: Sequence[date], *, only: str = "", list_url: ListUrl | None = None
) -> tuple[CurrencyPart, ...]:
    """Build the tables of each currency, or of one; with `list_url` also the main figures and their links."""
    wanted = [code for code in figures.currencies if only in {"", code}]
    return tuple(_part(code, figures, days, list_url) for code in wanted)


def _part(currency: str, figures: Figures, days: Sequence[date], list_url: ListUrl | None) -> CurrencyPart:
    by_day = {row.day: row for row in figures.money if row.currency == currency}
    rows = [by_day.get(day) or DayFigures(day=day, currency=currency) for day in days]
    before = [row for row in figures.before if row.currency == currency]
    return CurrencyPart(
        currency=currency,
        glance=main_figures(currency, rows, before, list_url) if list_url else (),
        tables=(_volume(currency, rows), _approval(rows), _times(rows), _pages(rows)),
    )


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
        columns=tuple(map(Column, (_("Taken"), _("Reserved"), _("Refunded"), _("Detached refunds")))),
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
        columns=tuple(Column(label_of(way)) for way in Way),
        rows=_rows(rows, cells),
        total=tuple(_percent(rate(rows, way)) for way in Way),
    )


def _times(rows: Sequence[DayFigures]) -> Table:
    return Table(
        slug=f"settling-{rows[0].currency}",
        title=_("Time from start to approval"),
        chart="line",
        unit=_("seconds"),
        columns=(Column(_("Seconds, on average")),),
        rows=_rows(rows, lambda row: (_decimal(row.seconds_to_settle),)),
        total=(_decimal(mean_seconds(rows)),),
    )


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
        columns=(
            *(Column(label_of(state), tone_of(state)) for state in PAGE_STATES),
            Column(_("Open or in doubt"), Tone.WAIT),
        ),
        rows=_rows(rows, cells),
        total=cells(whole),
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
            Column(_("Milliseconds, on average")),
            Column(_("Slowest, in milliseconds")),
            Column(_("Requests and status queries")),
            Column(_("Without a usable answer"), Tone.WAIT),
            Column(_("HTTP 500 and above"), Tone.BAD),
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
    return tuple(Row(each.day, format_short_date(each.day), cells(each)) for each in figures)


def _money(minor: int, currency: str) -> Cell:
    money = Money.from_minor_units(minor, currency)
    return Cell(format_amount(money), money.to_wire())


def _count(number: int | None) -> Cell:
    return Cell("", "") if number is None else Cell(format_number(number), str(number))


def _percent(share: float | None) -> Cell:
    return Cell("", "") if share is None else Cell(percent_text(share), f"{share * 100:.1f}")


def _decimal(number: float | None) -> Cell:
    return Cell("", "") if number is None else Cell(format_number(number, decimals=1), f"{number:.1f}")


def csv_lines(parts: Sequence[CurrencyPart], gateway: Table, *, is_test: bool = False) -> Iterator[str]:
    """Yield all tables as one CSV: a line for each day, currency and figure; skip empty cells.

    `is_test` says in each line that no real money moved.
    """
    writer = csv.writer(Echo())
    yield writer.writerow(("day", "currency", "chart", "figure", "value", TEST_COLUMN))
    for currency, table in [
        *((part.currency, table) for part in parts for table in part.tables),
        ("", gateway),
    ]:
        for row in table.rows:
            for column, cell in zip(table.columns, row.cells, strict=True):
                if cell.value:
                    words = (currency, str(table.title), str(column.label))
                    cells = (row.day.isoformat(), *map(escape_formula, words), cell.value)
                    yield writer.writerow((*cells, yes_or_no(is_test)))
