"""A PostgreSQL that has one core, and statements of others that want it: the database as the bound."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator

from proof.database_faults.servers import own_postgres

_HEAVY = "SELECT sum(n * sqrt(n)) FROM generate_series(1, 3000000) AS made(n)"


@contextlib.contextmanager
def database_of_one_core() -> Iterator[str]:
    """Start a PostgreSQL on this process's first core; this process and its children have the others."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cores[:1])
    try:
        with own_postgres() as server:
            os.sched_setaffinity(0, cores[1:] or cores)
            yield server.url
    finally:
        os.sched_setaffinity(0, cores)


@contextlib.contextmanager
def others_at_work(url: str, *, connections: int) -> Iterator[None]:
    """Keep so many connections busy with statements that need nothing but the processor."""
    others = [
        subprocess.Popen([sys.executable, "-m", "bench.sweepers.busy_database", url])
        for _ in range(connections)
    ]
    try:
        yield
    finally:
        for other in others:
            other.terminate()
        for other in others:
            other.wait(60)


def main() -> None:
    """Compute in the database until somebody ends this."""
    import psycopg

    with psycopg.connect(sys.argv[1].replace("postgres://", "postgresql://"), autocommit=True) as connection:
        while True:
            connection.execute(_HEAVY)


if __name__ == "__main__":
    main()
