"""Shallow copies of rows in memory. No SQL here."""

from __future__ import annotations

from typing import TypeVar

from django.db import models
from django.db.models.base import ModelState

M = TypeVar("M", bound=models.Model)


def copy_row(row: M) -> M:
    """Return what `copy.copy` returns, which goes by way of pickling and takes several times as long."""
    state, copied = ModelState(), type(row).__new__(type(row))
    copied.__dict__.update(row.__dict__)
    state.__dict__.update(row._state.__dict__)
    state.fields_cache = dict(row._state.fields_cache)
    copied._state = state
    return copied
