"""Allowed URL parameters of a list: the filters that it shows, and no other column or order.

Django allows every column of the model. A person who may only view the list could then read any text of its
rows, letter by letter, with `?column__startswith=`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.contrib.admin import FieldListFilter, ListFilter, ModelAdmin
from django.contrib.admin.utils import get_fields_from_path
from django.contrib.admin.views.main import ChangeList
from django.contrib.admin.widgets import url_params_from_lookup_dict
from django.db.models import QuerySet
from django.http import HttpRequest

from wallet_gateway.admin.current_site import reverse


class FixedOrderList(ChangeList):
    """A list that ignores sorting by `?o=`; most columns have no index for it."""

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> list[Any]:  # noqa: ARG002
        """Return the order of the admin class, or that of the filter by day."""
        of_filters = [name for each in self.filter_specs for name in getattr(each, "ordering", ())]
        return of_filters or list(self.model_admin.get_ordering(request))


def is_of_shown_filter(admin: ModelAdmin[Any], name: str, request: HttpRequest) -> bool:
    """Return whether a parameter belongs to a filter that the list shows to the current user."""
    filters = (_filter_of(entry, admin, request) for entry in admin.get_list_filter(request))
    return any(name in each.expected_parameters() for each in filters if each.has_output())


def filtered_list(admin: ModelAdmin[Any], request: HttpRequest, parameters: Mapping[str, str]) -> str:
    """Return the URL of a list, with those of the parameters that a shown filter takes."""
    url = reverse(f"admin:{admin.opts.app_label}_{admin.opts.model_name}_changelist")
    known = {name: value for name, value in parameters.items() if is_of_shown_filter(admin, name, request)}
    return f"{url}?{urlencode(known)}" if known else url


def is_of_popup(admin: ModelAdmin[Any], name: str, value: str) -> bool:
    """Return whether name and value are the condition that a foreign key of the shop sets on its choices.

    The popup of a raw id field opens the list with the key's `limit_choices_to` in the URL.
    """
    conditions: list[Any] = admin.model._meta.related_fkey_lookups
    given = (condition() if callable(condition) else condition for condition in conditions)
    return any((name, value) in url_params_from_lookup_dict(condition).items() for condition in given)


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
