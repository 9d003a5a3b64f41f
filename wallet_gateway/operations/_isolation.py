"""How a sweep takes its rows: found by their keys, and one that cannot be handled holds up no other."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import TypeVar

from django.db import DataError, IntegrityError
from django.db.models import Model, QuerySet

from wallet_gateway.operations._log_lines import failure
from wallet_gateway.operations._sums import Outrun

logger = logging.getLogger("wallet_gateway.sweep")

M = TypeVar("M", bound=Model)

_OF_ONE_ROW = (DataError, IntegrityError, Outrun, ValueError)
"""What can be wrong with one row. A database that is away is not among them: it stops the sweep."""


def rows_of(due: QuerySet[M], *, limit: int) -> list[M]:
    """Read the first rows that are due.

    Most sweeps find none, and to ask for keys costs a tenth of asking for whole rows and their orders.
    """
    keys = list(due.values_list("pk", flat=True)[:limit])
    return list(due.filter(pk__in=keys)) if keys else []


@contextlib.contextmanager
def alone(reference: str) -> Iterator[None]:
    """Log what goes wrong with one row, loudly, and go on with the next; the row stays due."""
    try:
        yield
    except _OF_ONE_ROW as error:
        logger.error("%s could not be handled; a person must look: %s", reference, failure(error))
