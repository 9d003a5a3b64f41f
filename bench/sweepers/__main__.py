"""``python -m bench.sweepers [PART ...]``: `pace`, `bound` and `database`; all of them without a name.

pace: 1, 2 and 4 workers that each may ask 10 times a second. bound: the same with no limit but the machine.
database: 4 workers and a customer's payment pages, while others use ever more of the database's one core.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

from bench.databases import postgres, run
from bench.measure import scaled
from bench.processes import running
from bench.stub_servers import stub_gateway
from bench.sweepers.busy_database import database_of_one_core, others_at_work
from bench.sweepers.workers import workers

SETTINGS = "bench.sweepers.settings"
MILLISECONDS = 20
COUNTS = (1, 2, 4)
RATE = 10.0
NO_LIMIT = 1e6
THREADS = 8
ROWS_PER_WORKER = scaled(200)
ROWS = scaled(2_000)
OTHERS = (0, 2, 8)
SECONDS_OF_PAGES = scaled(20)

Found = Mapping[str, float]


def main(parts: Sequence[str]) -> None:
    """Print the tables of the named parts."""
    for part in parts or ("pace", "bound", "database"):
        {"pace": _pace, "bound": _bound, "database": _database}[part]()


def _pace() -> None:
    for count in COUNTS:
        with postgres("sweepers") as url:
            found = _swept(url, count=count, rate=RATE, threads=THREADS, rows=ROWS_PER_WORKER * count)
        _say(f"{count} workers, {RATE:g} a second each", found)


def _bound() -> None:
    for count in COUNTS:
        with postgres("sweepers") as url:
            found = _swept(url, count=count, rate=NO_LIMIT, threads=THREADS, rows=ROWS)
        _say(f"{count} workers of {THREADS} threads, no limit", found)


def _database() -> None:
    for others in OTHERS:
        with database_of_one_core() as url:
            found = _swept(url, count=max(COUNTS), rate=NO_LIMIT, threads=THREADS, rows=ROWS, others=others)
        _say(f"{max(COUNTS)} workers, {others} others in the database", found)


def _swept(url: str, *, count: int, rate: float, threads: int, rows: int, others: int | None = None) -> Found:
    with running(["bench.slow_stub", str(MILLISECONDS)]) as questions, stub_gateway() as pages:
        assert questions.stdout
        os.environ["SWEEPERS_GATEWAY"] = questions.stdout.readline().strip()
        os.environ["SWEEPERS_PAGES"] = pages
        environment = {
            "BENCH_DATABASE_URL": url,
            "BENCH_GATEWAY_URL": os.environ["SWEEPERS_GATEWAY"],
            "SWEEPERS_RATE": str(rate),
            "SWEEPERS_THREADS": str(threads),
        }
        _run(url, "django", "migrate", "--verbosity", "0")
        with workers(count, environment) as started, others_at_work(url, connections=others or 0):
            before = started.cpu_seconds()
            _run(url, "bench.sweepers.rows", "make", str(rows))
            # One sweep takes 500 rows for each of its threads; a message too many changes nothing.
            started.sweep(rows // 500 + 2 * count)
            customer = _customer(url) if others is not None else None
            found: dict[str, float] = json.loads(_run(url, "bench.sweepers.rows", "wait", str(rows)))
            found["worker_ms_per_row"] = (started.cpu_seconds() - before) * 1000 / rows
            if customer is not None:
                found |= json.loads(customer.communicate()[0])
    return found


def _customer(url: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "BENCH_DATABASE_URL": url, "BENCH_GATEWAY_URL": "http://127.0.0.1:9"}
    return subprocess.Popen(
        [sys.executable, "-m", "bench.sweepers.rows", "pay", str(SECONDS_OF_PAGES)],
        env=environment | {"DJANGO_SETTINGS_MODULE": SETTINGS},
        stdout=subprocess.PIPE,
        text=True,
    )


def _run(url: str, *command: str) -> str:
    return run(*command, database=url, settings=SETTINGS)


def _say(what: str, found: Found) -> None:
    print(f"{what}: " + ", ".join(f"{name} {value:.1f}" for name, value in found.items()), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
