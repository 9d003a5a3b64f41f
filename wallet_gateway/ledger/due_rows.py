"""Read due rows by their keys, and log and skip a row that cannot be handled.

A log line describes one event, has a bounded length and contains no row or body content.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import TypeVar

from django.db import DataError, IntegrityError
from django.db.models import Model, QuerySet

from wallet_gateway.client.errors import places
from wallet_gateway.ledger.transactions import VersionConflict
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.sweep")

M = TypeVar("M", bound=Model)

OF_ONE_ROW = (DataError, IntegrityError, VersionConflict, ValueError)
"""Errors of a single row. An unavailable database is not one of them: it stops the sweep."""


def read_due(due: QuerySet[M], *, limit: int) -> list[M]:
    """Return the first rows that are due; fewer than there are when other workers claim some at this moment.

    Most sweeps find none, and reading keys costs a tenth of reading whole rows and their orders.
    """
    keys = list(due.values_list("pk", flat=True)[:limit])
    return list(due.filter(pk__in=keys)) if keys else []


@contextlib.contextmanager
def log_row_error(reference: str) -> Iterator[list[str]]:
    """Log an error in one row at level ERROR and continue with the next; the row stays due.

    Gives a list, which has the text of the error afterwards, if there was one.
    """
    failures: list[str] = []
    try:
        yield failures
    except OF_ONE_ROW as error:
        failures.append(failure(error))
        logger.error("%s could not be handled; a person must look: %s", reference, *failures)


def failure(error: BaseException) -> str:
    """Return one line with an error's class, its cause's class and the last places in its traceback."""
    classes = type(error).__name__
    if error.__cause__ is not None:
        classes += f" from {type(error.__cause__).__name__}"
    return one_line(f"{classes} at {places(error) or 'an unknown place'}")
