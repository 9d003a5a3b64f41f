"""The dashboard's form: the usual thirty days, or those asked for, in the time zone of the request."""

from __future__ import annotations

from datetime import date, timedelta

from django.http import QueryDict
from django.utils import timezone

from wallet_gateway.admin.dashboard_form import RangeForm

TODAY = date(2026, 5, 31)


def test_without_a_question_it_is_thirty_days_up_to_today() -> None:
    period = RangeForm(QueryDict(), today=TODAY).period
    assert (period.first, period.last, len(period.days)) == (date(2026, 5, 2), TODAY, 30)


def test_what_is_asked_for_counts_both_days_included() -> None:
    form = RangeForm(QueryDict("first=2026-01-01&last=2026-01-31&currency=EUR"), today=TODAY)
    assert (len(form.period.days), form.selected_currency) == (31, "EUR")


def test_the_browsers_offset_is_as_good_a_zone_as_one_with_a_name() -> None:
    with timezone.override(timezone.get_fixed_timezone(-90)):
        assert RangeForm(QueryDict(), today=TODAY).period.zone.utcoffset(None) == timedelta(minutes=-90)


def test_a_wrong_question_shows_the_usual_days_in_all_currencies() -> None:
    form = RangeForm(QueryDict("first=2026-02-30&currency=EUR"), today=TODAY)
    assert (form.period.last, form.selected_currency) == (TODAY, "")
