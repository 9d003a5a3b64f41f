"""The sandbox's database file: what is taken, what is set aside, and what is left alone."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from wallet_gateway.sandbox.database_file import UnusableDatabase, check_database, occupy_database

OWN = ("django_migrations", "wallet_sandbox_sandboxstate", "wallet_sandbox_merchant")


def make(file: Path, tables: Iterable[str], *, journal_mode: str = "wal") -> None:
    with closing(sqlite3.connect(file)) as database:
        database.execute(f"PRAGMA journal_mode = {journal_mode}")
        for table in tables:
            database.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY AUTOINCREMENT)")


def of_this_version(file: Path) -> None:
    make(file, OWN)
    occupy_database(file).close()


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "sandbox.sqlite3"


def test_a_new_file_is_for_its_user_alone(file: Path) -> None:
    assert check_database(file) is None
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"", 0o600)


@pytest.mark.parametrize("version", [0, 1, 2**31 - 1])
@pytest.mark.parametrize("tables", [OWN, OWN[1:], (*OWN, "wallet_sandbox_later")], ids=len)
def test_a_file_of_another_version_is_set_aside(file: Path, tables: tuple[str, ...], version: int) -> None:
    for number in (1, 2):
        make(file, tables)
        with closing(sqlite3.connect(file)) as database:
            database.execute(f"PRAGMA user_version = {version}")
        aside = file.with_name(f"sandbox.sqlite3.old-{number}")
        assert check_database(file) == aside
        with closing(sqlite3.connect(aside)) as database:
            kept = database.execute("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite%'").fetchall()
        assert {name for (name,) in kept} == set(tables)
        assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"", 0o600)
        file.unlink()


@pytest.mark.parametrize("journal_mode", ["wal", "delete"])
@pytest.mark.parametrize(
    "tables", [("shop_order",), ("django_migrations", "auth_user"), (*OWN, "shop_order")], ids=", ".join
)
def test_a_database_of_something_else_is_left_as_it_is(
    file: Path, tables: tuple[str, ...], journal_mode: str
) -> None:
    make(file, tables, journal_mode=journal_mode)
    before = contents(file.parent)
    with pytest.raises(UnusableDatabase, match="a database of something else"):
        check_database(file)
    assert contents(file.parent) == before


@pytest.mark.parametrize("text", [b"This is no database. " * 99, b"\0", b"SQLite format 3\0" + b"\xff" * 999])
def test_a_file_that_is_no_database_is_left_as_it_is(file: Path, text: bytes) -> None:
    file.write_bytes(text)
    with pytest.raises(UnusableDatabase):
        check_database(file)
    assert contents(file.parent) == {file.name: text}


def test_a_folder_is_no_file(file: Path) -> None:
    file.mkdir()
    with pytest.raises(UnusableDatabase):
        check_database(file)


HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT * FROM sqlite_master").fetchall()
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("version", ["this", "another"])
def test_a_file_in_use_is_neither_taken_nor_set_aside(file: Path, version: str) -> None:
    of_this_version(file)
    if version == "another":
        with closing(sqlite3.connect(file)) as database:
            database.execute("PRAGMA user_version = 3")
    # In another process: one process loses its locks on a file with the first descriptor that it closes.
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(UnusableDatabase, match="another process uses it"):
            check_database(file)
        assert file.exists()
        holder.communicate()
    assert (check_database(file) is None) is (version == "this")
