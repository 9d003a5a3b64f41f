"""The form of the dashboard: days and currency. An invalid form shows why, and the default days."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway.reports.statistics import LONGEST_RANGE, Period

DEFAULT_DAYS = 30
EARLIEST, LATEST = date(1973, 1, 1), date(9000, 1, 1)
"""Limits that every database can calculate with, for the period before, too."""


class DateInput(forms.DateInput):
    """The browser's own date picker; its value is ISO 8601 in every language."""

    input_type = "date"

    def __init__(self) -> None:
        super().__init__(format="%Y-%m-%d")


class RangeForm(forms.Form):
    """First and last day, both included, and one currency or all."""

    first = forms.DateField(label=gettext_lazy("From"), widget=DateInput, input_formats=["%Y-%m-%d"])
    last = forms.DateField(label=gettext_lazy("To"), widget=DateInput, input_formats=["%Y-%m-%d"])
    currency = forms.CharField(
        label=gettext_lazy("Currency"), required=False, max_length=3, widget=forms.Select
    )

    def __init__(self, given: QueryDict, *, today: date) -> None:
        self._default_range = (today - timedelta(days=DEFAULT_DAYS - 1), today)
        first, last = self._default_range
        super().__init__({"first": first, "last": last} | given.dict())

    def offer_currencies(self, currencies: tuple[str, ...]) -> None:
        """Fill the currency field with the currencies in use."""
        select = self.fields["currency"].widget
        assert isinstance(select, forms.Select)  # noqa: S101 - declared above
        select.choices = [("", _("All")), *((code, code) for code in currencies)]

    def clean(self) -> dict[str, Any]:
        """Require dates in order and at most a year, which is what a page can show."""
        cleaned = super().clean() or self.cleaned_data
        first, last = cleaned.get("first"), cleaned.get("last")
        if not (first and last):
            return cleaned
        if first > last:
            self.add_error("first", _("The first day is after the last."))
        elif last - first >= LONGEST_RANGE:
            self.add_error("first", _("At most %(days)d days.") % {"days": LONGEST_RANGE.days})
        elif first < EARLIEST or last > LATEST:
            self.add_error("first", _("There is nothing to show for these days."))
        return cleaned

    @property
    def selected_currency(self) -> str:
        """Return the selected currency; empty for all."""
        return str(self.cleaned_data["currency"]) if self.is_valid() else ""

    @property
    def period(self) -> Period:
        """Return the selected days; the default ones if the form is invalid."""
        first, last = self._default_range
        if self.is_valid():
            first, last = self.cleaned_data["first"], self.cleaned_data["last"]
        return Period(first=first, last=last, zone=timezone.get_current_timezone())
