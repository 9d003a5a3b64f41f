"""The parts in which a shop goes wrong in real processes; its books are compared with the gateway's.

Each has a database that is made for the run, and its gateway is the sandbox on this machine. Nothing here
imports what needs Django, which is set up for each database in a process of its own.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from importlib import import_module
from random import Random
from typing import TYPE_CHECKING, Any, Final

from proof.failures.commit_proxy import behind_proxy
from proof.failures.processes import in_child
from proof.failures.servers import own_mariadb, own_pgbouncer, own_postgres, own_sqlite, small_postgres
from proof.results import NotRun, Tally
from wallet_gateway.testing.sandbox import SandboxServer

if TYPE_CHECKING:
    from proof.failures.world import RealWorld

Server = Callable[[], AbstractContextManager[Any]]
_SERVERS: Final[Mapping[str, Server]] = {
    "sqlite": own_sqlite,
    "postgres": own_postgres,
    "mariadb": own_mariadb,
}
_NAMES: Final = {"postgres": "PostgreSQL", "mariadb": "MariaDB", "sqlite": "SQLite"}
_DURABLE: Final = {"PROOF_COMMIT": "on"}


def kills(
    *, database: str, seed: int = 1, runs: int = 170, operation: str = "", instant: int | None = None
) -> Tally:
    """Kill so often, or at every instant where `runs` is 0; `operation` and `instant` repeat one kill."""
    return _run("kills", database, seed, runs=runs, operation=operation, instant=instant)


def chaos(
    *, database: str, seed: int = 1, operations: int = 1_000, workers: int = 4, only: int | None = None
) -> Tally:
    """Live through histories of so many operations with so many processes; `only` one of them."""
    return _run("chaos", database, seed, seed=seed, operations=operations, workers=workers, only=only)


def soak(*, database: str = "sqlite", seed: int = 1, minutes: float = 60, leaky: bool = False) -> Tally:
    """Keep a shop under load; `leaky` adds a process that leaks, which must be found."""
    return _run("soak", database, seed, minutes=minutes, is_leaky=leaky)


def disaster(*, seed: int = 1) -> Tally:
    """Go through both disasters, which know no chance."""
    return _run("disaster", "sqlite", seed)


def _run(module: str, database: str, chance: int, **options: Any) -> Tally:
    # Not for secrets: it must be repeatable.
    with shop_on(_SERVERS[database]) as (world, _):
        tally: Tally = import_module(f"proof.failures.{module}").run(world, Random(chance), **options)
        return tally


def database_faults(*, seed: int = 1, share: float = 1.0, part: str = "") -> Tally:
    """Let databases fail, in a share of all runs; `part` those alone whose name has this, as `restarts`."""
    whole, missing = Tally(), list[str]()
    for name, function, server, environment in _faults():
        if part.lower() not in name.lower():
            continue
        began = time.monotonic()
        # A process of its own, since each has its own settings.
        ending = in_child(partial(_fault, function, server, environment, seed, share), longest=None)
        tally: Tally = ending.result or Tally(failures=[ending.error or "it was killed"])
        notes = [f"{tally.runs} runs in {time.monotonic() - began:.0f} s", *tally.notes]
        if tally.missing:
            notes = [f"NOT RUN, {tally.missing}"]
        elif tally.reached_caller:
            errors = sorted(tally.reached_caller.items())
            notes.append(f"callers were given {', '.join(f'{count} {error}' for error, count in errors)}")
        missing.append(tally.missing)
        whole.runs += tally.runs
        whole.failures += [f"{name}: {failure}" for failure in tally.failures]
        whole.notes.append(f"{name}: {'; '.join(notes)}")
        print(f"{whole.notes[-1]}", flush=True)
    whole.missing = "; ".join(missing) if all(missing) else ""
    return whole


def _faults() -> Iterator[tuple[str, str, Server, Mapping[str, str]]]:
    """Yield each part's name, function, server and environment."""
    yield "restarts", "restarts", own_postgres, _DURABLE
    for database in ("postgres", "mariadb"):
        cut = partial(behind_proxy, _SERVERS[database])
        yield f"cut commits on {_NAMES[database]}", "cut_commits", cut, {}
    yield "full disk of PostgreSQL", "full_disk", small_postgres, _DURABLE
    yield "full file of SQLite", "full_file", own_sqlite, {}
    for database, server in _SERVERS.items():
        yield f"conflicts on {_NAMES[database]}", "conflicts", server, {}
        for level in ("read committed", "repeatable read", "serializable") if database != "sqlite" else ():
            yield f"races on {_NAMES[database]}, {level}", "races", server, {"PROOF_ISOLATION": level}
    yield "PgBouncer in transaction mode", "through_pooler", own_pgbouncer, {}


def _fault(function: str, server: Server, environment: Mapping[str, str], seed: int, share: float) -> Tally:
    tally = Tally()
    try:
        with shop_on(server, **environment) as (world, started):
            fail = getattr(import_module("proof.failures.databases"), function)
            fail(world, started, tally, Random(seed), share)
    except NotRun as why:
        tally.missing = str(why)
    return tally


@contextmanager
def shop_on(server: Server, **environment: str) -> Iterator[tuple[RealWorld, Any]]:
    """Start a database and a sandbox, set Django up, and make the tables. Once in a process."""
    with (
        server() as started,
        tempfile.TemporaryDirectory(prefix="wallet-gateway-proof-") as folder,
        SandboxServer("--database", f"{folder}/gateway.sqlite3") as gateway,
    ):
        os.environ |= {
            "DATABASE_URL": started.url,
            "DJANGO_SETTINGS_MODULE": "proof.settings",
            "PROOF_GATEWAY_URL": gateway.base_url,
            "PROOF_GATEWAY_DATABASE": f"{folder}/gateway.sqlite3",
            **environment,
        }
        import django
        from django.core.management import call_command
        from django.db import connections

        django.setup()
        call_command("migrate", verbosity=0)
        from proof.failures.world import RealWorld

        yield RealWorld(gateway.control), started
        connections.close_all()
