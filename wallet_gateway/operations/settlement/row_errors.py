"""How work goes through rows: found by their keys; one that cannot be handled is logged and skipped.

A log line stands for one event, has a bounded length and no content of rows or bodies.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from pathlib import PurePath
from traceback import walk_tb
from typing import TypeVar

from django.db import DataError, IntegrityError
from django.db.models import Model, QuerySet

from wallet_gateway.operations.settlement.counters import VersionConflict
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.sweep")

M = TypeVar("M", bound=Model)

_MOST_PLACES = 8
_OF_ONE_ROW = (DataError, IntegrityError, VersionConflict, ValueError)
"""What can be wrong with one row. A database that is away is not among them: it stops the sweep."""


def read_due(due: QuerySet[M], *, limit: int) -> list[M]:
    """Read the first rows that are due.

    Most sweeps find none, and to ask for keys costs a tenth of asking for whole rows and their orders.
    """
    keys = list(due.values_list("pk", flat=True)[:limit])
    return list(due.filter(pk__in=keys)) if keys else []


@contextlib.contextmanager
def log_row_error(reference: str) -> Iterator[None]:
    """Log what goes wrong with one row, loudly, and go on with the next; the row stays due."""
    try:
        yield
    except _OF_ONE_ROW as error:
        logger.error("%s could not be handled; a person must look: %s", reference, failure(error))


def failure(error: BaseException) -> str:
    """Name a failure by its class, its cause's class and the last places it came through, in one line."""
    classes = type(error).__name__
    if error.__cause__ is not None:
        classes += f" from {type(error.__cause__).__name__}"
    places = [
        f"{PurePath(frame.f_code.co_filename).name}:{line}" for frame, line in walk_tb(error.__traceback__)
    ]
    return one_line(f"{classes} at {' > '.join(places[-_MOST_PLACES:]) or 'an unknown place'}")
