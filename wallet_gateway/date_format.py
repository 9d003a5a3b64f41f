"""Format dates and times: in the active language and time zone, as Unicode's CLDR has them.

Customers read the long form; the admin has the short one, in which no language leaves day and month to be
guessed. Django's formats of some languages lack a part and take English punctuation for it. They do not
change these texts, and neither does ``FORMAT_MODULE_PATH``.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

from babel import dates
from django.utils import timezone

from wallet_gateway.locales import active_locale

_Form = Literal["short", "medium", "long"]


def format_date(day: date) -> str:
    """Return a day, or that of an aware time: `November 22, 2026`, `22. November 2026`."""
    return _format_date(day, "long")


def format_datetime(moment: datetime) -> str:
    """Return day, hour and minute of an aware time: `22. November 2026, 04:52`."""
    return _format_datetime(moment, "long", "short")


def format_short_date(day: date) -> str:
    """Return a day, or that of a time, for a table: `Nov 22, 2026`, `22.11.2026`."""
    return _format_date(day, "medium")


def format_short_datetime(moment: datetime, *, seconds: bool = False) -> str:
    """Return day, hour and minute of a time for a table, with its second if asked: `22.11.2026, 04:52`."""
    return _format_datetime(moment, "medium", "medium" if seconds else "short")


def _format_date(day: date, form: _Form) -> str:
    return dates.format_date(_local(day) if isinstance(day, datetime) else day, form, locale=active_locale())


def _format_datetime(moment: datetime, date_form: _Form, time_form: _Form) -> str:
    local, locale = _local(moment), active_locale()
    joint = str(dates.get_datetime_format("medium", locale)).replace("'", "")
    time = dates.format_time(local, time_form, locale=locale)
    return joint.replace("{0}", time).replace("{1}", dates.format_date(local, date_form, locale=locale))


def _local(moment: datetime) -> datetime:
    """Return a time in the active zone; without `USE_TZ` it has none and stands for itself."""
    return timezone.localtime(moment) if timezone.is_aware(moment) else moment
