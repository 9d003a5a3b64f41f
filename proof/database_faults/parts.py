"""The parts of the run: which server each needs, and where what it does is written.

Their modules use models, so they are imported when Django is set up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from proof.database_faults.commit_proxy import mariadb_behind_proxy, postgres_behind_proxy
from proof.database_faults.servers import own_mariadb, own_pgbouncer, own_postgres, own_sqlite
from proof.database_faults.small_disk import small_postgres


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of the run."""

    name: str
    server: Callable[[], AbstractContextManager[Any]]
    """Starts what the shop's database is; what it gives has its `url`."""
    module: str
    """Where its function is, which takes the world, the server, the tally and chance."""
    function: str = "run"
    environment: Mapping[str, str] = field(default_factory=dict)


_HERE = "proof.database_faults"
DURABLE = {"PROOF_SYNCHRONOUS_COMMIT": "on"}

_SERVERS: Mapping[str, Callable[[], AbstractContextManager[Any]]] = {
    "PostgreSQL": own_postgres,
    "MariaDB": own_mariadb,
}
_LEVELS = ("read committed", "repeatable read", "serializable")


def _on_each_server() -> Iterator[Part]:
    for name, server in _SERVERS.items():
        yield Part(name=f"conflicts on {name}", server=server, module=f"{_HERE}.conflicts")
        for level in _LEVELS:
            yield Part(
                name=f"races on {name}, {level}",
                server=server,
                module=f"{_HERE}.races",
                environment={"PROOF_ISOLATION": level},
            )


PARTS = (
    Part(name="restarts", server=own_postgres, module=f"{_HERE}.restarts", environment=DURABLE),
    Part(name="cut commits on PostgreSQL", server=postgres_behind_proxy, module=f"{_HERE}.cut_commits"),
    Part(name="cut commits on MariaDB", server=mariadb_behind_proxy, module=f"{_HERE}.cut_commits"),
    Part(
        name="full disk of PostgreSQL",
        server=small_postgres,
        module=f"{_HERE}.full_disks",
        function="on_postgres",
        environment=DURABLE,
    ),
    Part(name="full file of SQLite", server=own_sqlite, module=f"{_HERE}.full_disks", function="on_sqlite"),
    Part(name="conflicts on SQLite", server=own_sqlite, module=f"{_HERE}.conflicts"),
    *_on_each_server(),
    Part(name="PgBouncer in transaction mode", server=own_pgbouncer, module=f"{_HERE}.pooler"),
)
