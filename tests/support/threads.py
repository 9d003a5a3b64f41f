"""Threads that begin at the same moment, for races with real commits.

Thirty-two on PostgreSQL and MariaDB; eight on SQLite, which has one writer at a time, in a file of
its own since threads cannot share its memory without tripping over each other's table locks.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from django.db import connection, connections

from wallet_gateway.models import GatewayTransaction
from wallet_gateway.payments.errors import OperationOutstanding

THREADS = 8 if connection.vendor == "sqlite" else 32


def together(*works: Callable[[], Any], times: int | None = None) -> list[Any]:
    """Run works at the same moment, each in threads of its own; give what they returned or raised."""
    each = times or THREADS // len(works)
    barrier, results = threading.Barrier(each * len(works)), []

    def run(work: Callable[[], Any]) -> None:
        barrier.wait(60)
        try:
            results.append(work())
        except Exception as error:  # noqa: BLE001 - a thread's failure is a result to look at
            results.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(work,)) for work in works for _ in range(each)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(240)
    assert not any(thread.is_alive() for thread in threads)
    return results


def surprises(results: list[Any], *expected: type[Exception]) -> list[Any]:
    return [one for one in results if isinstance(one, Exception) and not isinstance(one, expected)]


def persistently(work: Callable[[], GatewayTransaction]) -> GatewayTransaction:
    """Try again while another operation is outstanding, as a person would."""
    for _ in range(4000):
        try:
            return work()
        except OperationOutstanding:
            time.sleep(0.01)
    raise AssertionError("it never came to its turn")
