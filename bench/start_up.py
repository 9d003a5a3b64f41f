"""What the package adds to the start of a worker, above Django with its admin and PostgreSQL's driver.

As a program it is the worker that starts: with the package's app and addresses, or without.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING

from bench.databases import run
from bench.measure import Finding, rounds
from bench.memory import peak_kilobytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    Start = dict[str, float]

WITH, WITHOUT = "with", "without"
# No database is asked, and no gateway.
DATABASE = "sqlite://:memory:"


def measure() -> Iterator[Finding]:
    """Start both in turns; the first start of each compiles the sources."""
    turns = [(_start(WITH), _start(WITHOUT)) for _ in range(1 + rounds())][1:]
    what = "start of a worker above Django with its admin"
    yield Finding(
        what=f"{what}, processor time",
        values=_more(turns, "processor"),
        wall=_more(turns, "wall"),
        target=0.25,
        unit=" s",
    )
    yield Finding(what=f"{what}, memory", values=_more(turns, "megabytes"), target=20, unit=" MB")
    alone = tuple(without["processor"] for _, without in turns)
    yield Finding(what="Django with its admin alone, processor time", values=alone, unit=" s")


def _start(how: str) -> Start:
    # The settings of the shop are given and not used: those of the worker are below.
    started: Start = json.loads(run("bench.start_up", how, database=DATABASE))
    return started


def _more(turns: list[tuple[Start, Start]], name: str) -> tuple[float, ...]:
    return tuple(more[name] - less[name] for more, less in turns)


def main() -> None:
    """Start as a worker does; print the seconds and the memory."""
    wall, processor = time.perf_counter(), time.process_time()
    import django
    import psycopg  # noqa: F401 - as the database's driver is in both
    from django.conf import settings

    apps = ["auth", "contenttypes", "sessions", "messages", "admin"]
    package = ["wallet_gateway"] if sys.argv[1] == WITH else []
    settings.configure(
        SECRET_KEY="bench-only",
        INSTALLED_APPS=[*(f"django.contrib.{app}" for app in apps), *package],
        WALLET_GATEWAY={"PUBLIC_ORIGIN": "http://127.0.0.1:8000", "GATEWAYS": {"default": {}}},
    )
    django.setup()
    from django.contrib import admin

    assert admin.site.urls
    if package:
        import wallet_gateway.urls

        assert wallet_gateway.urls.urlpatterns
    found = {
        "wall": time.perf_counter() - wall,
        "processor": time.process_time() - processor,
        "megabytes": peak_kilobytes() / 1024,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
