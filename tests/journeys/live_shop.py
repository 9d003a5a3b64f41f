"""The example shop as a process, and what a test may do to it: run its commands, let its time pass."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Self

from cryptography.fernet import Fernet

from wallet_gateway.testing.configuration import BUILT_IN_MERCHANT
from wallet_gateway.testing.sandbox import SandboxControl

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

SECONDS_TO_START = 60.0
STAMP = "%Y-%m-%d %H:%M:%S.%f"
FILLED = """
from django.core.management import call_command
call_command("migrate", verbosity=0, interactive=False)
call_command("seed_shop")
"""
ORDERED = """
from example_project.shop.cart import CartLine
from example_project.shop.models import Product, ShippingMethod
from example_project.shop.ordering import place_order
from example_project.shop.preferences import CheckoutAnswers
from example_project.shop.pricing import price_cart
from example_project.shop.sheet_choices import SheetChoices
from example_project.shop.views.checkout import EXAMPLE_ADDRESS
answers = CheckoutAnswers(key={key!r}, address={{"billing": EXAMPLE_ADDRESS, "parcel": {{}}}})
lines = [CartLine(product=Product.objects.get(slug={slug!r}), quantity=1)]
quote = price_cart(lines, "EUR", shipping_method=ShippingMethod.objects.get(code=answers.shipping), code=None)
place_order(quote, answers, language="en", sheet=SheetChoices())
"""
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(kw_only=True)
class LiveShop:
    """`manage.py runserver` on a port and a database file of its own, pointed at one sandbox gateway."""

    folder: Path
    port: int
    gateway: str
    manage: Path
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    _office: subprocess.Popen[str] | None = field(default=None, init=False)
    _secret: str = field(default_factory=lambda: Fernet.generate_key().decode(), init=False, repr=False)

    def __enter__(self) -> Self:
        with (self.folder / "office.log").open("wb") as log:
            self._office = subprocess.Popen(
                [sys.executable, "-m", "tests.journeys.back_office"],
                cwd=self.manage.parent,
                env=self._environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self.runs(FILLED)
        with (self.folder / "shop.log").open("wb") as log:
            self._process = subprocess.Popen(
                self._line("runserver", "--noreload", f"127.0.0.1:{self.port}"),
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self._wait_until_it_answers()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process
        self._process.terminate()
        self._process.wait(30)
        assert self._office
        # Its last line read, it ends.
        self._office.communicate(timeout=30)

    @property
    def url(self) -> str:
        """Where the shop answers, without a trailing slash."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def control(self) -> SandboxControl:
        """The control interface of the gateway."""
        return SandboxControl(self.gateway)

    def command(self, *arguments: str) -> str:
        """Run a management command of the shop; give what it printed."""
        done = subprocess.run(
            self._line(*arguments), env=self._environment(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def runs(self, code: str) -> None:
        """Run code beside the shop, with its settings and on its database."""
        assert self._office
        assert self._office.stdin
        assert self._office.stdout
        self._office.stdin.write(json.dumps(code) + "\n")
        self._office.stdin.flush()
        answer = self._office.stdout.readline()
        assert answer, (self.folder / "office.log").read_text()
        fault = json.loads(answer)
        assert not fault, fault

    def places_an_order(self, slug: str = "harbour-mug") -> str:
        """Have an order placed as the review page places it; give the address of the order's page."""
        key = secrets.token_urlsafe(16)
        self.runs(ORDERED.format(key=key, slug=slug))
        return f"{self.url}/orders/{key}/"

    def let_time_pass(self, seconds: int) -> None:
        """Make all that the wallet app has written older, as though that much time had passed in the shop."""
        with closing(sqlite3.connect(self._database, timeout=30)) as database, database:
            # A transaction that only begins to write after it has read does not wait for the shop: it fails.
            database.execute("BEGIN IMMEDIATE")
            for table, column in _instants(database):
                rows = database.execute(
                    f"SELECT rowid, {column} FROM {table} WHERE {column} IS NOT NULL"
                ).fetchall()
                earlier = [(_earlier(text, seconds), row) for row, text in rows]
                database.executemany(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", earlier)

    def forgets_its_keys(self) -> None:
        """Make the shop ask the gateway for a new key for its wallet buttons."""
        with closing(sqlite3.connect(self._database, timeout=30)) as database, database:
            database.execute("UPDATE wallet_gateway_walletkey SET expires_at = '2020-01-01 00:00:00'")

    @property
    def _database(self) -> Path:
        return self.folder / "shop.sqlite3"

    def _line(self, *arguments: str) -> list[str]:
        return [sys.executable, str(self.manage), *arguments]

    def _environment(self) -> dict[str, str]:
        ours = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
        account = {
            **BUILT_IN_MERCHANT,
            "BASE_URL": self.gateway,
            "APPROVAL_LIMITS": "EUR=50.00",
        }
        return {
            **ours,
            **{f"WALLET_GATEWAY__GATEWAYS__DEFAULT__{name}": value for name, value in account.items()},
            "DEBUG": "true",
            # One key for the shop and for the commands beside it.
            "WALLET_GATEWAY__FERNET_KEYS": self._secret,
            "DATABASE_URL": f"sqlite:///{self._database}",
            "WALLET_GATEWAY__PUBLIC_ORIGIN": self.url,
        }

    def _wait_until_it_answers(self) -> None:
        give_up_at = time.monotonic() + SECONDS_TO_START
        while True:
            try:
                OPENER.open(self.url, timeout=10).close()
            except urllib.error.URLError:
                assert self._process
                assert self._process.poll() is None, (self.folder / "shop.log").read_text()
                assert time.monotonic() < give_up_at, "the shop does not answer"
                time.sleep(0.1)
            else:
                return


def _instants(database: sqlite3.Connection) -> list[tuple[str, str]]:
    """Every column of the wallet app's tables that holds an instant."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'wallet_gateway_%'"
    return [
        (table, column)
        for (table,) in database.execute(query).fetchall()
        for _, column, kind, *_ in database.execute(f"PRAGMA table_info({table})").fetchall()
        if kind == "datetime"
    ]


def _earlier(text: str, seconds: int) -> str:
    stamp = datetime.strptime(text if "." in text else f"{text}.0", STAMP)  # noqa: DTZ007 - stored without zone
    return (stamp - timedelta(seconds=seconds)).strftime(STAMP)
