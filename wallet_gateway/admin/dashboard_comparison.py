"""The main figures of one currency, each beside the same figure of the period before.

A percentage is said only where it means something: not where nothing was before. Shares are compared in
percentage points, because "5 % more" of a share can be read in two ways.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypedDict

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from wallet_gateway.domain.states import Way
from wallet_gateway.formats import format_money, format_number, format_percent
from wallet_gateway.models.fields import label_of
from wallet_gateway.protocol.money import Money
from wallet_gateway.reports.statistics import BY_WAY, Counted, DayFigures

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
    taken = _total("taken_minor", currency, rows, before)
    refunded = _total("refunded_minor", currency, rows, before)
    return (
        MainFigure(
            label=_("Taken"),
            list_url=list_url(Counted.TAKEN, currency),
            list_label=_("Approved transactions"),
            **taken,
        ),
        MainFigure(
            label=_("Refunded"),
            list_url=list_url(Counted.REFUNDED, currency),
            list_label=_("Approved refunds"),
            **refunded,
        ),
        *(_approval_rate(way, rows, before, list_url(BY_WAY[way], currency)) for way in Way),
        _duration(mean_seconds(rows), mean_seconds(before)),
    )


class _Compared(TypedDict):
    text: str
    before: str
    change: str


def _total(column: str, currency: str, rows: Sequence[DayFigures], before: Sequence[DayFigures]) -> _Compared:
    now, then = (sum(getattr(row, column) for row in days) for days in (rows, before))
    texts = [format_money(Money.from_minor_units(minor, currency)) for minor in (now, then)]
    return {"text": texts[0], "before": texts[1], "change": percent_change(now, then)}


def _approval_rate(
    way: Way, rows: Sequence[DayFigures], before: Sequence[DayFigures], list_url: str
) -> MainFigure:
    now, then = rate(rows, way), rate(before, way)
    return MainFigure(
        label=_("Approved: %(way)s") % {"way": label_of(way)},
        text=percent_text(now) or NONE,
        before=percent_text(then) or NONE,
        change=_points(now, then),
        list_url=list_url,
        list_label=_("Approved ones"),
    )


def _duration(now: float | None, then: float | None) -> MainFigure:
    text, before = (
        NONE if seconds is None else format_number(seconds, decimals=1) for seconds in (now, then)
    )
    return MainFigure(
        label=_("Seconds to approval"), text=text, before=before, change=percent_change(now, then)
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


def _points(now: float | None, then: float | None) -> str:
    if now is None or then is None:
        return ""
    change = round((now - then) * 100, 1)
    return _("%(points)s points") % {"points": _signed(change)}


def _signed(number: float) -> str:
    return _sign(number) + format_number(abs(number), decimals=1)


def _sign(number: float) -> str:
    return "+" if number > 0 else "\N{MINUS SIGN}" if number < 0 else "\N{PLUS-MINUS SIGN}"
