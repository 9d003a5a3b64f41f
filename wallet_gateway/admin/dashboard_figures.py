"""The statistics as tables: the source of the page, its charts and the CSV; and the main figures above them.

A cell has both the displayed text and the plain number, so that page, charts and CSV cannot differ.

A main figure stands beside the same one of the period before. A percentage is said only where it means
something: not where nothing was before. Shares are compared in percentage points, because "5 % more" of a
share can be read in two ways.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from wallet_gateway.admin.badges import Tone, tone_of
from wallet_gateway.domain.states import TransactionState, Way
from wallet_gateway.formats import (
    format_amount,
    format_money,
    format_number,
    format_percent,
    format_short_date,
)
from wallet_gateway.models.fields import label_of
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import escape_formula
from wallet_gateway.reports.exports import TEST_COLUMN, Echo, yes_or_no
from wallet_gateway.reports.statistics import BY_WAY, Counted, DayFigures, Figures, GatewayFigures

Label = str | Promise
NONE = "\N{EN DASH}"
ListUrl = Callable[[Counted, str], str]
"""Returns the URL of the list of what a figure in a currency counts; empty for no link."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MainFigure:
    """One figure at a glance."""

    label: Label
    text: str
    before: str
    """The same figure of the period before; empty if nothing is compared."""
    change: str = ""
    """The difference, such as `+12.5 %`; empty where it would mean nothing."""
    list_url: str = ""
    list_label: Label = ""


def main_figures(
    currency: str, rows: Sequence[DayFigures], before: Sequence[DayFigures], list_url: ListUrl
) -> tuple[MainFigure, ...]:
    """Return the main figures of days in one currency; `before` are the days to compare with."""
    found = []
    for label, figure, column, list_label in (
        (_("Taken"), Counted.TAKEN, "taken_minor", _("Approved transactions")),
        (_("Refunded"), Counted.REFUNDED, "refunded_minor", _("Approved refunds")),
    ):
        sums = [sum(getattr(row, column) for row in days) for days in (rows, before)]
        texts = [format_money(Money.from_minor_units(minor, currency)) for minor in sums]
        found.append(
            MainFigure(
                label=label,
                text=texts[0],
                before=texts[1],
                change=percent_change(*sums),
                list_url=list_url(figure, currency),
                list_label=list_label,
            )
        )
    for way in Way:
        now, then = rate(rows, way), rate(before, way)
        change = ""
        if now is not None and then is not None:
            points = round((now - then) * 100, 1)
            signed = _sign(points) + format_number(abs(points), decimals=1)
            change = _("%(points)s points") % {"points": signed}
        found.append(
            MainFigure(
                label=_("Approved: %(way)s") % {"way": label_of(way)},
                text=percent_text(now) or NONE,
                before=percent_text(then) or NONE,
                change=change,
                list_url=list_url(BY_WAY[way], currency),
                list_label=_("Approved ones"),
            )
        )
    means = [mean_seconds(days) for days in (rows, before)]
    texts = [NONE if seconds is None else format_number(seconds, decimals=1) for seconds in means]
    return (
        *found,
        MainFigure(
            label=_("Seconds to approval"), text=texts[0], before=texts[1], change=percent_change(*means)
        ),
    )


def rate(rows: Sequence[DayFigures], way: Way) -> float | None:
    """Return the share of approved attempts by one way of paying, 0 to 1; None if none was decided."""
    decided = sum(row.ways[way].decided for row in rows)
    return sum(row.ways[way].approved for row in rows) / decided if decided else None


def mean_seconds(rows: Sequence[DayFigures]) -> float | None:
    """Return the average time from the start of an attempt to its approval; None if none was approved."""
    timed = [(row.settled, row.seconds_to_settle) for row in rows if row.seconds_to_settle is not None]
    number = sum(settled for settled, _ in timed)
    return sum(settled * mean for settled, mean in timed) / number if number else None


def percent_text(share: float | None) -> str:
    """Return a share of 0 to 1 as a percentage in the reader's language; empty for None."""
    return "" if share is None else format_percent(share, decimals=1)


def percent_change(now: float | None, then: float | None) -> str:
    """Return by how many percent a figure has changed; empty if it was zero or unknown, or is unknown."""
    if now is None or not then:
        return ""
    change = round((now - then) / then, 3)
    return _sign(change) + format_percent(abs(change), decimals=1)


def _sign(number: float) -> str:
    return "+" if number > 0 else "\N{MINUS SIGN}" if number < 0 else "\N{PLUS-MINUS SIGN}"


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
    parts = []
    for code in figures.currencies:
        if only not in {"", code}:
            continue
        by_day = {row.day: row for row in figures.money if row.currency == code}
        rows = [by_day.get(day) or DayFigures(day=day, currency=code) for day in days]
        before = [row for row in figures.before if row.currency == code]
        parts.append(
            CurrencyPart(
                currency=code,
                glance=main_figures(code, rows, before, list_url) if list_url else (),
                tables=(_volume(code, rows), _approval(rows), _times(rows), _pages(rows)),
            )
        )
    return tuple(parts)


def _volume(currency: str, rows: Sequence[DayFigures]) -> Table:
    def cells(row: DayFigures) -> tuple[Cell, ...]:
        totals = (row.taken_minor, row.authorized_minor, row.refunded_minor, row.detached_minor)
        amounts = [Money.from_minor_units(minor, currency) for minor in totals]
        return tuple(Cell(format_amount(amount), amount.to_wire()) for amount in amounts)

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

    def cells(row: GatewayFigures) -> tuple[Cell, ...]:
        answers = (row.mean_ms, row.slowest_ms, row.exchanges, row.faults, row.server_errors)
        return tuple(map(_count, answers))

    by_day = {row.day: row for row in figures.gateway}
    rows = [
        by_day.get(day)
        or GatewayFigures(day=day, exchanges=0, faults=0, server_errors=0, mean_ms=None, slowest_ms=None)
        for day in days
    ]
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
        rows=_rows(rows, cells),
    )


def _rows(
    figures: Sequence[DayFigures] | Sequence[GatewayFigures], cells: Callable[..., tuple[Cell, ...]]
) -> tuple[Row, ...]:
    return tuple(Row(each.day, format_short_date(each.day), cells(each)) for each in figures)


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
