"""A PostgreSQL database of one measurement's own, dropped when it is done."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import psycopg

from bench.measure import LeftOut

if TYPE_CHECKING:
    from collections.abc import Iterator

SERVER = os.environ.get("BENCH_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")


@contextlib.contextmanager
def postgres(purpose: str) -> Iterator[str]:
    """Make a database for a measurement, drop it again; raises `LeftOut` without a server."""
    name = f"wallet_gateway_bench_{purpose}"
    with _connected() as server:
        server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
        server.execute(f"CREATE DATABASE {name}".encode())
        try:
            yield SERVER.rsplit("/", 1)[0] + f"/{name}"
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def _connected() -> psycopg.Connection:
    try:
        return psycopg.connect(SERVER.replace("postgres://", "postgresql://"), autocommit=True)
    except psycopg.OperationalError as silent:
        raise LeftOut("PostgreSQL does not answer") from silent


def run(*command: str, database: str, settings: str = "bench.shop.settings") -> str:
    """Run a Python module as a process of its own on a database; give what it prints."""
    environment = {
        **os.environ,
        "BENCH_DATABASE_URL": database,
        "BENCH_GATEWAY_URL": "http://127.0.0.1:9",
        "DJANGO_SETTINGS_MODULE": settings,
    }
    done = subprocess.run(
        [sys.executable, "-m", *command], env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout
