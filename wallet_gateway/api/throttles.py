"""Request limits for one browser, counted per session and only after the session was verified.

A counter that strangers can fill locks out the customers it should protect, so these run after the CSRF
check and after order and session were found. They protect the server; the limits of a payment itself are
counted in the database.
"""

from __future__ import annotations

import hashlib
from typing import Any

from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from wallet_gateway.api.throttle_counts import ThrottleCounts


class SessionThrottle(SimpleRateThrottle):
    """Limits requests of one kind from one session; the view's `binding` identifies the session."""

    # The project's rates are for its own API; these do not come from its settings.
    cache = ThrottleCounts()
    cache_format = "wallet_gateway.throttle.%(scope)s.%(ident)s"

    def get_cache_key(self, request: Request, view: Any) -> str | None:  # noqa: ANN401, ARG002
        """Return the counter's name; None, which counts nothing, for a session without a binding."""
        binding: str = view.binding
        if not binding:
            return None
        # More parties can read a cache than a session.
        ident = hashlib.sha256(binding.encode()).hexdigest()
        return self.cache_format % {"scope": self.scope, "ident": ident}


class SessionsThrottle(SessionThrottle):
    """Wallet sessions opened: reloads, other tabs, another try after a decline."""

    scope, rate = "session", "120/hour"


class PricesThrottle(SessionThrottle):
    """Price requests: each change of an address or an option in the sheet is one."""

    scope, rate = "price", "600/hour"


class EventsThrottle(SessionThrottle):
    """Events of the button and its sheet, reported by the page."""

    scope, rate = "event", "120/hour"


class ReferencesThrottle(SessionThrottle):
    """New references for another card."""

    scope, rate = "reference", "40/hour"


class ResultsThrottle(SessionThrottle):
    """Results submitted."""

    scope, rate = "result", "20/hour"
