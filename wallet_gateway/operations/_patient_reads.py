"""Read from the gateway again when the answer was lost: for questions that move nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from django.views.decorators.debug import sensitive_variables

from wallet_gateway.client.errors import GatewayError, NotSent, NotSentReason, OutcomeUnknown, UnknownReason
from wallet_gateway.client.exchange import Answer
from wallet_gateway.operations.context import GatewayContext

M = TypeVar("M")

WAITS = (0.5, 1.0, 2.0)
_PATIENCE_SECONDS = 25.0
"""Somebody waits in front of a page: after this no further try begins."""
_TRIED_TWICE = {NotSentReason.TLS, UnknownReason.FOREIGN_ANSWER}
_NOT_AGAIN = {UnknownReason.REDIRECT, UnknownReason.WRONG_SHAPE, UnknownReason.CONTRADICTORY}


@sensitive_variables()
def read_patiently(ask: Callable[[], Answer[M]], *, context: GatewayContext) -> M:
    """Return the gateway's answer; raises the last `GatewayError` once it is no use to ask again."""
    started = time.monotonic()
    for tries, wait in enumerate(WAITS, start=1):
        try:
            return ask().message
        except (NotSent, OutcomeUnknown) as error:
            pause = _pause(error, wait, tries)
            if pause is None or time.monotonic() - started + pause > _PATIENCE_SECONDS:
                raise
        context.sleep(pause)
    return ask().message


def _pause(error: GatewayError, wait: float, tries: int) -> float | None:
    """Return the seconds to wait before the next try; None when there is to be none."""
    reason = error.reason if isinstance(error, NotSent | OutcomeUnknown) else None
    if reason in _NOT_AGAIN or (reason in _TRIED_TWICE and tries > 1):
        return None
    after = error.retry_after if isinstance(error, OutcomeUnknown) else None
    if after is None:
        return wait
    # A gateway that wants to be left alone for longer than anybody waits is not asked again.
    return max(after, wait) if after <= WAITS[-1] else None
