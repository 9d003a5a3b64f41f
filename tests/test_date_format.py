"""Dates and times as customers read them, written by hand for each language."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from django.conf.global_settings import LANGUAGES
from django.utils import timezone, translation

from tests.tables import every
from wallet_gateway.date_format import format_date, format_datetime, format_short_date, format_short_datetime

MOMENT = datetime(2026, 11, 22, 4, 52, 17, tzinfo=UTC)
NARROW = "\N{NARROW NO-BREAK SPACE}"


@every(
    ("language", "day", "moment"),
    [
        ("en", "November 22, 2026", f"November 22, 2026, 4:52{NARROW}AM"),
        ("de", "22. November 2026", "22. November 2026, 04:52"),
        ("fr", "22 novembre 2026", "22 novembre 2026, 04:52"),
        ("es", "22 de noviembre de 2026", "22 de noviembre de 2026, 4:52"),
        ("ar", "22 نوفمبر 2026", "22 نوفمبر 2026، 4:52 ص"),
        ("ja", "2026年11月22日", "2026年11月22日 4:52"),
    ],
)
def test_a_day_and_a_moment_are_written_as_the_language_writes_them(
    language: str, day: str, moment: str
) -> None:
    with translation.override(language):
        assert format_date(date(2026, 11, 22)) == format_date(MOMENT) == day
        assert format_datetime(MOMENT).replace("\N{NO-BREAK SPACE}", " ") == moment


@pytest.mark.parametrize("language", [code for code, _name in LANGUAGES])
def test_every_language_of_django_writes_year_and_day_in_western_digits(language: str) -> None:
    with translation.override(language):
        text = format_datetime(MOMENT)
    assert "2026" in text
    assert "22" in text
    assert "52" in text


def test_a_moment_is_written_in_the_active_time_zone() -> None:
    late = datetime(2026, 11, 22, 23, 30, tzinfo=UTC)
    with translation.override("de"), timezone.override("Asia/Tokyo"):
        assert format_datetime(late) == "23. November 2026, 08:30"
        assert format_date(late) == "23. November 2026"


@every(
    ("language", "day", "moment", "second"),
    [
        ("en", "Nov 3, 2026", f"Nov 3, 2026, 4:52{NARROW}AM", f"Nov 3, 2026, 4:52:17{NARROW}AM"),
        ("en-gb", "3 Nov 2026", "3 Nov 2026, 04:52", "3 Nov 2026, 04:52:17"),
        ("de", "03.11.2026", "03.11.2026, 04:52", "03.11.2026, 04:52:17"),
        ("fr", "3 nov. 2026", "3 nov. 2026, 04:52", "3 nov. 2026, 04:52:17"),
        ("es", "3 nov 2026", "3 nov 2026, 4:52", "3 nov 2026, 4:52:17"),
        (
            "ar",
            "03\u200f/11\u200f/2026",
            "03\u200f/11\u200f/2026، 4:52 ص",
            "03\u200f/11\u200f/2026، 4:52:17 ص",
        ),
    ],
)
def test_the_admin_reads_a_short_form_of_the_same(language: str, day: str, moment: str, second: str) -> None:
    third = MOMENT.replace(day=3)
    with translation.override(language):
        assert format_short_date(date(2026, 11, 3)) == format_short_date(third) == day
        texts = [format_short_datetime(third), format_short_datetime(third, seconds=True)]
    assert [text.replace("\N{NO-BREAK SPACE}", " ") for text in texts] == [moment, second]


def test_without_time_zones_a_moment_stands_for_itself() -> None:
    naive = datetime(2026, 11, 22, 4, 52)  # noqa: DTZ001 - what Django has without USE_TZ
    with translation.override("de"), timezone.override("Asia/Tokyo"):
        assert format_short_datetime(naive) == "22.11.2026, 04:52"
        assert format_datetime(naive) == "22. November 2026, 04:52"
