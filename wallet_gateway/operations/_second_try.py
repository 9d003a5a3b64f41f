"""Send a request that moves money once more, when it is certain that no byte of it left the first time.

What was sent, or may have been, passes through untouched: see Note [Unknown is a state] in domain/lifecycle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from wallet_gateway.client.errors import NotSent, NotSentReason
from wallet_gateway.client.exchange import Answer

M = TypeVar("M")

_STAYS_UNSENT = {NotSentReason.TLS, NotSentReason.STALE_CLAIM}
"""A certificate does not heal within a request, and a claim does not grow younger."""


def sent_with_second_try(send: Callable[[], Answer[M]]) -> Answer[M]:
    """Return the gateway's answer to what `send` sends, the same bytes each time.

    Raises what the second try raised, and what the first one raised when a second is of no use.
    """
    try:
        return send()
    except NotSent as error:
        if error.reason in _STAYS_UNSENT:
            raise
    return send()
