"""Write one log line for a checkout that failed: the order's reference, the code, what to do.

The customer's page says only that nothing was charged; this line tells the shop why.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

from django.utils import translation

from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.operations.errors import OperationError, OrderNotPayable
from wallet_gateway.protocol.text import one_line, visible

logger = logging.getLogger("wallet_gateway.checkout")

_LONGEST_MESSAGE = 1000
_ADVICE = "`manage.py wallet_doctor` examines the settings and the gateway"


@contextlib.contextmanager
def log_failure(reference: str) -> Iterator[None]:
    """Log an error of the block at level WARNING, once, in English, and raise it on.

    An order that is paid already and a page that another click is opening are no failures.
    """
    try:
        yield
    except OperationError as error:
        if not (isinstance(error, OrderNotPayable) or error.code is ErrorCode.CHECKOUT_IN_PROGRESS):
            _log(reference, error)
        raise


def _log(reference: str, error: OperationError) -> None:
    with translation.override(None):
        message = visible(error.message, max_length=_LONGEST_MESSAGE)
    logger.warning(
        "checkout of order %s failed (%s): %s %s; see %s",
        one_line(reference),
        error.code.value,
        message,
        _ADVICE,
        error.docs,
    )
    error.is_logged = True
