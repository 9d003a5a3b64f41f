"""Figures beside those of the period before: a percentage only where it means something."""

from __future__ import annotations

from tests.tables import every
from wallet_gateway.admin.dashboard_comparison import main_figures, percent_change
from wallet_gateway.queries.counted import Counted


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
