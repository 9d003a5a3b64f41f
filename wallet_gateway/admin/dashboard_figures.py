"""The statistics as tables: the source of the page, its charts and the CSV; and the main figures above them.

A cell has both the displayed text and the plain number, so that page, charts and CSV cannot differ.

A main figure stands beside the same one of the period before. A percentage is said only where it means
something: not where nothing was before. Shares are compared in percentage points, because "5 % more" of a
share can be read in two ways.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from wallet_gateway.protocol.text import escape_formula
from wallet_gateway.reports.exports import TEST_COLUMN, Echo, yes_or_no
from wallet_gateway.reports.statistics import BY_WAY, Counted, DayFigures, Figures, GatewayFigures

Label = str | Promise
NONE = "\N{EN DASH}"
ListUrl = Callable[[Counted, str], str]
"""Returns the URL of the list of what a figure in a currency counts; empty for no link."""


def whole_of(rows: Iterable[DayFigures], currency: str) -> DayFigures:
    """Return the figures of all days together; the time to approval is the average over all attempts."""
    whole, seconds = DayFigures(day=date.min, currency=currency), 0.0
    for row in rows:
        whole.taken_minor += row.taken_minor
        whole.authorized_minor += row.authorized_minor
        whole.refunded_minor += row.refunded_minor
        whole.detached_minor += row.detached_minor
        for way, figures in row.ways.items():
            whole.ways[way].approved += figures.approved
            whole.ways[way].decided += figures.decided
        for state, number in row.pages.items():
            whole.pages[state] = whole.pages.get(state, 0) + number
        if row.seconds_to_settle is not None:
            whole.settled += row.settled
            seconds += row.settled * row.seconds_to_settle
    whole.seconds_to_settle = seconds / whole.settled if whole.settled else None
    return whole


def main_figures(now: DayFigures, then: DayFigures, list_url: ListUrl) -> Iterator[dict[str, object]]:
    """Yield the main figures of some days in one currency, compared with those of the days before.

    The change is empty where it would mean nothing.
    """
    for label, figure, minor, before, list_label in (
        (_("Taken"), Counted.TAKEN, now.taken_minor, then.taken_minor, _("Approved transactions")),
        (_("Refunded"), Counted.REFUNDED, now.refunded_minor, then.refunded_minor, _("Approved refunds")),
    ):
        yield {
            "label": label,
            "text": format_money(now.money(minor)),
            "before": format_money(now.money(before)),
            "change": percent_change(minor, before),
            "list_url": list_url(figure, now.currency),
            "list_label": list_label,
        }
    for way in Way:
        rate, rate_before = now.ways[way].rate, then.ways[way].rate
        change = ""
        if rate is not None and rate_before is not None:
            points = round((rate - rate_before) * 100, 1)
            change = _("%(points)s points") % {
                "points": _sign(points) + format_number(abs(points), decimals=1)
            }
        yield {
            "label": _("Approved: %(way)s") % {"way": label_of(way)},
            "text": percent_text(rate) or NONE,
            "before": percent_text(rate_before) or NONE,
            "change": change,
            "list_url": list_url(BY_WAY[way], now.currency),
            "list_label": _("Approved ones"),
        }
    means = (now.seconds_to_settle, then.seconds_to_settle)
    texts = [NONE if seconds is None else format_number(seconds, decimals=1) for seconds in means]
    change = percent_change(*means)
    yield {"label": _("Seconds to approval"), "text": texts[0], "before": texts[1], "change": change}


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
    glance: tuple[dict[str, object], ...]
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
        now = whole_of(rows, code)
        then = whole_of((row for row in figures.before if row.currency == code), code)
        parts.append(
            CurrencyPart(
                currency=code,
                glance=tuple(main_figures(now, then, list_url)) if list_url else (),
                tables=tuple(_tables(rows, now)),
            )
        )
    return tuple(parts)


def _tables(rows: Sequence[DayFigures], whole: DayFigures) -> Iterator[Table]:
    """Yield the tables of one currency."""

    def table(
        slug: str,
        title: str,
        chart: str,
        unit: str,
        columns: Iterable[Column],
        cells: Callable[[DayFigures], tuple[Cell, ...]],
    ) -> Table:
        return Table(
            slug=f"{slug}-{whole.currency}",
            title=title,
            chart=chart,
            unit=unit,
            columns=tuple(columns),
            rows=_rows(rows, cells),
            total=cells(whole),
        )

    def volume(row: DayFigures) -> tuple[Cell, ...]:
        totals = (row.taken_minor, row.authorized_minor, row.refunded_minor, row.detached_minor)
        return tuple(Cell(format_amount(amount), amount.to_wire()) for amount in map(row.money, totals))

    def pages(row: DayFigures) -> tuple[Cell, ...]:
        shown = [row.pages.get(state, 0) for state in PAGE_STATES]
        return tuple(map(_count, [*shown, sum(row.pages.values()) - sum(shown)]))

    money = map(Column, (_("Taken"), _("Reserved"), _("Refunded"), _("Detached refunds")))
    yield table("volume", _("Volume and refunds"), "bar", whole.currency, money, volume)
    yield table(
        "approval",
        _("Approval rate by way of paying"),
        "line",
        "%",
        (Column(label_of(way)) for way in Way),
        lambda row: tuple(_percent(row.ways[way].rate) for way in Way),
    )
    yield table(
        "settling",
        _("Time from start to approval"),
        "line",
        _("seconds"),
        [Column(_("Seconds, on average"))],
        lambda row: (_decimal(row.seconds_to_settle),),
    )
    states = (Column(label_of(state), tone_of(state)) for state in PAGE_STATES)
    in_doubt = Column(_("Open or in doubt"), Tone.WAIT)
    yield table("pages", _("Outcomes of hosted pages"), "stacked", _("pages"), [*states, in_doubt], pages)


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
