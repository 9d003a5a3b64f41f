"""What the package adds to the start of a worker, above Django with its admin and PostgreSQL's driver.

As a program it is the worker that starts: with the package's app and addresses, or without.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING

from bench.measure import Finding, rounds
from bench.processes import run

if TYPE_CHECKING:
    from collections.abc import Iterator


def measure() -> Iterator[Finding]:
    """Start both in turns; the first start of each compiles the sources."""
    # The settings of the shop are given and not used: those of the worker are below.
    starts = [
        {how: json.loads(run("bench.start_up", how)) for how in ("with", "without")}
        for _ in range(1 + rounds())
    ][1:]
    added = {
        name: tuple(each["with"][name] - each["without"][name] for each in starts)
        for name in ("processor", "megabytes")
    }
    what = "start of a worker above Django with its admin"
    yield Finding(what=f"{what}, processor time", values=added["processor"], target=0.25, unit=" s")
    yield Finding(what=f"{what}, memory", values=added["megabytes"], target=20, unit=" MB")
    alone = tuple(each["without"]["processor"] for each in starts)
    yield Finding(what="Django with its admin alone, processor time", values=alone, unit=" s")


def main() -> None:
    """Start as a worker does; print the seconds and the memory."""
    processor = time.process_time()
    import django
    import psycopg  # noqa: F401 - as the database's driver is in both
    from django.conf import settings

    apps = ["auth", "contenttypes", "sessions", "messages", "admin"]
    package = ["wallet_gateway"] if sys.argv[1] == "with" else []
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
    processor = time.process_time() - processor
    from bench.meter import peak_megabytes

    print(json.dumps({"processor": processor, "megabytes": peak_megabytes()}))


if __name__ == "__main__":
    main()
