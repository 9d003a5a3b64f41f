"""What the lists and pages of all rows have in common: nobody changes them here, and they stay fast.

A list counts no further than a page can be turned to, sorts by its key alone and joins nothing that is not
named. Rows change by operations; whoever has all permissions has none to add, change or delete.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import formats
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.timezone import is_aware, localtime

from wallet_gateway import conf
from wallet_gateway.admin.list_parameters import FixedOrderList, is_of_popup, is_of_shown_filter
from wallet_gateway.admin.pages import View, acting
from wallet_gateway.admin.visible_text import visible
from wallet_gateway.operations.inputs import is_storable
from wallet_gateway.protocol.money import Money

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

    _ModelAdmin = admin.ModelAdmin[Any]
    _Paginator = Paginator[Any]
else:
    _ModelAdmin, _Paginator = admin.ModelAdmin, Paginator

Finder = Callable[..., QuerySet[Any]]

MOST_LISTED = 2_000
"""Rows that can be reached by turning pages; older ones are found by search and filters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    """What Django's box asks of a row."""

    pk: object
    name: str

    def __str__(self) -> str:
        return self.name


class BoundedPaginator(_Paginator):
    """Counts up to `MOST_LISTED` rows and no further: counting a million takes longer than a person waits."""

    @cached_property
    def count(self) -> int:
        """The number of rows that can be reached."""
        rows = self.object_list
        return rows.order_by()[:MOST_LISTED].count() if isinstance(rows, QuerySet) else len(rows)


class ReadOnlyAdmin(_ModelAdmin):
    """A list and a page of rows that only operations change."""

    change_list_template = "admin/wallet_gateway/rows.html"
    change_form_template = "admin/wallet_gateway/row.html"
    paginator = BoundedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 50
    list_max_show_all = 0
    ordering = ("-id",)
    sortable_by = ()
    search_fields: ClassVar[tuple[str, ...]] = ("pk",)
    """Shows the field; what is looked for, `finder` says."""
    finder: ClassVar[Finder | None] = None

    class Media:
        css = {"all": ("wallet_gateway/admin/wallet.css",)}

    def has_add_permission(self, request: HttpRequest, *_: Any) -> bool:  # noqa: ARG002 - Django's signature
        """Nobody adds a row by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Nobody changes a row by hand, whatever permissions there are."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Nobody deletes a row by hand."""
        return False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[FixedOrderList]:  # noqa: ARG002
        """Use a list whose order the address cannot change."""
        return FixedOrderList

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Allow the parameters of the filters that the list shows, and no other column."""
        return is_of_shown_filter(self, lookup, request) or is_of_popup(self, lookup, value)

    def get_search_results(
        self,
        request: HttpRequest,  # noqa: ARG002 - Django's signature
        queryset: QuerySet[Any],
        search_term: str,
    ) -> tuple[QuerySet[Any], bool]:
        """Look for what was typed by the indexed ways of `finder`."""
        text = search_term.strip()
        if not text or self.finder is None:
            return queryset, False
        if not is_storable(text):
            return queryset.none(), False
        found = self.finder(text, gateways=tuple(conf.settings().gateways))
        return queryset.filter(pk__in=found.order_by().values("pk")), False

    def action_checkbox(self, obj: Any) -> SafeString:  # noqa: ANN401 - a row of any model
        """Return the box that ticks a row; its label names the row by text that can be seen."""
        return super().action_checkbox(_Named(pk=obj.pk, name=visible(obj)))

    def demand_view(self, request: HttpRequest) -> None:
        """Raise `PermissionDenied` unless the person behind a request may see these rows at all."""
        if not self.has_view_permission(request):
            raise PermissionDenied

    def acting(self, view: View) -> View:
        """Make a view of this site for those who may see these rows, outside any transaction."""

        def of_site(request: HttpRequest, **given: Any) -> HttpResponseBase:
            self.demand_view(request)
            return view(self.admin_site, request, **given)

        return acting(self.admin_site, of_site)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show a row; a `POST` is refused, for nothing here can be changed."""
        self.demand_view(request)
        row = self.get_object(request, object_id)
        shown = (
            {"title": self.heading(row), "subtitle": None, **self.page_context(request, row)} if row else {}
        )
        return super().change_view(request, object_id, form_url, shown | (extra_context or {}))

    def page_context(self, request: HttpRequest, row: Any) -> dict[str, Any]:  # noqa: ANN401, ARG002
        """Return what the page of a row shows besides its columns."""
        return {}

    def heading(self, row: Any) -> str:  # noqa: ANN401 - a row of any model
        """Return the heading of a row's page."""
        return visible(row)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list; its head says how far it reaches. What no text can hold filters nothing."""
        if not all(is_storable(value) for values in request.GET.lists() for value in values[1]):
            # PostgreSQL answers a NUL with a fault.
            return HttpResponseRedirect(request.path)
        shown: dict[str, Any] = {
            "title": capfirst(self.opts.verbose_name_plural),
            "most_listed": MOST_LISTED,
        }
        return super().changelist_view(request, shown | (extra_context or {}))


class OwnPageAdmin(ReadOnlyAdmin):
    """Like it, where a row has a page of ours instead of Django's: its address in the list leads there."""

    def page_of(self, row: Any) -> str:  # noqa: ANN401 - a row of any model
        """Return the address of a row's own page."""
        raise NotImplementedError

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",  # noqa: ARG002 - Django's signature
        extra_context: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> HttpResponse:
        """Lead to the row's own page."""
        self.demand_view(request)
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404
        return HttpResponseRedirect(self.page_of(row))


