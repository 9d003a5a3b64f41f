"""The columns of a row that may leave the shop."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from django.db import models

_KINDS: Final = (models.IntegerField, models.BooleanField, models.DateTimeField)


def columns_of(row: models.Model, texts: Collection[str]) -> dict[str, Any]:
    """Return the numbers, times, truth values and choices of a row, and of its texts those with these names.

    A person's data, a secret or a name of the shop's staff stands in a text only. Keys of rows are left out.
    """
    return {
        field.name: getattr(row, field.name)
        for field in row._meta.concrete_fields
        if field.name in texts or field.choices or (isinstance(field, _KINDS) and not field.primary_key)
    }
