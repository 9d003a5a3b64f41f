"""Request limits for one browser, counted per session and only after the session was verified.

A counter that strangers can fill locks out the customers it should protect, so these run after the CSRF
check and after order and session were found. They protect the server; the limits of a payment itself are
counted in the database. So a cache that is away keeps nobody from paying: each process counts alone then.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

from django.core.cache import cache
from django.core.cache.backends.locmem import LocMemCache
from rest_framework.request import Request
from rest_framework.throttling import ScopedRateThrottle

from wallet_gateway import gateways

logger = logging.getLogger(__name__)

_AWAY: Final = timedelta(minutes=1)
_MOST_SESSIONS: Final = 1000
_FAILS: Final = "the cache fails (%s): this process counts the wallet button's requests alone for a minute"


class ThrottleCounts(LocMemCache):
    """Counts in the project's cache; one that has failed is left alone for a minute, and not waited for.

    Such a minute is one warning in each process, however many requests come in it.
    """

    def __init__(self) -> None:
        super().__init__("wallet_gateway.throttle", {"MAX_ENTRIES": _MOST_SESSIONS})
        self._failed_at: datetime | None = None

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:  # noqa: ANN401
        """Return a session's count."""
        return self._shared("get", super().get, key, default, version)

    def set(self, key: str, value: Any, timeout: Any = None, version: int | None = None) -> None:  # noqa: ANN401
        """Store a session's count."""
        self._shared("set", super().set, key, value, timeout, version)

    def _shared(self, method: str, own: Callable[..., Any], *given: Any) -> Any:  # noqa: ANN401
        now, failed_at = gateways.clock().now(), self._failed_at
        # Not below zero: the clock may have been set back since the cache failed.
        if failed_at is None or not timedelta(0) <= now - failed_at < _AWAY:
            try:
                return getattr(cache, method)(*given)
            except Exception as fault:  # noqa: BLE001 - each backend raises its own, also for a wrong setting
                # Another thread may have noted it while this one waited.
                if self._failed_at is failed_at:
                    self._failed_at = now
                    kind = f"{type(fault).__module__}.{type(fault).__qualname__}"
                    logger.warning(_FAILS, kind)
        return own(*given)


class SessionThrottle(ScopedRateThrottle):
    """Limits requests of a `throttle_scope` from one session; the view's `binding` identifies the session."""

    # The project's rates are for its own API; these do not come from its settings.
    THROTTLE_RATES = {
        "session": "120/hour",
        "price": "600/hour",
        "event": "120/hour",
        "reference": "40/hour",
        "result": "20/hour",
    }
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
