"""What all lists and pages of rows share: rows cannot be edited here, and the pages stay fast.

A list counts only the rows that paging can reach, sorts by its key only and joins only what is named.
Operations change rows; even a user with all permissions cannot add, change or delete them here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, cast
from urllib.parse import urlencode

from babel.numbers import get_decimal_symbol, get_group_symbol
from django.contrib import admin
from django.contrib.admin import FieldListFilter, ListFilter, ModelAdmin
from django.contrib.admin.utils import get_fields_from_path
from django.contrib.admin.views.main import ChangeList
from django.contrib.admin.widgets import url_params_from_lookup_dict
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import transaction as db_transaction
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy

from wallet_gateway import conf
from wallet_gateway.admin.operation_registry import sums_in_words, sums_of
from wallet_gateway.admin.pages import is_test_page, mark_of, page_url, row_name
from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.formats import active_locale, format_amount, format_money, format_short_datetime
from wallet_gateway.models.fields import label_of
from wallet_gateway.protocol.codes import currency_exponent, stored_currency
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import is_storable, visible


class FixedOrderList(ChangeList):
    """A list that ignores sorting by `?o=`; most columns have no index for it."""

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> list[Any]:  # noqa: ARG002
        """Return the order of the admin class, or that of the filter by day."""
        of_filters = [name for each in self.filter_specs for name in getattr(each, "ordering", ())]
        return of_filters or list(self.model_admin.get_ordering(request))


def is_of_shown_filter(admin: ModelAdmin[Any], name: str, request: HttpRequest) -> bool:
    """Return whether a parameter belongs to a filter that the list shows to the current user.

    Django allows every column of the model. A person who may only view the list could then read any text of
    its rows, letter by letter, with `?column__startswith=`.
    """
    filters = (_filter_of(entry, admin, request) for entry in admin.get_list_filter(request))
    return any(name in each.expected_parameters() for each in filters if each.has_output())


def filtered_list(admin: ModelAdmin[Any], request: HttpRequest, parameters: Mapping[str, str]) -> str:
    """Return the URL of a list, with those of the parameters that a shown filter takes."""
    url = page_url(request, f"{admin.opts.model_name}_changelist")
    known = {name: value for name, value in parameters.items() if is_of_shown_filter(admin, name, request)}
    return f"{url}?{urlencode(known)}" if known else url


def _filter_of(entry: Any, admin: ModelAdmin[Any], request: HttpRequest) -> ListFilter:  # noqa: ANN401 - as Django's
    """Create the filter of one entry of `list_filter` as Django does: a class, a column, or both."""
    shown: ListFilter
    if callable(entry):
        shown = entry(request, {}, admin.model, admin)
        return shown
    column, make = entry if isinstance(entry, list | tuple) else (entry, FieldListFilter.create)
    field = get_fields_from_path(admin.model, column)[-1]
    shown = make(field, request, {}, admin.model, admin, field_path=column)
    return shown


if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

    _ModelAdmin = admin.ModelAdmin[Any]
    _Paginator = Paginator[Any]
else:
    _ModelAdmin, _Paginator = admin.ModelAdmin, Paginator

Finder = Callable[..., QuerySet[Any]]

MAX_LISTED_ROWS = 2_000
"""Rows that paging can reach; search and filters find older ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    """The attributes of a row that Django's checkbox needs."""

    pk: object
    name: str

    def __str__(self) -> str:
        return self.name


