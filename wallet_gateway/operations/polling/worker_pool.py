"""Several threads that do the same with one thing after another, each with its own database connection."""

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
"""Seconds of delay that may be made good by hurrying."""


class RateLimiter:
    """Turns at a rate that all threads together keep to."""

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
    """Do the work with each thing, so many at a time; return how many were begun.

    A thing is taken only when a thread is idle, so that none waits in hand. What a thread raises ends the
    taking, and is raised here once all threads have come to their end.
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
    """Have each thread close its database connections: they are its own, and nobody else ever would."""
    all_of_them = threading.Barrier(threads)

    def close() -> None:
        all_of_them.wait()
        connections.close_all()

    for _ in range(threads):
        crew.submit(close)
