"""Figures beside those of the period before: a percentage only where it means something."""

from __future__ import annotations

from datetime import date

from django.utils import translation

from tests.tables import every
from wallet_gateway.admin.dashboard_comparison import main_figures, percent_change
from wallet_gateway.domain.ways_of_paying import Way
from wallet_gateway.queries.counted import Counted
from wallet_gateway.queries.statistics import DayFigures, WayFigures

DAY = date(2026, 5, 1)


def no_list(_figure: Counted, _currency: str) -> str:
    return ""


@every(
    ("now", "then", "said"),
    [
        (3000, 2000, "+50.0%"),
        (1000, 2000, "\N{MINUS SIGN}50.0%"),
        (0, 2000, "\N{MINUS SIGN}100.0%"),
        (2000, 2000, "\N{PLUS-MINUS SIGN}0.0%"),
        (2_000_000, 100, "+1,999,900.0%"),
        (2000, 0, ""),
        (0, 0, ""),
        (None, 3.0, ""),
        (3.0, None, ""),
    ],
)
def test_a_change_is_said_in_percent_unless_nothing_was_before(
    now: float | None, then: float | None, said: str
) -> None:
    assert percent_change(now, then) == said


def a_day(approved: int, decided: int, taken: int = 0) -> list[DayFigures]:
    day = DayFigures(day=DAY, currency="EUR", taken_minor=taken)
    day.ways[Way.WALLET_BUTTON] = WayFigures(approved=approved, decided=decided)
    return [day]


def test_shares_are_compared_in_points() -> None:
    figure = main_figures("EUR", a_day(9, 10), a_day(3, 4), no_list)[3]
    assert (figure.text, figure.before, figure.change) == ("90.0%", "75.0%", "+15.0 points")


def test_where_nobody_was_decided_there_is_no_share_and_no_change() -> None:
    figure = main_figures("EUR", a_day(9, 10), a_day(0, 0), no_list)[3]
    assert (figure.before, figure.change) == ("\N{EN DASH}", "")


def test_a_figure_knows_the_list_behind_it() -> None:
    asked: list[Counted] = []

    def list_url(figure: Counted, currency: str) -> str:
        asked.append(figure)
        return f"/{figure}-{currency}/"

    figures = main_figures("EUR", [], [], list_url)
    assert asked == [Counted.TAKEN, Counted.REFUNDED, Counted.HOSTED_PAGE, Counted.WALLET_BUTTON]
    assert [figure.list_url for figure in figures if figure.list_url] == [
        f"/{counted}-EUR/" for counted in asked
    ]


def test_amounts_are_in_the_readers_language() -> None:
    with translation.override("de"):
        taken = main_figures("EUR", a_day(0, 0, 123456), [], no_list)[0]
    assert taken.text == "1.234,56\N{NO-BREAK SPACE}€"