class BoundedPaginator(_Paginator):
    """A paginator that counts at most `MAX_LISTED_ROWS` rows: counting a million takes too long."""

    @cached_property
    def count(self) -> int:
        """Return the number of rows that can be reached."""
        rows = self.object_list
        return rows.order_by()[:MAX_LISTED_ROWS].count() if isinstance(rows, QuerySet) else len(rows)


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
    """Makes Django show the search field; `finder` defines the search itself."""
    changelist_class: ClassVar[type[FixedOrderList]] = FixedOrderList
    finder: ClassVar[Finder | None] = None
    pages: ClassVar[Mapping[str, tuple[str, Callable[..., HttpResponseBase]]]] = {}
    """Pages beside Django's own, by the end of their URL's name: the path and the view."""
    viewers: ClassVar[tuple[str, ...]] = ()
    """Permissions each of which lets a user see these rows, beside Django's own."""
    own_page: ClassVar[str] = ""
    """Which of `pages` a row has in place of Django's; the link in the list leads to it."""
    when_empty: ClassVar[StrOrPromise] = gettext_lazy("There is nothing here yet.")
    """What a list without any row says: how the first one comes to be."""

    class Media:
        css = {"all": ("wallet_gateway/admin/wallet.css", "wallet_gateway/admin/lists.css")}

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Return whether the user may view the rows; who may do something with them may."""
        return any(map(request.user.has_perm, self.viewers)) or super().has_view_permission(request, obj)

    def has_add_permission(self, request: HttpRequest, *_: Any) -> bool:  # noqa: ARG002 - Django's signature
        """Return False: rows cannot be added manually."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Return False: rows cannot be changed manually, whatever the permissions."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Return False: rows cannot be deleted manually."""
        return False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[FixedOrderList]:  # noqa: ARG002
        """Use a list whose order the URL cannot change."""
        return self.changelist_class

    def get_paginator(
        self, request: HttpRequest, queryset: QuerySet[Any], *args: Any, **kwargs: Any
    ) -> _Paginator:
        """Return the paginator of the list; the history of a row has other columns, and the plain one."""
        if queryset.model is self.model:
            return super().get_paginator(request, queryset, *args, **kwargs)
        return BoundedPaginator(queryset, *args, **kwargs)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Model | None:
        """Return a row; Django would take an empty `_to_field` for the name of a column."""
        return super().get_object(request, object_id, from_field or None)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Return whether the list shows a filter with this parameter; no other column is allowed.

        So is the condition that a foreign key of the shop sets on its choices: the popup of a raw id field
        opens the list with the key's `limit_choices_to` in the URL.
        """
        conditions: list[Any] = self.model._meta.related_fkey_lookups
        given = (condition() if callable(condition) else condition for condition in conditions)
        return is_of_shown_filter(self, lookup, request) or any(
            (lookup, value) in url_params_from_lookup_dict(condition).items() for condition in given
        )

    def get_finder(self, request: HttpRequest) -> Finder | None:  # noqa: ARG002 - for lists that use it
        """Return the search for this user."""
        return self.finder

    def get_search_results(
        self,
        request: HttpRequest,
        queryset: QuerySet[Any],
        search_term: str,
    ) -> tuple[QuerySet[Any], bool]:
        """Search with the bounded lookups of `finder`."""
        text, finder = search_term.strip(), self.get_finder(request)
        if not text or finder is None:
            return queryset, False
        if not is_storable(text):
            return queryset.none(), False
        found = finder(text, gateways=tuple(conf.settings().gateways))
        return queryset.filter(pk__in=found.order_by().values("pk")), False

    def action_checkbox(self, obj: Any) -> SafeString:  # noqa: ANN401 - a row of any model
        """Return the checkbox that selects a row; its label names the row, invisible characters escaped."""
        return super().action_checkbox(_Named(pk=obj.pk, name=row_name(obj)))

    def require_view_permission(self, request: HttpRequest) -> None:
        """Raise `PermissionDenied` unless the current user may view these rows."""
        if not self.has_view_permission(request):
            raise PermissionDenied

    def own_urls(self) -> list[URLPattern]:
        """Return the URLs of `pages`, for users who may view these rows, outside any database transaction.

        A request must be committed before it is sent, even if the project sets `ATOMIC_REQUESTS`.
        """

        def shown(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
            @db_transaction.non_atomic_requests
            @wraps(view)
            def of_site(request: HttpRequest, **key: Any) -> HttpResponseBase:
                request.current_app = self.admin_site.name
                self.require_view_permission(request)
                return view(self.admin_site, request, **key)

            return self.admin_site.admin_view(of_site)

        prefix = f"wallet_gateway_{self.opts.model_name}"
        return [path(at, shown(view), name=f"{prefix}_{name}") for name, (at, view) in self.pages.items()]

    def get_urls(self) -> list[URLPattern]:
        """Add our own pages before Django's."""
        return self.own_urls() + super().get_urls()

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show a row, or lead to its own page; Django refuses a `POST`, because nothing can be changed."""
        request.current_app = self.admin_site.name
        self.require_view_permission(request)
        row = self.get_object(request, object_id)
        if self.own_page:
            if row is None:
                raise Http404
            url = page_url(request, f"{self.opts.model_name}_{self.own_page}", row.pk)
            return HttpResponseRedirect(url)
        shown = extra_context or {}
        if row is not None:
            # The mark reads an order's payments, which its page shows as well.
            mark, context = mark_of([row]), self.page_context(request, row)
            shown = {"title": row_name(row), "subtitle": None, **context, **mark, **shown}
        return super().change_view(request, object_id, form_url, shown)

    def page_context(self, request: HttpRequest, row: Any) -> dict[str, Any]:  # noqa: ANN401, ARG002
        """Return what the page of a row shows besides its columns."""
        return {}

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list and how many rows it can reach; drop all parameters if one cannot be stored."""
        request.current_app = self.admin_site.name
        if not all(is_storable(value) for values in request.GET.lists() for value in values[1]):
            # PostgreSQL raises an error for a NUL character.
            return HttpResponseRedirect(request.path)
        shown: dict[str, Any] = {
            "title": capfirst(self.opts.verbose_name_plural),
            "most_listed": MAX_LISTED_ROWS,
            "when_empty": self.when_empty,
            "is_test": is_test_page(),
        }
        return super().changelist_view(request, shown | (extra_context or {}))


def column(
    name: str, label: StrOrPromise, write: Callable[[Any], Any], *, boolean: bool = False
) -> Callable[[Any], Any]:
    """Return a column with what `write` makes of a value; `-` for None."""

    @admin.display(description=label, boolean=boolean)
    def shown(row: Any) -> Any:  # noqa: ANN401 - a value of any row that has the column
        value = getattr(row, name)
        return "-" if value is None and not boolean else write(value)

    return shown


def text_column(name: str, label: StrOrPromise) -> Callable[[Any], str]:
    """Return a column with text from the gateway or a customer, shown safely in a list or on a page."""

    def write(text: str) -> str:
        return format_html('<span class="wallet-name">{}</span>', visible(text or "-"))

    return column(name, label, write)


def money(name: str, label: StrOrPromise) -> Callable[[Any], str]:
    """Return a column with an amount in the reader's language."""
    return column(name, label, format_money)


def exact_money(name: str, label: StrOrPromise) -> Callable[[Any], str]:
    """Return the same with the text of the gateway's own records, to be compared with them."""
    return column(name, label, lambda amount: f"{format_money(amount)} ({amount})")


def label_column(name: str, label: StrOrPromise, *, boolean: bool = False) -> Callable[[Any], Any]:
    """Return a column with our own data under a translated label."""

    def write(value: Any) -> Any:  # noqa: ANN401 - a value of any column
        # As in the lists: on the page of a row Django would show the Python value.
        if isinstance(value, datetime):
            return format_short_datetime(value)
        return value() if callable(value) else value

    return column(name, label, write, boolean=boolean)


def datetime_column(name: str, label: StrOrPromise) -> Callable[[Any], str]:
    """Return a list column with a date and time in the reader's language."""

    def write(moment: datetime) -> str:
        # In a narrow column the time may stand below its date, and nothing else is torn.
        day, space, time = format_short_datetime(moment).rpartition(" ")
        return day.replace(" ", "\N{NO-BREAK SPACE}") + space + time

    return column(name, label, write)


def link_column(path: str, label: StrOrPromise) -> Callable[[ReadOnlyAdmin, Any], str]:
    """Return a column as a method: a link to the row at the end of a path, `payment.order`; `-` for None."""

    @admin.display(description=label)
    def shown(self: ReadOnlyAdmin, row: Any) -> str:  # noqa: ANN401 - any row that has the path
        for name in path.split("."):
            row = getattr(row, name)
            if row is None:
                return "-"
        name, site = f"admin:wallet_gateway_{row._meta.model_name}_change", self.admin_site.name
        return format_html(
            '<a href="{}">{}</a>', reverse(name, args=[row.pk], current_app=site), row_name(row)
        )

    return shown


class AmountsPaginator(BoundedPaginator):
    """A paginator that reads the amounts of all rows that can be reached, and so need not count them."""

    @cached_property
    def amounts(self) -> tuple[tuple[Any, ...], ...]:
        """The kind, where rows have one, the currency, exponent and amount of each row."""
        rows = cast("QuerySet[Any]", self.object_list)
        kind = ("kind",) if hasattr(rows.model, "kind") else ()
        columns = rows.values_list(*kind, "currency", "exponent", "amount_minor")
        return tuple(columns[:MAX_LISTED_ROWS])

    @cached_property
    def count(self) -> int:
        """Return the number of rows that can be reached."""
        return len(self.amounts)


class SummedList(FixedOrderList):
    """A list that knows what the amounts of all its rows come to, on whatever page they are.

    One statement reads the amounts of as many rows as paging can reach; how many they are is the number of
    rows. A script adds what the ticked rows come to; it writes amounts in the form that the server hands it.
    Rows of different kinds are never added: a refund takes back what a sale brought.
    """

    @cached_property
    def sums(self) -> tuple[tuple[object, str], ...]:
        """The sum of each kind of rows, with the kind's name; empty where the list has one kind."""
        by_kind = defaultdict[str, list[Money]](list)
        for *kind, code, exponent, minor in cast("AmountsPaginator", self.paginator).amounts:
            by_kind["".join(kind)].append(Money.from_minor_units(minor, stored_currency(code, exponent)))
        return tuple(
            (label_of(TransactionKind(kind)) if kind else "", sums_in_words(sums_of(amounts)))
            for kind, amounts in sorted(by_kind.items())
        )

    @property
    def amount_form(self) -> dict[str, str]:
        """Return how amounts are written, for the script: the signs, and how many digits the groups have."""
        locale = active_locale()
        last, others = locale.currency_formats["standard"].grouping
        return {
            "decimal": get_decimal_symbol(locale),
            "group": get_group_symbol(locale),
            "groups": f"{last} {others}",
        }


def money_to_sum(label: StrOrPromise) -> Callable[[Any], SafeString]:
    """Return the column of a row's amount, which the script adds up."""

    @admin.display(description=label)
    def amount(row: Any) -> SafeString:  # noqa: ANN401 - any row with an amount
        text, currency = format_money(row.amount), row.amount.currency
        # With what a script needs to add it to others and to write the sum.
        return format_html(
            '<data class="wallet-amount" value="{}"'
            ' data-currency="{}" data-decimals="{}" data-form="{}">{}</data>',
            str(row.amount.minor_units),
            currency,
            currency_exponent(currency),
            text.replace(format_amount(row.amount), "{}"),
            text,
        )

    return amount
