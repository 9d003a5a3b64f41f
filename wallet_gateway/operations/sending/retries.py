"""Repeat reads: requests that move no money may be sent again while a person waits for the page."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from django.views.decorators.debug import sensitive_variables

from wallet_gateway.client.errors import NotSent, NotSentReason, OutcomeUnknown, UnknownReason
from wallet_gateway.client.exchange import Answer
from wallet_gateway.operations.context import GatewayContext

M = TypeVar("M")

WAITS = (0.5, 1.0, 2.0)
_PATIENCE_SECONDS = 25.0
"""Somebody waits in front of a page: after this no further try begins."""
_MOST_TRIES = len(WAITS) + 1
_FEWER_TRIES = {
    UnknownReason.REDIRECT: 1,
    UnknownReason.WRONG_SHAPE: 1,
    UnknownReason.CONTRADICTORY: 1,
    UnknownReason.FOREIGN_ANSWER: 2,
}


@sensitive_variables()
def retry_read(ask: Callable[[], Answer[M]], *, context: GatewayContext) -> M:
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


def _pause(error: NotSent | OutcomeUnknown, wait: float, tries: int) -> float | None:
    """Return the seconds to wait before the next try; None when there is to be none."""
    if tries >= _most_tries(error):
        return None
    after = error.retry_after if isinstance(error, OutcomeUnknown) else None
    if after is None:
        return wait
    # A gateway that wants to be left alone for longer than anybody waits is not asked again.
    return max(after, wait) if after <= WAITS[-1] else None


def _most_tries(error: NotSent | OutcomeUnknown) -> int:
    if isinstance(error, NotSent):
        # A certificate does not heal. TLS that broke after the request left has the same word, and may.
        return 2 if error.reason is NotSentReason.TLS else _MOST_TRIES
    return _FEWER_TRIES.get(error.reason, _MOST_TRIES)
