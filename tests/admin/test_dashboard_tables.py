"""Figures as tables: one row for each day, the same number for chart and CSV, no formula in any cell."""

from __future__ import annotations

from datetime import date

from wallet_gateway.admin.dashboard_tables import (
    csv_lines,
    currency_parts,
    gateway_table,
)
from wallet_gateway.queries.statistics import DayFigures, Figures

DAYS = (date(2026, 5, 1), date(2026, 5, 2))
SOME = Figures(money=(DayFigures(day=DAYS[1], currency="KWD", taken_minor=1234567),), gateway=())


def test_every_day_has_a_row_and_amounts_the_decimals_of_their_currency() -> None:
    (part,) = currency_parts(SOME, DAYS, list_url=lambda _figure, _currency: "")
    volume = part.tables[0]
    assert [row.cells[0].value for row in volume.rows] == ["0.000", "1234.567"]
    assert volume.total[0].value == "1234.567"
    assert part.glance[0].text == "KWD\N{NO-BREAK SPACE}1,234.567"


def test_the_csv_has_every_number_of_the_tables() -> None:
    parts = currency_parts(SOME, DAYS)
    assert parts[0].glance == (), "they are in no CSV, so nothing works them out"
    lines = list(csv_lines(parts, gateway_table(SOME, DAYS)))
    assert lines[0] == "day,currency,chart,figure,value,test\r\n"
    assert "2026-05-02,KWD,Volume and refunds,Taken,1234.567,no\r\n" in lines
