"""Accounts outside the settings, as a shop's table would give them, with a count of what was read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cryptography.fernet import Fernet

from wallet_gateway import gateways

PATH = "tests.conf.table.ACCOUNTS"
ACCOUNT: dict[str, Any] = {
    "BASE_URL": "sandbox",
    "MERCHANT_ID": "SANDBOX-MERCHANT",
    "STORE_ID": "SANDBOX-STORE",
    "USER_ID": "sandbox-user",
    "PROVIDER": "ExampleWalletV2",
}


class Table(Mapping[str, Any]):
    """Rows by alias, with a version; an exception among the rows is raised when it is read."""

    def __init__(self) -> None:
        self.rows: dict[str, Any] = {}
        self.revision: object = 1
        self.asked = self.read = 0

    def version(self) -> object:
        self.asked += 1
        if isinstance(self.revision, Exception):
            raise self.revision
        return self.revision

    def __getitem__(self, alias: str) -> object:
        self.read += 1
        row = self.rows[alias]
        if isinstance(row, Exception):
            raise type(row)(*row.args)
        return row

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def write(self, revision: object, **rows: Any) -> None:
        """Replace all rows; underscores in a name are the hyphens of an alias."""
        self.rows = {name.replace("_", "-"): row for name, row in rows.items()}
        self.revision = revision


ACCOUNTS = Table()
UNVERSIONED: dict[str, Any] = {}


def no_mapping() -> list[str]:
    return ["tenant-7"]


class ReadsItself(Table):
    """A table whose own code asks the plugin for an account while it is read."""

    def version(self) -> object:
        found = super().version()
        gateways.gateway("a")
        return found


READS_ITSELF = ReadsItself()


def settings_of(path: str = PATH, **others: Any) -> dict[str, Any]:
    """`WALLET_GATEWAY` with accounts outside, at the sandbox's usual address."""
    given = {
        "PUBLIC_ORIGIN": "http://127.0.0.1:8000",
        "GATEWAYS": path,
        "BASE_URLS": {"sandbox": "http://127.0.0.1:8001"},
        "FERNET_KEYS": [Fernet.generate_key().decode()],
    }
    return given | others
