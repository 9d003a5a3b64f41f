"""Rows in memory, stored or to be stored, made without a model's constructor. No SQL here.

The constructor does for each row what is the same for all rows of a model, and takes as long as the statement
that reads one. Its signals are not sent, as those of `save` are not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from django.db import models
from django.db.models.base import ModelState

M = TypeVar("M", bound=models.Model)


def stored_row(model: type[M], alias: str, columns: Mapping[str, Any]) -> M:
    """Return the row that a database has with these columns, and with the model's defaults in all others."""
    row = new_row(model, columns)
    row._state.adding, row._state.db = False, alias
    return row


def new_row(model: type[M], columns: Mapping[str, Any]) -> M:
    """Return a row to be inserted with these columns, and with the model's defaults in all others."""
    row = model.__new__(model)
    constants, made = _defaults(model)
    new = {name: make() for name, make in made.items() if name not in columns}
    row.__dict__.update(_state=ModelState(), **constants)
    row.__dict__.update(new)
    row.__dict__.update(columns)
    return row


@lru_cache(maxsize=64)
def _defaults(model: type[models.Model]) -> tuple[Mapping[str, Any], Mapping[str, Callable[[], Any]]]:
    """Return the defaults of a model's columns: values, and what makes one anew for each row."""
    fields = model._meta.concrete_fields
    made = {
        field.attname: field.default for field in fields if field.has_default() and callable(field.default)
    }
    constants = {field.attname: field.get_default() for field in fields if field.attname not in made}
    return constants, made
