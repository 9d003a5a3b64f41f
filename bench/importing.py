"""A migration file of many rows, read into an empty table on PostgreSQL: how fast, and in how much memory.

The bound is the standard library's `csv` and PostgreSQL's COPY of the same rows into the same table: nothing
is checked, and a file with a fault is an error. As a program it is the importing process itself, so that
nothing else is counted into its memory.
"""

from __future__ import annotations

import csv
import io
import json
import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bench.databases import postgres, run
from bench.measure import Finding, ratios, rounds, scaled
from bench.memory import peak_kilobytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    Import = dict[str, float]

ROWS, FEW = scaled(1_000_000), scaled(20_000)
HEADER = (
    b"parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\r\n"
)
PLUGIN, COPY = "plugin", "copy"
COLUMNS = {
    "gateway": "default",
    "is_known": "true",
    "refunded_before": "0",
    "refunded": "0",
    "refund_reserved": "0",
    "is_frozen": "false",
}
"""What is the same in every row; the others come from the file."""
OF_FILE = (
    "parent_transaction_id, transacted_at_text, transacted_at, amount_minor, currency, "
    "provider_transaction_id"
)
COPY_TEXT = f"COPY wallet_gateway_migrateddeposit ({OF_FILE}, created_at, {', '.join(COLUMNS)}) FROM STDIN"


def measure() -> Iterator[Finding]:
    """Import a few rows in both ways, in turns, then many once: only the time grows."""
    with postgres("import") as database:
        run("django", "migrate", "--verbosity", "0", database=database)
        turns = [[_import(database, how, FEW, turn) for how in (PLUGIN, COPY)] for turn in range(rounds())]
        many = _import(database, PLUGIN, ROWS, len(turns))
    ours, copied = ([turn[place]["rows_per_second"] for turn in turns] for place in (0, 1))
    what = f"import of {FEW:,} deposits on PostgreSQL"
    yield Finding(what=f"{what}, rows a second on this machine", values=tuple(ours), unit="/s")
    yield Finding(what=f"{what}, to csv and COPY", values=ratios(ours, copied), unit="x", at_most=False)
    yield Finding(
        what=f"import of {ROWS:,} deposits on PostgreSQL, rows a second on this machine",
        values=(many["rows_per_second"],),
        target=5_000,
        at_most=False,
        unit="/s",
    )
    yield Finding(
        what=f"memory of an import of {ROWS:,} rows above one of {FEW:,}",
        values=tuple((many["peak_kilobytes"] - few["peak_kilobytes"]) / 1024 for few, _ in turns),
        target=32,
        unit=" MB",
    )


def _import(database: str, how: str, rows: int, turn: int) -> Import:
    found: Import = json.loads(run("bench.importing", how, str(rows), str(turn), database=database))
    return found


def _lines(name: str, rows: int) -> Iterator[bytes]:
    yield HEADER
    for number in range(rows):
        line = f"{name}-{number},2026-01-15T10:30:00,49.90,EUR,0.00,P{name}-{number * 7919 % rows}\r\n"
        yield line.encode()


def main() -> None:
    """Import so many rows; print what it took."""
    import django

    django.setup()

    how, rows, turn = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    lines = _lines(f"{how}-{turn}", rows)
    started = time.perf_counter()
    {PLUGIN: _by_plugin, COPY: _by_copy}[how](lines, rows)
    took = time.perf_counter() - started
    print(json.dumps({"rows_per_second": rows / took, "peak_kilobytes": peak_kilobytes()}))


def _by_plugin(lines: Iterator[bytes], rows: int) -> None:
    from wallet_gateway import payments

    report = payments.maintenance.import_migration_file(lines)
    assert (report.accepted, report.stored) == (rows, True), report


def _by_copy(lines: Iterator[bytes], rows: int) -> None:
    from django.db import connection

    now, constants = datetime.now(tz=UTC), tuple(COLUMNS.values())
    text = io.TextIOWrapper(io.BytesIO(b"".join(lines)), newline="")
    with connection.cursor() as cursor, cursor.copy(COPY_TEXT) as copy:
        for line in csv.DictReader(text):
            when, amount = line["transactionDateTime"], line["amount"]
            minor = amount.replace(".", "")
            copy.write_row(
                (
                    line["parentTransactionId"],
                    when,
                    f"{when}+00",
                    minor,
                    line["currencyCode"],
                    line["providerTransactionId"],
                    now,
                    *constants,
                )
            )
        assert cursor.rowcount in {rows, -1}


if __name__ == "__main__":
    main()
