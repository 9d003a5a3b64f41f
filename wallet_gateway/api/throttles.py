"""How often one browser may ask. Counted for its own session alone, and only once it has proved itself.

A counter that strangers can fill locks out whom it should protect: so these run after the CSRF check, and
after order and session were found. They spare the server; what no payment may exceed, the database counts.
"""

from __future__ import annotations

import hashlib
from typing import Any

from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle


class SessionThrottle(SimpleRateThrottle):
    """So many requests of one kind from one session; a view tells us whose by `binding`."""

    # The project's rates are for its own API; these do not come from its settings.
    cache_format = "wallet_gateway.throttle.%(scope)s.%(ident)s"

    def get_cache_key(self, request: Request, view: Any) -> str | None:  # noqa: ANN401, ARG002
        """Name the counter; None, which counts nothing, for a session that is not ours yet."""
        binding: str = view.binding
        if not binding:
            return None
        # A cache is read by more eyes than a session.
        ident = hashlib.sha256(binding.encode()).hexdigest()
        return self.cache_format % {"scope": self.scope, "ident": ident}


class SessionsThrottle(SessionThrottle):
    """Wallet sessions opened: reloads, other tabs, another try after a decline."""

    scope, rate = "session", "120/hour"


class PricesThrottle(SessionThrottle):
    """Prices asked for: each touch of an address or an option in the sheet is one."""

    scope, rate = "price", "600/hour"


class EventsThrottle(SessionThrottle):
    """What the page reports of the button and its sheet."""

    scope, rate = "event", "120/hour"


class ReferencesThrottle(SessionThrottle):
    """Fresh references for another card."""

    scope, rate = "reference", "40/hour"


class ResultsThrottle(SessionThrottle):
    """Results handed in."""

    scope, rate = "result", "20/hour"
