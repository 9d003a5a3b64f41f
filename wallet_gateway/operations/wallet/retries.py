"""Retry reads: requests that move no money may be sent again while a person waits for the page."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from wallet_gateway.client.errors import NotSent, NotSentReason, OutcomeUnknown, UnknownReason
from wallet_gateway.client.exchange import Answer
from wallet_gateway.operations.context import GatewayContext

M = TypeVar("M")

WAITS = (0.5, 1.0, 2.0)
_PATIENCE_SECONDS = 25.0
"""Seconds after which no further try begins, because a person is waiting for the page."""
_MOST_TRIES = len(WAITS) + 1
_FEWER_TRIES = {
    UnknownReason.REDIRECT: 1,
    UnknownReason.WRONG_SHAPE: 1,
    UnknownReason.CONTRADICTORY: 1,
    UnknownReason.FOREIGN_ANSWER: 2,
}


def retry_read(read: Callable[[], Answer[M]], *, context: GatewayContext) -> M:
    """Return the gateway's answer; raise the last `GatewayError` once a further try is of no use."""
    started = time.monotonic()
    for tries, wait in enumerate(WAITS, start=1):
        try:
            return read().message
        except (NotSent, OutcomeUnknown) as error:
            pause = _pause(error, wait, tries)
            if pause is None or time.monotonic() - started + pause > _PATIENCE_SECONDS:
                raise
        context.clock.sleep(pause)
    return read().message


def _pause(error: NotSent | OutcomeUnknown, wait: float, tries: int) -> float | None:
    """Return the seconds to wait before the next try; None if there is no further try."""
    if tries >= _most_tries(error):
        return None
    after = error.retry_after if isinstance(error, OutcomeUnknown) else None
    if after is None:
        return wait
    # Do not retry if the gateway requests a longer wait than a person waits for a page.
    return max(after, wait) if after <= WAITS[-1] else None


def _most_tries(error: NotSent | OutcomeUnknown) -> int:
    if isinstance(error, NotSent):
        # A bad certificate stays bad. TLS that failed after the request left has the same reason and may
        # recover.
        return 2 if error.reason is NotSentReason.TLS else _MOST_TRIES
    return _FEWER_TRIES.get(error.reason, _MOST_TRIES)
