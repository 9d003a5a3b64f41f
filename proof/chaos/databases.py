"""The database of a run: made for it, under a name of its own, and dropped after it.

Whatever the caller's project has configured is neither read nor written.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from proof.chaos.options import Refused, is_on_loopback

_NAME: Final = "wallet_chaos_"
_SERVERS: Final = {
    "postgres": ("POSTGRES_URL", "postgres://postgres@127.0.0.1:5432"),
    "mariadb": ("MARIADB_URL", "mysql://root@127.0.0.1:3306"),
}
"""The variable in which the address of a server may stand, and where one is looked for without it."""
_ENGINES: Final = {"postgres": "postgresql", "mariadb": "mysql"}
_HOME: Final = {"postgres": "postgres", "mariadb": "mysql"}
"""A database that every server has: it is connected to before the run's own is made."""
_SQLITE_OPTIONS: Final = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 60,
    # A killed process loses nothing that it has written; only a power cut would.
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF",
}


def database_entry(kind: str, server: str | None, folder: Path) -> dict[str, Any]:
    """Return an entry of `DATABASES` for a database that does not exist yet; raises `Refused`."""
    if kind == "sqlite":
        engine, file = "django.db.backends.sqlite3", str(folder / "shop.sqlite3")
        return {"ENGINE": engine, "NAME": file, "OPTIONS": dict(_SQLITE_OPTIONS)}
    variable, default = _SERVERS[kind]
    address = server or os.environ.get(variable) or default
    if not is_on_loopback(address):
        raise Refused(
            f"{variable} must name a server on this machine: a run makes and drops a database there."
        )
    url = urlsplit(address)
    return {
        "ENGINE": f"django.db.backends.{_ENGINES[kind]}",
        "NAME": f"{_NAME}{secrets.token_hex(6)}",
        "HOST": url.hostname,
        "PORT": str(url.port or ""),
        "USER": unquote(url.username or ""),
        "PASSWORD": unquote(url.password or ""),
        "OPTIONS": {},
    }


@contextmanager
def own_database(kind: str, entry: dict[str, Any]) -> Iterator[None]:
    """Make the database of an entry, and drop it at the end, also after a failure; raises `Refused`."""
    if kind == "sqlite":
        # Its file is made when it is opened, and goes with its folder.
        yield
        return
    _execute(kind, entry, f"CREATE DATABASE {entry['NAME']}")
    try:
        yield
    finally:
        # A worker that was killed may still have a connection there for a moment.
        force = " WITH (FORCE)" if kind == "postgres" else ""
        _execute(kind, entry, f"DROP DATABASE IF EXISTS {entry['NAME']}{force}")


def _execute(kind: str, entry: dict[str, Any], statement: str) -> None:
    """Execute one statement at the server, outside the database of the run."""
    from django.db import DatabaseError, connection, connections
    from django.db.utils import load_backend

    connections.close_all()
    home = connection.settings_dict | {"NAME": _HOME[kind]}
    backend = load_backend(home["ENGINE"]).DatabaseWrapper(home, alias="chaos-server")
    try:
        backend.set_autocommit(True)
        with backend.cursor() as cursor:
            cursor.execute(statement)
    except DatabaseError as error:
        said = " ".join(str(error).split())
        raise Refused(f"The {kind} server at {entry['HOST']} cannot be used: {said}") from error
    finally:
        backend.close()
