"""A pool of threads that process items, each thread with its own database connection."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from django.db import connections

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


def run_in_threads(things: Iterable[T], work: Callable[[T], object], *, threads: int) -> int:
    """Run `work` for each item, `threads` at a time; return the number of items started.

    An item is taken only when a thread is idle, so that none is held back waiting. An exception in a thread
    stops the taking of items, and is raised here once all threads have ended.
    """
    idle, failures, begun = threading.Semaphore(threads), list[BaseException](), 0

    def end(done: Future[object]) -> None:
        if (failure := done.exception()) is not None:
            failures.append(failure)
        idle.release()

    with ThreadPoolExecutor(threads) as crew:
        waiting = iter(things)
        try:
            while idle.acquire() and not failures:
                for thing in islice(waiting, 1):
                    crew.submit(work, thing).add_done_callback(end)
                    begun += 1
                    break
                else:
                    break
        finally:
            _close_connections(crew, threads)
    if failures:
        raise failures[0]
    return begun


def _close_connections(crew: ThreadPoolExecutor, threads: int) -> None:
    """Close each thread's database connections in the thread itself: no other thread can reach them."""
    all_of_them = threading.Barrier(threads)

    def close() -> None:
        all_of_them.wait()
        connections.close_all()

    for _ in range(threads):
        crew.submit(close)
