"""An instance that other code holds, and saves as a whole, while receivers write into its row.

What they have written is taken over. What the other code has changed and not saved yet stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Model, QuerySet


def columns_of(held: Model) -> dict[str, Any]:
    """Return the columns of an instance's row as they are stored now."""
    return columns_in(type(held)._base_manager.filter(pk=held.pk))


def columns_in(rows: QuerySet[Any]) -> dict[str, Any]:
    """Return the columns of the only row of a query."""
    return rows.values(*(field.attname for field in rows.model._meta.concrete_fields)).get()


def take_over(held: Model, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Give an instance the columns that have changed between two readings of its row.

    All of them without an earlier reading; none that the instance has not loaded: it does not save that one.
    """
    not_loaded = held.get_deferred_fields()
    for name, value in now.items():
        if name not in not_loaded and (name not in before or before[name] != value):
            setattr(held, name, value)
