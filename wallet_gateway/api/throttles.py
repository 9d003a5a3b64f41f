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
from threading import Lock
from typing import Any, Final

from django.core.cache import cache
from django.core.cache.backends.locmem import LocMemCache
from rest_framework.request import Request
from rest_framework.throttling import ScopedRateThrottle

from wallet_gateway import gateways

logger = logging.getLogger(__name__)

_AWAY: Final = timedelta(minutes=1)
_MOST_SESSIONS: Final = 1000


class ThrottleCounts(LocMemCache):
    """Counts in the project's cache; one that has failed is left alone for a minute, and not waited for.

    Such a minute is one warning in each process, however many requests come in it.
    """

    def __init__(self) -> None:
        super().__init__("wallet_gateway.throttle", {"MAX_ENTRIES": _MOST_SESSIONS})
        self._failed_at: datetime | None = None
        self._noting = Lock()

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:  # noqa: ANN401
        """Return a session's count."""
        return self._shared("get", super().get, key, default, version)

    def set(self, key: str, value: Any, timeout: Any = None, version: int | None = None) -> None:  # noqa: ANN401
        """Store a session's count."""
        self._shared("set", super().set, key, value, timeout, version)

    def _shared(self, method: str, own: Callable[..., Any], *given: Any) -> Any:  # noqa: ANN401
        if not self._is_left_alone():
            try:
                return getattr(cache, method)(*given)
            except Exception as fault:  # noqa: BLE001 - each backend raises its own, also for a wrong setting
                self._leave_alone(fault)
        return own(*given)

    def _is_left_alone(self) -> bool:
        if self._failed_at is None:
            return False
        # Not below zero: the clock may have been set back since the cache failed.
        return timedelta(0) <= gateways.clock().now() - self._failed_at < _AWAY

    def _leave_alone(self, fault: Exception) -> None:
        with self._noting:
            if self._is_left_alone():
                return
            self._failed_at = gateways.clock().now()
        text = "the cache fails (%s.%s): this process counts the wallet button's requests alone for a minute"
        logger.warning(text, type(fault).__module__, type(fault).__qualname__)


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