def text_column(column: str, label: StrOrPromise) -> Callable[[Any], str]:
    """Return a column of a list or a page whose text is the gateway's or a customer's, shown safely."""

    @admin.display(description=label)
    def shown(row: Any) -> str:  # noqa: ANN401 - any row that has the column
        return format_html('<span class="wallet-name">{}</span>', visible(getattr(row, column) or "-"))

    return shown


def nowrap(amount: Money | None) -> str:
    """Return an amount that is not torn apart at the end of a line; `-` for none."""
    return str(amount).replace(" ", "\N{NO-BREAK SPACE}") if amount is not None else "-"


def money(column: str, label: StrOrPromise) -> Callable[[Any], str]:
    """Return a column with an amount and its currency; `-` where there is none."""

    @admin.display(description=label)
    def shown(row: Any) -> str:  # noqa: ANN401 - any row that has the column
        return nowrap(getattr(row, column))

    return shown


def label_column(column: str, label: StrOrPromise, *, boolean: bool = False) -> Callable[[Any], Any]:
    """Return a column of ours under a name that is translated."""

    @admin.display(description=label, boolean=boolean)
    def shown(row: Any) -> Any:  # noqa: ANN401 - a value of any column
        value = getattr(row, column)
        if value is None and not boolean:
            # Django does so in lists, and on the page of a row it says what a program would.
            return "-"
        if isinstance(value, datetime):
            # Django shows it so in lists, and on the page of a row as a program would.
            return formats.date_format(localtime(value) if is_aware(value) else value, "DATETIME_FORMAT")
        return value() if callable(value) else value

    return shown


def datetime_column(column: str, label: StrOrPromise) -> Callable[[Any], str]:
    """Return a column of a list with a date and a time, as short as the reader's language has them."""

    @admin.display(description=label)
    def shown(row: Any) -> str:  # noqa: ANN401 - any row that has the column
        value = getattr(row, column)
        return formats.date_format(localtime(value) if is_aware(value) else value, "SHORT_DATETIME_FORMAT")

    return shown


def link_column(path: str, label: StrOrPromise) -> Callable[[Any], str]:
    """Return a column that links the row at the end of a path such as `payment.order`; `-` for none."""

    @admin.display(description=label)
    def shown(row: Any) -> str:  # noqa: ANN401 - any row that has the path
        for name in path.split("."):
            row = getattr(row, name)
            if row is None:
                return "-"
        url = reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])
        return format_html('<a href="{}">{}</a>', url, visible(row))

    return shown
