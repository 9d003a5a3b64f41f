"""Runs pytest behind a PgBouncer in transaction mode, before a PostgreSQL of the run's own.

``python -m tests.behind_pgbouncer [PYTEST ARGUMENT ...]``. Where one of the two is not installed this is a
loud skip, and with CI=true a failure.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from proof.database_faults.servers import own_pgbouncer
from proof.kills.databases import NotRun


def main(arguments: Sequence[str]) -> int:
    """Run pytest with these arguments; return its exit code."""
    try:
        with own_pgbouncer() as pgbouncer:
            # A cursor of the server's belongs to a connection, and the next transaction has another one.
            url = f"{pgbouncer.url}?disable_server_side_cursors=True"
            print(f"\n  PgBouncer answers at {url}: the Python tests run behind it.\n", flush=True)  # noqa: T201
            # PgBouncer keeps connections to the tests' databases, so they cannot be dropped; the server is.
            command = [sys.executable, "-m", "pytest", "--reuse-db", *arguments]
            return subprocess.run(command, env=os.environ | {"DATABASE_URL": url}).returncode
    except NotRun as why:
        print(f"\n  *** PgBouncer: TESTS SKIPPED. {why} ***\n", file=sys.stderr)  # noqa: T201
        return int(os.environ.get("CI") == "true")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
