"""The filters by which a figure of the dashboard leads to its transactions: the figure, and its days."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway.admin.date_range import CreatedFilter
from wallet_gateway.admin.profile_mark import figures_are_tests
from wallet_gateway.models.fields import label_of
from wallet_gateway.models.maintenance import not_tests
from wallet_gateway.reports.statistics import BY_WAY, Counted, day_column, transactions_of

FIGURE, CURRENCY = "counted", "currency"


class CountedFilter(admin.ListFilter):
    """Filter for the transactions that a figure of the dashboard counts, in one currency if it is given."""

    title = gettext_lazy("figure")
    parameter_name = FIGURE

    def __init__(self, request: HttpRequest, params: dict[str, Any], model: Any, model_admin: Any) -> None:  # noqa: ANN401 - as Django's
        super().__init__(request, params, model, model_admin)
        given = {name: params.pop(name)[-1] for name in (FIGURE, CURRENCY) if name in params}
        self.used_parameters.update(given)
        self.figure = _figure_in(given.get(FIGURE, ""))
        currency = given.get(CURRENCY, "")
        self.currency = currency if self.figure and re.fullmatch("[A-Z]{3}", currency) else ""

    def has_output(self) -> bool:
        """Return True: there are always figures to choose from."""
        return True

    def expected_parameters(self) -> list[str | None]:
        """Return the names of figure and currency."""
        return [FIGURE, CURRENCY]

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Yield "all" and the figures; one in a currency names it."""
        yield {
            "selected": self.figure is None,
            "query_string": changelist.get_query_string(remove=[FIGURE, CURRENCY]),
            "display": _("All"),
        }
        for figure, label in _labels().items():
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


def _labels() -> dict[Counted, str]:
    money = {
        Counted.TAKEN: _("Taken"),
        Counted.RESERVED: _("Reserved"),
        Counted.REFUNDED: _("Refunded"),
        Counted.DETACHED_REFUNDS: _("Detached refunds"),
    }
    ways = {counted: _("Approved: %(way)s") % {"way": label_of(way)} for way, counted in BY_WAY.items()}
    return {**money, **ways}
