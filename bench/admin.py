"""The operators' pages with a million transactions on PostgreSQL against the same pages with a thousand.

A page that reads no more rows than it shows takes the same time in both: that is the bound.
As a program it opens each page of the database it is given, and prints what each took.
"""

from __future__ import annotations

import json
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.databases import connected, postgres, run
from bench.measure import Finding, ratios, rounds, scaled

if TYPE_CHECKING:
    from collections.abc import Iterator

FEW = 1_000
MANY = scaled(1_000_000, least=2 * FEW)
REQUESTS = 6
MOST_STATEMENTS = 15
SETTINGS = "bench.shop.admin_settings"

ROWS = Path(__file__).with_name("shop") / "transactions.sql"

ROOM = "/admin/wallet_gateway"
TODAY = datetime.now(UTC).date()
LAST_YEAR = f"from={TODAY - timedelta(days=365)}&to={TODAY}"
LONG_AGO = f"from={TODAY - timedelta(days=1080)}&to={TODAY - timedelta(days=540)}"
"""The newest and the older half of the rows: a list of either must not read its way through the other."""
PAGES = {
    "order list": f"{ROOM}/paymentorder/",
    "order list, by state": f"{ROOM}/paymentorder/?state__exact=FAILED",
    "order list, fifth page": f"{ROOM}/paymentorder/?p=5",
    "order list, by day": f"{ROOM}/paymentorder/?{LAST_YEAR}",
    "order list, by days long ago": f"{ROOM}/paymentorder/?{LONG_AGO}",
    "order list, by day and state": f"{ROOM}/paymentorder/?{LONG_AGO}&state__exact=FAILED",
    "order search": f"{ROOM}/paymentorder/?q=ORDER-0000400",
    "transaction list": f"{ROOM}/gatewaytransaction/",
    "transaction list, by state": f"{ROOM}/gatewaytransaction/?state__exact=REJECTED",
    "transaction list, by rare state": f"{ROOM}/gatewaytransaction/?state__exact=UNKNOWN",
    "transaction list, by both": f"{ROOM}/gatewaytransaction/?state__exact=REJECTED&kind__exact=CAPTURE",
    "transaction list, by kind": f"{ROOM}/gatewaytransaction/?kind__exact=CAPTURE",
    "transaction list, by day": f"{ROOM}/gatewaytransaction/?{LAST_YEAR}",
    "transaction list, by day and kind": f"{ROOM}/gatewaytransaction/?{LONG_AGO}&kind__exact=CAPTURE",
    "transaction list, of a figure": f"{ROOM}/gatewaytransaction/?counted=TAKEN&currency=EUR&{LAST_YEAR}",
    "transaction search": f"{ROOM}/gatewaytransaction/?q=CAP-0000400",
    "order list, to be captured soon": f"{ROOM}/paymentorder/?expires=soon",
    "deposit list": f"{ROOM}/migrateddeposit/",
    "deposit search": f"{ROOM}/migrateddeposit/?q=OLD-0000400",
    "deposit search, by the former reference": f"{ROOM}/migrateddeposit/?q=PRV-0000400",
    "order page": f"{ROOM}/paymentorder/400/change/",
    "dashboard": f"{ROOM}/dashboard/",
    "figures of the dashboard": f"{ROOM}/dashboard/figures/part/",
}

TARGET = 1.3
TARGETS = {"dashboard": 1.5, "figures of the dashboard": None}
"""The figures come after the page, and read as many rows as their period has: nothing is promised of them."""

SHOWN = ("order list", "transaction list", "order page", "dashboard", "figures of the dashboard")
"""The pages of which the time itself is shown, to understand the ratios."""

Pages = dict[str, dict[str, float]]
"""Of each page its quickest time and its statements."""


def measure() -> Iterator[Finding]:
    """Open every page in both databases."""
    with postgres("admin_few") as few, postgres("admin_many") as many:
        _fill(few, FEW)
        _fill(many, MANY)
        turns = [(_pages(few), _pages(many)) for _ in range(rounds())]
    for page in PAGES:
        on_few, on_many = zip(
            *[(less[page]["seconds"], more[page]["seconds"]) for less, more in turns], strict=True
        )
        what = f"{page}: {MANY:,} transactions against {FEW:,}"
        target = TARGETS.get(page, TARGET)
        yield Finding(what=what, values=ratios(on_many, on_few), target=target, unit="x")
        if page in SHOWN:
            values = tuple(1000 * each for each in on_many)
            yield Finding(what=f"{page}: {MANY:,} transactions", values=values, unit=" ms")
    found = turns[-1][1]
    dearest = max(PAGES, key=lambda page: found[page]["statements"])
    print(f"  the page with the most SQL statements is: {dearest}")
    statements = (found[dearest]["statements"],)
    yield Finding(what="most SQL statements of one page", values=statements, target=MOST_STATEMENTS)


def _fill(database: str, transactions: int) -> None:
    run("django", "migrate", "--verbosity", "0", database=database, settings=SETTINGS)
    with connected(database) as rows:
        rows.execute(ROWS.read_text().replace(":orders", str(transactions // 2)).encode())
        rows.execute(b"VACUUM ANALYZE")


def _pages(database: str) -> Pages:
    pages: Pages = json.loads(run("bench.admin", database=database, settings=SETTINGS))
    return pages


def main() -> None:
    """Open each page some times; print the quickest time of each, and its statements."""
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client()
    operator, _ = User.objects.get_or_create(username="root", is_staff=True, is_superuser=True)
    client.force_login(operator)
    json.dump({page: _open(client, address) for page, address in PAGES.items()}, sys.stdout)


def _open(client: Any, address: str) -> dict[str, float]:  # noqa: ANN401 - Django is not set up where types are
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as asked:
        assert client.get(address).status_code == 200, address
        statements = len(asked)
    took = []
    for _ in range(REQUESTS):
        started = time.perf_counter()
        client.get(address).content  # noqa: B018 - drawn
        took.append(time.perf_counter() - started)
    # The quickest of them: whatever else the machine does only adds to it.
    return {"seconds": min(took), "statements": statements}


if __name__ == "__main__":
    main()
