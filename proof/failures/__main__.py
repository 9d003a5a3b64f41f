"""`python -m proof.failures SUBJECT`: let a shop go wrong, and compare its books with the gateway's.

Each part has a database that is made for the run, and its gateway is the sandbox on this machine. The exit
code is 1 when something was found; what this machine lacks is noted as not run. `kills --part SQLite
--operation capture --instant 17` repeats one kill.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proof.failures.commit_proxy import behind_proxy
from proof.failures.processes import in_child
from proof.failures.servers import (
    NotRun,
    own_mariadb,
    own_pgbouncer,
    own_postgres,
    own_sqlite,
    small_postgres,
)
from proof.failures.tally import Tally
from proof.results import write_result
from wallet_gateway.testing.sandbox import SandboxServer

if TYPE_CHECKING:
    from proof.failures.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One shop on one database, and the function that lets something go wrong.

    It takes the world, the server, the tally and chance. Its module uses models, so it is imported when
    Django is set up.
    """

    name: str
    server: Callable[[], AbstractContextManager[Any]]
    """Starts what the shop's database is; what it gives has its `url`."""
    module: str
    function: str = "run"
    environment: Mapping[str, str] = field(default_factory=dict)
    """Environment variables of the shop."""


_SERVERS: Mapping[str, Callable[[], AbstractContextManager[Any]]] = {
    "SQLite": own_sqlite,
    "PostgreSQL": own_postgres,
    "MariaDB": own_mariadb,
}
_DURABLE = {"PROOF_SYNCHRONOUS_COMMIT": "on"}


def _on_each(module: str, **environment: str) -> list[Part]:
    return [
        Part(name=name, server=server, module=module, environment=environment)
        for name, server in _SERVERS.items()
    ]


def _faults() -> Iterator[Part]:
    part = partial(Part, module="databases")
    yield part(name="restarts", function="restarts", server=own_postgres, environment=_DURABLE)
    for name in ("PostgreSQL", "MariaDB"):
        cut = partial(behind_proxy, _SERVERS[name])
        yield part(name=f"cut commits on {name}", function="cut_commits", server=cut)
    yield part(
        name="full disk of PostgreSQL", function="full_disk", server=small_postgres, environment=_DURABLE
    )
    yield part(name="full file of SQLite", function="full_file", server=own_sqlite)
    for name, server in _SERVERS.items():
        yield part(name=f"conflicts on {name}", function="conflicts", server=server)
        for level in ("read committed", "repeatable read", "serializable") if name != "SQLite" else ():
            yield part(
                name=f"races on {name}, {level}",
                function="races",
                server=server,
                environment={"PROOF_ISOLATION": level},
            )
    yield part(name="PgBouncer in transaction mode", function="through_pooler", server=own_pgbouncer)


SUBJECTS: Mapping[str, tuple[str, list[Part]]] = {
    "kills": (
        "operations killed at each step, swept up by others, compared with the gateway",
        _on_each("kills"),
    ),
    "chaos": (
        "histories that several killed workers live at once, against a faulty sandbox",
        _on_each("chaos", DJANGO_SETTINGS_MODULE="proof.histories.settings"),
    ),
    "database-faults": ("databases that fail in the midst of operations", list(_faults())),
    "disaster": (
        "an older backup restored while the gateway went on; two sites at once by mistake",
        [Part(name="disaster", server=own_sqlite, module="disaster")],
    ),
    "soak": (
        "customers of a shop under load, with faults and killed workers: nothing grows, books equal",
        _on_each("soak"),
    ),
}


