"""Threads that serve connections: as many as there are connections at a time, kept for the next ones.

A kept thread keeps its database connection, which costs far more to open than a request costs to answer.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Final

MOST_THREADS: Final = 512


class Workers:
    """Runs jobs at once while threads may be added, and in turn after that."""

    def __init__(self, *, on_exit: Callable[[], None], most: int = MOST_THREADS) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._on_exit = on_exit
        self._most = most
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._free = 0

    def run(self, job: Callable[[], None]) -> None:
        """Have a thread carry the job out; the job handles its own errors."""
        with self._lock:
            self._free -= 1
            if self._free < 0 and len(self._threads) < self._most:
                self._free += 1
                thread = threading.Thread(target=self._work, name="gateway-worker", daemon=True)
                self._threads.append(thread)
                thread.start()
        self._jobs.put(job)

    def end(self, *, timeout: float) -> None:
        """Let every thread finish its job and end; ``timeout`` bounds the wait for each."""
        with self._lock:
            threads = tuple(self._threads)
        for _ in threads:
            self._jobs.put(None)
        for thread in threads:
            thread.join(timeout)

    def _work(self) -> None:
        try:
            while (job := self._jobs.get()) is not None:
                job()
                with self._lock:
                    self._free += 1
        finally:
            # Also when a job failed: Python reports it, and the next connection gets a fresh thread.
            self._on_exit()
            with self._lock:
                self._threads.remove(threading.current_thread())
