"""Worker threads: as many as are needed, kept, and ended with what they hold given back."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.waiting import PATIENCE
from wallet_gateway.sandbox.server.listener import WorkerPool


@pytest.fixture
def gone() -> list[str]:
    """The names of threads that have given back what they held."""
    return []


@pytest.fixture
def make(gone: list[str]) -> Iterator[Callable[[int], WorkerPool]]:
    made: list[WorkerPool] = []

    def make(max_threads: int) -> WorkerPool:
        made.append(
            WorkerPool(on_exit=lambda: gone.append(threading.current_thread().name), max_threads=max_threads)
        )
        return made[-1]

    yield make
    for workers in made:
        workers.end(timeout=PATIENCE)


def run_together(workers: WorkerPool, jobs: int) -> set[int]:
    """Run jobs that wait for each other; give the threads they ran in."""
    gate = threading.Barrier(jobs + 1)
    threads: set[int] = set()

    def job() -> None:
        threads.add(threading.get_ident())
        gate.wait(PATIENCE)

    for _ in range(jobs):
        workers.run(job)
    gate.wait(PATIENCE)
    return threads


def test_the_end_waits_for_the_job_and_gives_back(make: Callable[[int], WorkerPool], gone: list[str]) -> None:
    workers = make(2)
    done: list[str] = []

    def job() -> None:
        time.sleep(0.1)
        done.append("job")

    workers.run(job)
    workers.end(timeout=PATIENCE)
    assert (done, gone) == (["job"], ["gateway-worker"])


def test_a_job_that_fails_costs_its_thread_and_nobody_else(
    make: Callable[[int], WorkerPool], gone: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: queue.Queue[Any] = queue.Queue()
    monkeypatch.setattr(threading, "excepthook", failures.put)
    workers = make(1)
    workers.run(lambda: [][0])
    assert failures.get(timeout=PATIENCE).exc_type is IndexError
    assert gone == ["gateway-worker"]
    assert len(run_together(workers, 1)) == 1