def main(arguments: list[str]) -> int:
    """Run what the arguments say; return the exit code."""
    asked = _parser().parse_args(arguments)
    what, parts = SUBJECTS[asked.subject]
    parts = [part for part in parts if asked.part.lower() in part.name.lower()]
    if not parts:
        sys.exit(f"{asked.subject} has no part {asked.part!r}")
    options = {
        "kills": {"runs": asked.runs, "operation": asked.operation, "instant": asked.instant},
        "chaos": {
            "seed": asked.seed,
            "operations": asked.operations,
            "workers": asked.workers,
            "only": asked.only,
        },
        "soak": {"minutes": asked.minutes, "is_leaky": asked.leaky},
    }.get(asked.subject, {})
    # Who ends the run wants its servers ended, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    began, whole, missing = time.monotonic(), Tally(), list[str]()
    for part in parts:
        tally = _run(part, asked.seed, options)
        whole.runs += tally.runs
        whole.failures += tally.failures
        whole.notes.append(f"{part.name}: {'; '.join(tally.notes)}")
        missing.append(tally.missing)
        sys.stdout.write(f"{whole.notes[-1]}\n")
        sys.stdout.flush()
    written = write_result(
        asked.result,
        part=asked.subject,
        what=what,
        runs=whole.runs,
        found=len(whole.failures),
        seed=asked.seed,
        seconds=time.monotonic() - began,
        notes=whole.notes + whole.failures,
        missing="; ".join(missing) if all(missing) else "",
    )
    sys.stdout.write(written)
    return 1 if whole.failures else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m proof.failures", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("subject", choices=SUBJECTS)
    parser.add_argument("--part", default="", help="those parts alone whose name has this, as `SQLite`")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--result", type=Path, help="where to write what was found, as JSON")
    kills = parser.add_argument_group("kills")
    kills.add_argument("--runs", type=int, default=170, help="kills on each database; 0: at every instant")
    kills.add_argument("--operation", default="", help="this operation alone")
    kills.add_argument("--instant", type=int, help="this instant of the operation alone")
    chaos = parser.add_argument_group("chaos")
    chaos.add_argument("--operations", type=int, default=1000, help="of all histories together")
    chaos.add_argument("--workers", type=int, default=4, help="processes of the shop at one time")
    chaos.add_argument("--only", type=int, metavar="NUMBER", help="this history alone")
    soak = parser.add_argument_group("soak")
    soak.add_argument("--minutes", type=float, default=60)
    soak.add_argument("--leaky", action="store_true", help="one worker more that leaks, and is to be found")
    return parser


def _run(part: Part, seed: int, options: Mapping[str, Any]) -> Tally:
    """Run a part in a process of its own, since each has its own settings."""
    began, ending = time.monotonic(), in_child(lambda: _in_its_process(part, seed, options), longest=None)
    tally: Tally = ending.result or Tally(failures=[ending.error or f"{part.name} was killed"])
    if tally.missing:
        tally.notes.append(f"NOT RUN, {tally.missing}")
        return tally
    tally.notes.append(f"{tally.runs} runs in {time.monotonic() - began:.0f} s")
    if tally.reached_caller:
        given = ", ".join(f"{count} {error}" for error, count in sorted(tally.reached_caller.items()))
        tally.notes.append(f"callers were given {given}")
    return tally


def _in_its_process(part: Part, seed: int, options: Mapping[str, Any]) -> Tally:
    tally = Tally()
    try:
        with part.server() as server, _shop_on(server.url, part.environment) as world:
            # Not for secrets: it must be repeatable.
            function = getattr(import_module(f"proof.failures.{part.module}"), part.function)
            function(world, server, tally, random.Random(seed), **options)
    except NotRun as why:
        tally.missing = str(why)
    return tally


@contextmanager
def _shop_on(database_url: str, environment: Mapping[str, str]) -> Iterator[World]:
    """Set Django up on a database, beside a sandbox, and make the tables. Once in a process."""
    with (
        tempfile.TemporaryDirectory(prefix="wallet-gateway-proof-") as folder,
        SandboxServer("--database", f"{folder}/gateway.sqlite3") as gateway,
    ):
        os.environ |= {
            "DATABASE_URL": database_url,
            "DJANGO_SETTINGS_MODULE": "proof.failures.settings",
            "PROOF_GATEWAY_URL": gateway.base_url,
            "PROOF_GATEWAY_DATABASE": f"{folder}/gateway.sqlite3",
            **environment,
        }
        import django
        from django.core.management import call_command
        from django.db import connections

        django.setup()
        call_command("migrate", verbosity=0)
        from proof.failures.world import World

        yield World(gateway.control)
        connections.close_all()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
