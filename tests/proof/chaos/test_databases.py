"""The database of a chaos run: made for it, and gone after it, whatever happens."""

from __future__ import annotations

from pathlib import Path

import pytest

from proof.chaos.databases import database_entry, own_database
from proof.chaos.options import Refused

KINDS = {"postgresql": "postgres", "mysql": "mariadb"}


def test_sqlite_is_a_file_in_the_folder_of_the_run(tmp_path: Path) -> None:
    entry = database_entry("sqlite", None, tmp_path)
    assert Path(entry["NAME"]).parent == tmp_path
    with own_database("sqlite", entry):
        pass


def test_on_a_server_it_has_a_name_that_nobody_else_has(tmp_path: Path) -> None:
    names = {database_entry("postgres", "postgres://x@127.0.0.1", tmp_path)["NAME"] for _ in range(5)}
    assert len(names) == 5
    assert all(name.startswith("wallet_chaos_") for name in names)


def test_a_server_named_by_the_environment_must_be_on_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARIADB_URL", "mysql://root:secret@db.example/shop")
    with pytest.raises(Refused, match="MARIADB_URL must name a server on this machine") as refused:
        database_entry("mariadb", None, tmp_path)
    assert "secret" not in str(refused.value)


def test_the_password_of_a_server_may_be_quoted(tmp_path: Path) -> None:
    entry = database_entry("postgres", "postgres://shop:a%40b@localhost:5433", tmp_path)
    assert (entry["USER"], entry["PASSWORD"], entry["PORT"]) == ("shop", "a@b", "5433")
