"""A PostgreSQL database of one measurement's own, dropped when it is done."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from bench.measure import LeftOut

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

SERVER = os.environ.get("BENCH_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")


@contextlib.contextmanager
def postgres(purpose: str) -> Iterator[str]:
    """Make a database for a measurement, drop it again; raises `LeftOut` without a server."""
    name = f"wallet_gateway_bench_{purpose}_{os.getpid()}"
    with connected(SERVER) as server:
        server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
        server.execute(f"CREATE DATABASE {name}".encode())
        try:
            yield SERVER.rsplit("/", 1)[0] + f"/{name}"
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def run(*command: str, database: str, settings: str = "bench.shop.settings") -> str:
    """Run a Python module as a process of its own on a database; give what it prints."""
    environment = environment_for(database, settings=settings)
    done = subprocess.run(
        [sys.executable, "-m", *command], env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def environment_for(
    database: str, *, settings: str = "bench.shop.settings", gateway: str = "http://127.0.0.1:9"
) -> dict[str, str]:
    """Return the environment of a process that uses the measured shop's settings."""
    # Without it a measured start would be the compiler's.
    given = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {
        **given,
        "BENCH_DATABASE_URL": database,
        "BENCH_GATEWAY_URL": gateway,
        "DJANGO_SETTINGS_MODULE": settings,
    }


def connected(database: str) -> psycopg.Connection:
    """Connect to a database without transactions; raises `LeftOut` if the server does not answer."""
    try:
        import psycopg
    except ImportError as missing:
        raise LeftOut("PostgreSQL's driver is not installed") from missing
    try:
        return psycopg.connect(database.replace("postgres://", "postgresql://"), autocommit=True)
    except psycopg.OperationalError as silent:
        raise LeftOut("PostgreSQL does not answer") from silent


def vacuum(database: str) -> None:
    """Clean and analyse now what PostgreSQL would by itself in the middle of a round."""
    with connected(database) as connection:
        connection.execute(b"VACUUM ANALYZE")
