"""Format dates and times for customers: in the active language and time zone, as Unicode's CLDR has them.

Django's formats of some languages lack a part and take English punctuation for it. They do not change these
texts, and neither does ``FORMAT_MODULE_PATH``. Tables of the admin keep the admin's own formats.
"""

from __future__ import annotations

from datetime import date, datetime

from babel import dates
from django.utils import timezone

from wallet_gateway.locales import active_locale


def format_date(day: date) -> str:
    """Return a day, or that of an aware time: `November 22, 2026`, `22. November 2026`."""
    local = timezone.localtime(day) if isinstance(day, datetime) else day
    return dates.format_date(local, "long", locale=active_locale())


def format_datetime(moment: datetime) -> str:
    """Return day, hour and minute of an aware time: `22. November 2026, 04:52`."""
    local, locale = timezone.localtime(moment), active_locale()
    joint = str(dates.get_datetime_format("medium", locale)).replace("'", "")
    time = dates.format_time(local, "short", locale=locale)
    return joint.replace("{0}", time).replace("{1}", dates.format_date(local, "long", locale=locale))
