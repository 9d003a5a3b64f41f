"""A pool of threads that process items, each thread with its own database connection."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import islice
from typing import Generic, TypeVar

from django.db import connections
from django.urls import get_script_prefix, set_script_prefix

T = TypeVar("T")

_CATCH_UP = 0.1
"""Maximum delay in seconds that later turns may catch up."""


class RateLimiter:
    """Limit the rate of all threads together."""

    def __init__(self, per_second: float, sleep: Callable[[float], None]) -> None:
        self._pause, self._sleep = 1 / per_second, sleep
        self._next = time.monotonic()
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Wait for this thread's turn."""
        with self._lock:
            now = time.monotonic()
            turn = max(self._next, now - _CATCH_UP)
            self._next = turn + self._pause
        if turn > now:
            self._sleep(turn - now)


class _Items(Generic[T]):
    """What threads take in turns until there is no more of it, or one of them has failed."""

    def __init__(self, things: Iterable[T]) -> None:
        self._waiting = iter(things)
        self._lock = threading.Lock()
        self._is_over = False
        self.begun = 0

    def take(self) -> Iterator[T]:
        """Yield items for as long as there are any; called by each thread."""
        while found := self._next():
            yield from found

    def _next(self) -> list[T]:
        with self._lock:
            found = [] if self._is_over else list(islice(self._waiting, 1))
            self._is_over = not found
            self.begun += len(found)
        return found

    def end(self) -> None:
        """Let nothing more be taken."""
        with self._lock:
            self._is_over = True


def run_in_threads(things: Iterable[T], work: Callable[[T], object], *, threads: int) -> int:
    """Run `work` for each item, `threads` at a time; return the number of items started.

    A thread takes an item only when it is idle, so that none is held back waiting. An exception in a thread
    stops the taking of items, and is raised here once all threads have ended.
    """
    items, prefix = _Items(things), get_script_prefix()

    def work_off() -> None:
        # Receivers of the shop make addresses, and a thread begins without `FORCE_SCRIPT_NAME`.
        set_script_prefix(prefix)
        try:
            for thing in items.take():
                work(thing)
        finally:
            items.end()
            # No other thread can reach this one's.
            connections.close_all()

    with ThreadPoolExecutor(threads) as crew:
        try:
            done = [crew.submit(work_off) for _ in range(threads)]
            wait(done)
        finally:
            items.end()
    for each in done:
        each.result()
    return items.begun
