"""Several threads that do the same with one thing after another, each with its own database connection."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from django.db import connections

T = TypeVar("T")

_CATCH_UP = 0.1
"""Seconds of delay that may be made good by hurrying."""


class Pace:
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


def work_off(things: Iterable[T], work: Callable[[T], object], *, threads: int) -> int:
    """Do the work with each thing, so many at a time; return how many were begun.

    A thing is taken only when a thread is idle, so that none waits in hand. What a thread raises ends the
    taking, and is raised here once all threads have come to their end.
    """
    crew, begun = _Crew(work, threads), 0
    try:
        waiting = iter(things)
        while crew.has_idle_thread():
            try:
                thing = next(waiting)
            except StopIteration:
                break
            crew.give(thing)
            begun += 1
    finally:
        crew.dismiss()
    if crew.failure is not None:
        raise crew.failure
    return begun


class _Crew(Generic[T]):
    def __init__(self, work: Callable[[T], object], threads: int) -> None:
        self.failure: BaseException | None = None
        self._work = work
        self._things: queue.SimpleQueue[tuple[T] | None] = queue.SimpleQueue()
        self._idle = threading.Semaphore(threads)
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def has_idle_thread(self) -> bool:
        """Wait until a thread has nothing to do; False once one has failed."""
        self._idle.acquire()
        return self.failure is None

    def give(self, thing: T) -> None:
        """Hand a thing to the thread that is idle."""
        self._things.put((thing,))

    def dismiss(self) -> None:
        """Wait until all that was taken is done."""
        for _ in self._threads:
            self._things.put(None)
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        try:
            while (taken := self._things.get()) is not None:
                self._do(taken[0])
        finally:
            # The connection is this thread's own, and nobody else would ever close it.
            connections.close_all()

    def _do(self, thing: T) -> None:
        try:
            if self.failure is None:
                self._work(thing)
        except BaseException as error:  # noqa: BLE001 - it is raised where the work was ordered
            self.failure = error
        finally:
            self._idle.release()
