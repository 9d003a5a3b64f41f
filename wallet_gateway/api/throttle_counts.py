"""Where the throttles count: in the project's cache, and in this process alone while that cache fails.

The throttles protect the server, and no limit of a payment depends on them: a cache that is away must not
keep customers from paying.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Any, Final

from django.core.cache import cache
from django.core.cache.backends.locmem import LocMemCache

logger = logging.getLogger(__name__)

AWAY_SECONDS: Final = 60.0
_MOST_SESSIONS: Final = 1000


class ThrottleCounts(LocMemCache):
    """Counts in the project's cache; one that has failed is left alone for a minute, and not waited for.

    Such a minute is one warning in each process, however many requests come in it.
    """

    def __init__(self) -> None:
        super().__init__("wallet_gateway.throttle", {"MAX_ENTRIES": _MOST_SESSIONS})
        self._asked_again_at = 0.0
        self._noting = Lock()

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:  # noqa: ANN401
        """Return a session's count."""
        return self._shared("get", super().get, key, default, version)

    def set(self, key: str, value: Any, timeout: Any = None, version: int | None = None) -> None:  # noqa: ANN401
        """Store a session's count."""
        self._shared("set", super().set, key, value, timeout, version)

    def _shared(self, method: str, own: Callable[..., Any], *given: Any) -> Any:  # noqa: ANN401
        if monotonic() >= self._asked_again_at:
            try:
                return getattr(cache, method)(*given)
            except Exception as fault:  # noqa: BLE001 - each backend raises its own, also for a wrong setting
                self._leave_alone(fault)
        return own(*given)

    def _leave_alone(self, fault: Exception) -> None:
        with self._noting:
            if monotonic() < self._asked_again_at:
                return
            self._asked_again_at = monotonic() + AWAY_SECONDS
        text = (
            "the cache fails (%s.%s): this process counts the wallet button's requests alone for %d seconds"
        )
        logger.warning(text, type(fault).__module__, type(fault).__qualname__, AWAY_SECONDS)
