"""A migration file of many rows, read into an empty table on PostgreSQL: how fast, and in how much memory.

As a program it is the importing process itself, so that nothing else is counted into its memory.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import TYPE_CHECKING

from bench.databases import postgres, run
from bench.measure import Finding, scaled

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS, FEW = scaled(1_000_000), scaled(20_000)
HEADER = (
    b"parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\r\n"
)


def measure() -> Iterator[Finding]:
    """Import a few rows and many; only the time grows."""
    few, many = _both()
    yield Finding(
        what=f"import of {ROWS:,} deposits on PostgreSQL, rows a second on this machine",
        value=many["rows_per_second"],
        target=5_000,
        at_most=False,
        unit="/s",
    )
    yield Finding(
        what=f"memory of an import of {ROWS:,} rows above one of {FEW:,}",
        value=(many["peak_kilobytes"] - few["peak_kilobytes"]) / 1024,
        target=32,
        unit=" MB",
    )


def _both() -> tuple[dict[str, float], dict[str, float]]:
    with postgres("import") as database:
        run("django", "migrate", "--verbosity", "0", database=database)
        few, many = (run("bench.importing", str(rows), database=database) for rows in (FEW, ROWS))
    return json.loads(few), json.loads(many)


def _lines(rows: int) -> Iterator[bytes]:
    yield HEADER
    for number in range(rows):
        yield b"OLD-%d-%d,2026-01-15T10:30:00,49.90,EUR,0.00,PRV-%d\r\n" % (
            rows,
            number * 7919 % rows,
            number,
        )


def main() -> None:
    """Import so many rows; print what it took."""
    import django

    django.setup()
    from wallet_gateway import payments

    rows = int(sys.argv[1])
    started = time.perf_counter()
    report = payments.maintenance.import_migration_file(_lines(rows))
    took = time.perf_counter() - started
    assert (report.accepted, report.stored) == (rows, True), report
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"rows_per_second": rows / took, "peak_kilobytes": peak}))


if __name__ == "__main__":
    main()
