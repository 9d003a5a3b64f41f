"""Keeps one row that cannot be handled from holding up all the others of a sweep."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

from django.db import DataError, IntegrityError

from wallet_gateway.operations._log_lines import failure
from wallet_gateway.operations._sums import Outrun

logger = logging.getLogger("wallet_gateway.sweep")

_OF_ONE_ROW = (DataError, IntegrityError, Outrun, ValueError)
"""What can be wrong with one row. A database that is away is not among them: it stops the sweep."""


@contextlib.contextmanager
def alone(reference: str) -> Iterator[None]:
    """Log what goes wrong with one row, loudly, and go on with the next; the row stays due."""
    try:
        yield
    except _OF_ONE_ROW as error:
        logger.error("%s could not be handled; a person must look: %s", reference, failure(error))
