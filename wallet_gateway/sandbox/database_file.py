"""The file in which the sandbox keeps its state: create it, check it, and set one of another version aside.

Tables are never changed from one version to the next: a file of another version is renamed, and a new one is
begun. The version is a hash of the migrations, in SQLite's ``user_version``.

The sandbox must be the only one that writes: it holds its checks until the row is written by a lock of its
own process. While a connection to a file in WAL
mode is open, SQLite refuses to take the file out of that mode: so a second sandbox notices the first.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Final

DEFAULT_NAME: Final = "sandbox.sqlite3"
_OWN_TABLES: Final = ("wallet_sandbox_", "sqlite_", "django_migrations")
_MAGIC: Final = b"SQLite format 3\0"
_MIGRATIONS: Final = sorted((Path(__file__).parent / "migrations").glob("[0-9]*.py"))


class UnusableDatabase(Exception):
    """The file cannot be used as the sandbox's database; the message says why."""


def check_database(file: Path) -> Path | None:
    """Create the file if there is none; return where one of another version was moved, if there was one.

    Raises ``UnusableDatabase`` for a file that is not the sandbox's, which is left as it is, and for one that
    another sandbox has open.
    """
    try:
        _create(file)
        if _has_this_version(file):
            return None
        names = (file.with_name(f"{file.name}.old-{number}") for number in count(1))
        aside = next(name for name in names if not name.exists())
        file.rename(aside)
        _create(file)
    except OSError as error:
        raise UnusableDatabase(f"{error.strerror or error}.") from error
    except sqlite3.Error as error:
        raise UnusableDatabase(f"{error}.") from error
    return aside


def occupy_database(file: Path) -> sqlite3.Connection:
    """Mark a file with its tables as of this version, and hold it until the connection is closed."""
    connection = sqlite3.connect(file)
    connection.execute(f"PRAGMA user_version = {_version()}")
    return connection


def _create(file: Path) -> None:
    """Create an empty file for this user alone, if there is none.

    The files that SQLite puts beside it get the same mode.
    """
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        # SQLite would take a short text for an empty database, and write over it.
        with file.open("rb") as opened:
            head = opened.read(len(_MAGIC))
        if head not in (b"", _MAGIC):
            raise UnusableDatabase("it is not a database. Give another --database FILE.") from None


def _has_this_version(file: Path) -> bool:
    with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=rw", uri=True, timeout=1)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        if not all(name.startswith(_OWN_TABLES) for name in tables):
            raise UnusableDatabase("it is a database of something else. Give another --database FILE.")
        try:
            database.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError as error:
            raise UnusableDatabase(
                f"another process uses it ({error}). Give each sandbox a --database FILE, or :memory:."
            ) from error
        (version,) = database.execute("PRAGMA user_version").fetchone()
    return not tables or version == _version()


def _version() -> int:
    """Return the version of the tables, a positive number of 31 bits."""
    digest = hashlib.sha256(b"".join(migration.read_bytes() for migration in _MIGRATIONS)).digest()
    return int.from_bytes(digest[:4], "big") >> 1 or 1
