"""The filters of lists by day, and by the figure of the dashboard that leads to its transactions.

Days are those of the operator's time zone, which is Django's current one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.contrib.admin.views.main import PAGE_VAR, ChangeList
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway import gateways
from wallet_gateway.admin.pages import figures_are_tests
from wallet_gateway.models.fields import label_of
from wallet_gateway.models.maintenance import not_tests
from wallet_gateway.reports.statistics import BY_WAY, Counted, Period, day_column, transactions_of

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


class ChoiceFilter(admin.SimpleListFilter):
    """A filter each of whose choices is a condition; without a choice it shows all rows."""

    ways: ClassVar[Mapping[str, tuple[StrOrPromise, Callable[[], Q]]]]
    """The text and the condition of each value."""

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, StrOrPromise]]:  # noqa: ANN401, ARG002
        """Return the choices besides "all"."""
        return [(value, label) for value, (label, _condition) in self.ways.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002
        """Filter the list."""
        way = self.ways.get(self.value() or "")
        return queryset if way is None else queryset.filter(way[1]())


def today() -> date:
    """Return the current day in the current time zone."""
    return timezone.localtime(gateways.clock().now()).date()


FIRST, LAST = "from", "to"
_EARLIEST, _LATEST = date(1970, 1, 1), date(2999, 12, 31)
"""Limits that every database can compare with; the ends of a range that is open."""
_DAY = timedelta(days=1)


class ParametersFilter(admin.ListFilter):
    """A filter with parameters of its own names, of each the last value in the address."""

    names: ClassVar[tuple[str, ...]]

    def __init__(self, request: HttpRequest, params: dict[str, Any], model: Any, model_admin: Any) -> None:  # noqa: ANN401 - as Django's
        super().__init__(request, params, model, model_admin)
        self.used_parameters.update({name: params.pop(name)[-1] for name in self.names if name in params})

    def has_output(self) -> bool:
        """Return True: there is always something to choose from."""
        return True

    def expected_parameters(self) -> list[str | None]:
        """Return the names of the parameters."""
        return list(self.names)

    def given(self, name: str) -> str:
        """Return the value of a parameter; empty without one."""
        return str(self.used_parameters.get(name, ""))


class CreatedFilter(ParametersFilter):
    """Filter for rows created from one day to another, both included."""

    title = gettext_lazy("day")
    template = "admin/wallet_gateway/_date_range.html"
    names = (FIRST, LAST)
    column = "created_at"
    parameter_name = "created_at"
    """Not one of the parameters: the name by which django-unfold looks up its options of a filter."""

    def __init__(self, request: HttpRequest, params: dict[str, Any], model: Any, model_admin: Any) -> None:  # noqa: ANN401 - as Django's
        super().__init__(request, params, model, model_admin)
        self.first, self.last = _day_in(self.given(FIRST)), _day_in(self.given(LAST))
        self.others: tuple[tuple[str, str], ...] = ()

    @property
    def ordering(self) -> tuple[str, ...]:
        """Return the order of the list: by the filtered column, as its index has the rows."""
        return () if self.first is None and self.last is None else (f"-{self.column}", "-id")

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Yield "any" and the usual periods; keep what else the address asks for, for the form."""
        own = {FIRST, LAST, PAGE_VAR}
        self.others = tuple((name, text) for name, text in changelist.params.items() if name not in own)
        yield {
            "selected": self.first is None and self.last is None,
            "query_string": changelist.get_query_string(remove=[FIRST, LAST]),
            "display": _("Any day"),
        }
        day = today()
        month = day.replace(day=1)
        for label, first, last in (
            (_("Today"), day, day),
            (_("Yesterday"), day - _DAY, day - _DAY),
            (_("Last 7 days"), day - 6 * _DAY, day),
            (_("This month"), month, day),
            (_("Last month"), (month - _DAY).replace(day=1), month - _DAY),
        ):
            yield {
                "selected": (self.first, self.last) == (first, last),
                "query_string": changelist.get_query_string(
                    {FIRST: first.isoformat(), LAST: last.isoformat()}
                ),
                "display": label,
            }

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002
        """Return the rows created on these days."""
        if self.first is None and self.last is None:
            return queryset
        first, last = self.first or _EARLIEST, self.last or _LATEST
        period = Period(first=first, last=last, zone=timezone.get_current_timezone())
        return queryset.filter(period.of(self.column))


def _day_in(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if _EARLIEST <= day <= _LATEST else None


FIGURE, CURRENCY = "counted", "currency"


class CountedFilter(ParametersFilter):
    """Filter for the transactions that a figure of the dashboard counts, in one currency if it is given."""

    title = gettext_lazy("figure")
    names = (FIGURE, CURRENCY)
    parameter_name = FIGURE

    def __init__(self, request: HttpRequest, params: dict[str, Any], model: Any, model_admin: Any) -> None:  # noqa: ANN401 - as Django's
        super().__init__(request, params, model, model_admin)
        self.figure, currency = _figure_in(self.given(FIGURE)), self.given(CURRENCY)
        self.currency = currency if self.figure and re.fullmatch("[A-Z]{3}", currency) else ""

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Yield "all" and the figures; one in a currency names it."""
        yield {
            "selected": self.figure is None,
            "query_string": changelist.get_query_string(remove=[FIGURE, CURRENCY]),
            "display": _("All"),
        }
        ways = {counted: _("Approved: %(way)s") % {"way": label_of(way)} for way, counted in BY_WAY.items()}
        labels = {
            Counted.TAKEN: _("Taken"),
            Counted.RESERVED: _("Reserved"),
            Counted.REFUNDED: _("Refunded"),
            Counted.DETACHED_REFUNDS: _("Detached refunds"),
            **ways,
        }
        for figure, label in labels.items():
            yield {
                "selected": figure is self.figure,
                "query_string": changelist.get_query_string({FIGURE: figure.value}),
                "display": f"{label} ({self.currency})" if self.currency else label,
            }

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002
        """Return the transactions of the figure; as on the dashboard, tests are not among real money."""
        if self.figure is None:
            return queryset
        rows = queryset.filter(transactions_of(self.figure))
        rows = rows.filter(currency=self.currency) if self.currency else rows
        return rows if figures_are_tests() else rows.filter(not_tests())


class CountedDayFilter(CreatedFilter):
    """Filter by day: of the transaction's creation, or the day on which the chosen figure counts it."""

    def __init__(self, request: HttpRequest, params: dict[str, Any], model: Any, model_admin: Any) -> None:  # noqa: ANN401 - as Django's
        super().__init__(request, params, model, model_admin)
        figure = _figure_in(request.GET.get(FIGURE, ""))
        if figure is not None and day_column(figure) != self.column:
            self.column, self.title = day_column(figure), gettext_lazy("day of approval")


def _figure_in(text: str) -> Counted | None:
    return next((figure for figure in Counted if figure == text), None)
