"""The filters of `{% load wallet_admin %}`, for our own pages of the admin: dates in their one short form.

They are plain text, because they also stand inside sentences. A shop's templates have `wallet_gateway.py`.
"""

from __future__ import annotations

from datetime import date, datetime

from django import template

from wallet_gateway.date_format import format_short_date, format_short_datetime

register = template.Library()


@register.filter
def admin_date(day: date | None) -> str:
    """Return a day in the reader's language; of a time, its day in the active time zone. Nothing for None."""
    return "" if day is None else format_short_date(day)


@register.filter
def admin_datetime(moment: datetime | None, precision: str = "") -> str:
    """Return day and time in the reader's language and zone, nothing for None; `seconds` adds the second."""
    return "" if moment is None else format_short_datetime(moment, seconds=precision == "seconds")
