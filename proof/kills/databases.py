"""A database that one run makes for itself and drops again; none that is configured is ever touched."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from proof.parts import SERVERS

KINDS = ("sqlite", "postgres", "mariadb")


class NotRun(Exception):
    """What a part needs is missing on this machine; the message says what."""


@contextmanager
def own_database(kind: str) -> Iterator[str]:
    """Give the URL of a new, empty database; raises `NotRun` without its server."""
    name = f"wallet_gateway_proof_{os.getpid()}"
    if kind == "sqlite":
        with tempfile.TemporaryDirectory(prefix="wallet-gateway-proof-") as folder:
            yield f"sqlite:///{Path(folder, 'shop.sqlite3')}"
        return
    make, drop = _postgres if kind == "postgres" else _mariadb, f"DROP DATABASE IF EXISTS {name}"
    _, server, _ = SERVERS[kind]
    make(server, drop, f"CREATE DATABASE {name}")
    try:
        yield server.rsplit("/", 1)[0] + f"/{name}"
    finally:
        make(server, drop + (" WITH (FORCE)" if kind == "postgres" else ""))


def _postgres(url: str, *statements: str) -> None:
    try:
        import psycopg

        server = psycopg.connect(
            url.replace("postgres://", "postgresql://").rsplit("/", 1)[0] + "/postgres", autocommit=True
        )
    except (ImportError, psycopg.OperationalError) as error:
        raise NotRun(f"PostgreSQL does not answer at {urlsplit(url).hostname}: {error}") from error
    with server:
        for statement in statements:
            server.execute(statement.encode())


def _mariadb(url: str, *statements: str) -> None:
    try:
        import MySQLdb  # type: ignore[import-untyped]
    except ImportError as error:
        raise NotRun("the driver of MariaDB is not installed") from error
    address = urlsplit(url)
    try:
        server = MySQLdb.connect(
            host=address.hostname,
            port=address.port or 3306,
            user=address.username,
            passwd=address.password or "",
        )
    except MySQLdb.OperationalError as error:
        raise NotRun(f"MariaDB does not answer at {address.hostname}: {error}") from error
    with server.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
    server.close()
