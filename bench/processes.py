"""The other parties of a measurement: databases of its own, and programs that run beside it or before it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.measure import LeftOut

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

SERVER = os.environ.get("BENCH_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")


@contextlib.contextmanager
def sqlite() -> Iterator[str]:
    """Give the address of a file for a database."""
    with tempfile.TemporaryDirectory() as folder:
        yield f"sqlite:///{Path(folder, 'bench.sqlite3')}"


@contextlib.contextmanager
def postgres(purpose: str) -> Iterator[str]:
    """Make a database for a measurement, drop it again; raises `LeftOut` without a server."""
    name = f"wallet_gateway_bench_{purpose}_{os.getpid()}"
    with connected(SERVER) as server:
        server.execute(f"CREATE DATABASE {name}".encode())
        try:
            yield SERVER.rsplit("/", 1)[0] + f"/{name}"
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def connected(database: str) -> psycopg.Connection[Any]:
    """Connect to a database without transactions; raises `LeftOut` if the server does not answer."""
    try:
        import psycopg
    except ImportError as missing:
        raise LeftOut("PostgreSQL's driver is not installed") from missing
    try:
        return psycopg.connect(database.replace("postgres://", "postgresql://"), autocommit=True)
    except psycopg.OperationalError as silent:
        raise LeftOut("PostgreSQL does not answer") from silent


def migrate(database: str, *, settings: str = "bench.shop.settings") -> None:
    """Make the tables of the measured shop."""
    run("django", "migrate", "--run-syncdb", "--verbosity", "0", database=database, settings=settings)


def run(
    *command: str,
    database: str = "sqlite://:memory:",
    gateway: str = "http://127.0.0.1:9",
    settings: str = "bench.shop.settings",
) -> str:
    """Run a Python module as a process of its own; give what it prints."""
    # Without it a measured start would be the compiler's.
    given = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {
        **given,
        "BENCH_DATABASE_URL": database,
        "BENCH_GATEWAY_URL": gateway,
        "DJANGO_SETTINGS_MODULE": settings,
    }
    done = subprocess.run(
        [sys.executable, "-m", *command], env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


@contextlib.contextmanager
def canned_gateway(milliseconds: int = 0) -> Iterator[str]:
    """Run a gateway that answers alike after so long; give its address."""
    command = [sys.executable, "-m", "bench.gateway", str(milliseconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
