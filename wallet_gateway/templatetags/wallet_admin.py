"""The filters of `{% load wallet_admin %}`, for our own pages of the admin: dates in their one short form.

Each is an element of its own: in a sentence that runs from right to left, the name before a date would
otherwise pull its digits apart. A shop's templates have `wallet_gateway.py`.
"""

from __future__ import annotations

from datetime import date, datetime

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from wallet_gateway.formats import format_short_date, format_short_datetime

register = template.Library()


@register.filter
def admin_date(day: date | None) -> str:
    """Return a day in the reader's language; of a time, its day in the active time zone. Nothing for None."""
    return "" if day is None else _isolated(format_short_date(day))


@register.filter
def admin_datetime(moment: datetime | None, precision: str = "") -> str:
    """Return day and time in the reader's language and zone, nothing for None; `seconds` adds the second."""
    if moment is None:
        return ""
    return _isolated(format_short_datetime(moment, seconds=precision == "seconds"))


def _isolated(text: str) -> SafeString:
    return format_html("<bdi>{}</bdi>", text)
