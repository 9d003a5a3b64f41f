"""Starting and ending the sandbox as a command.

What is refused before anything is set up needs no process of its own. A start is most of the time of a test,
so a sandbox that is started does more than one thing before it is ended.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tests.sandbox.merchant import Merchant
from tests.sandbox.wallet_buyer import Buyer
from tests.support.waiting import eventually
from wallet_gateway.sandbox.__main__ import main
from wallet_gateway.testing.control import SandboxControl

READY = re.compile(r"Sandbox gateway ready at (http://[\d.]+:(\d+))( \(database (.+)\))?\n")
NOTHING_KEPT = ("--database", ":memory:")
SET_ASIDE = (
    "sandbox.sqlite3 is of another version of the sandbox; it is sandbox.sqlite3.old-1 now, "
    "and a new one is begun.\n"
)
NAME = ("--merchant-name", "Lark & Loam")
IDS = {"merchantId": "M", "storeId": "S", "userId": "u"}
Start = Callable[..., "Running"]


class Running:
    """A sandbox that was started as a command."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout is not None
        self.line = process.stdout.readline()
        found = READY.fullmatch(self.line)
        assert found, self.line
        self.url, self.port, self.database = found[1], int(found[2]), found[4]

    def end(self, by: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
        """End it by a signal; give exit code and what else it printed."""
        self.process.send_signal(by)
        output, errors = self.process.communicate(timeout=60)
        return self.process.returncode, output, errors


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment of a caller who is in the middle of another project."""
    return os.environ | {"TMPDIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "callers.own.settings"}


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Start]:
    """Starts sandboxes that are ended after the test, whatever happens."""
    processes: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **variables: str) -> Running:
        processes.append(launch(environment | variables, *arguments))
        return Running(processes[-1])

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def launch(environment: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error", "-m", "wallet_gateway.sandbox", *arguments]
    return subprocess.Popen(
        command,
        cwd=environment["TMPDIR"],
        env=environment | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def held_up(sandbox: Running) -> Iterator[None]:
    """A request that waits for a minute."""
    control = SandboxControl(sandbox.url)
    control.reset()
    control.fault("checkout", "delay_before", seconds=60)
    with socket.create_connection(("127.0.0.1", sandbox.port)) as connection:
        connection.sendall(b"POST /api/v5/checkout HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n")
        assert eventually(lambda: bool(control.journal()))
        yield


def test_one_line_when_it_answers_and_an_end_that_no_request_and_no_connection_holds_up(
    start: Start, tmp_path: Path
) -> None:
    sandbox = start("--port", "0", *NOTHING_KEPT)
    assert sandbox.database is None
    with Merchant(sandbox.url) as merchant:
        assert merchant.checkout("A").status == 200
        assert list(tmp_path.glob("wallet-sandbox-*/sandbox.sqlite3"))
        # The connection is still open.
        with held_up(sandbox):
            assert sandbox.end(signal.SIGTERM) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_on_a_port_of_ones_own_with_merchants_of_a_file_ctrl_c_ends_it(start: Start, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    file = tmp_path / "merchants.json"
    file.write_text(json.dumps([IDS, IDS | {"storeId": "T", "provider": "OtherV2"}]))
    behind = ("--public-url", "https://Staging.example:443/pay/", "--control-key", "secret")
    sandbox = start("--port", str(port), "--merchants", str(file), *NAME, *behind, *NOTHING_KEPT)
    assert sandbox.port == port
    control = SandboxControl(sandbox.url, key="secret")
    control.reset()
    with Merchant(sandbox.url) as merchant:
        outside, _, path = merchant.checkout("A").json["redirectUrl"].partition("/checkout/")
        assert outside == "https://staging.example/pay"
        assert "Lark &amp; Loam" in merchant.send("GET", f"/checkout/{path}").body.decode()
        assert merchant.checkout("B", **IDS).status == 200
        other = {"checkoutDetails": {"paymentMethod": "OtherV2"}, **IDS, "storeId": "T"}
        assert merchant.checkout("B", **other).status == 200
        # A failure that was set is not reported as the sandbox's own.
        control.fault("*", "status_before", status=500)
        assert merchant.checkout("C").status == 500
        assert sandbox.end(signal.SIGINT) == (0, "", "")
    assert list(tmp_path.iterdir()) == [file]


def refusal(environment: dict[str, str], *arguments: str) -> str:
    """Start what cannot start; give its one line of reason."""
    process = launch(environment, *arguments)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (1, "")
    assert errors.count("\n") == 1, errors
    return errors


@pytest.mark.parametrize(
    ("arguments", "public_url"),
    [
        *((["--host", host], "") for host in ("0.0.0.0", "::", "192.0.2.1", "shop.example")),
        ([], "https://staging.example/gateway"),
    ],
)
def test_where_others_can_reach_it_directly_or_through_a_proxy_it_needs_a_key(
    arguments: list[str],
    public_url: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WALLET_SANDBOX_CONTROL_KEY", "")
    monkeypatch.setenv("WALLET_SANDBOX_PUBLIC_URL", public_url)
    assert main(["--port", "0", *arguments]) == 1
    assert "--control-key" in capsys.readouterr().err


def test_without_an_option_it_keeps_everything_in_a_file_of_the_working_folder_even_if_it_is_killed(
    start: Start, environment: dict[str, str], tmp_path: Path
) -> None:
    first = start("--port", "0")
    assert first.database == "sandbox.sqlite3"
    control = SandboxControl(first.url)
    control.fault("refund", "empty")
    with Merchant(first.url) as merchant:
        buyer = Buyer(merchant, control)
        answer = merchant.checkout("A")
        control.complete_checkout("A", "success")
        control.advance_clock(600)
        control.behaviour(letter_case="lower", duplicates="replay")
        before, journal = merchant.status("A").body, control.journal()
    # The folder for what is not kept is empty.
    files = [file for file in tmp_path.iterdir() if file.is_file()]
    assert {file.name for file in files} >= {"sandbox.sqlite3", "sandbox.sqlite3-wal"}
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert "another process uses it" in refusal(environment, "--port", "0")
    first.end(by=signal.SIGKILL)

    second = start("--port", "0")
    control = SandboxControl(second.url)
    assert control.journal()[: len(journal)] == journal
    assert [fault["fault"] for fault in control.fault("*", "drip")] == ["empty", "drip"]
    control.clear_faults()
    with Merchant(second.url) as merchant:
        assert merchant.status("A").body == before
        assert merchant.checkout("A").body.lower() == answer.body.lower()
        # A shop's keys of before the restart are still taken.
        buyer.merchant, buyer.control = merchant, control
        assert buyer.create(buyer.data()).status == 200
    assert second.end() == (0, "", "")

    with closing(sqlite3.connect(tmp_path / "sandbox.sqlite3")) as database:
        database.execute("PRAGMA user_version = 3")
    third = start("--port", "0")
    with Merchant(third.url) as merchant:
        assert merchant.records("A") == []
    assert third.end() == (0, "", SET_ASIDE)
    with closing(sqlite3.connect(tmp_path / "sandbox.sqlite3.old-1")) as aside:
        assert aside.execute("SELECT count(*) FROM wallet_sandbox_journalentry").fetchone()[0] > 0


def of_something_else(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA journal_mode = wal")
        database.execute("CREATE TABLE django_migrations (id INTEGER PRIMARY KEY)")
        database.execute("CREATE TABLE auth_user (id INTEGER PRIMARY KEY)")


@pytest.mark.parametrize(
    ("option", "make", "reason"),
    [
        ("--database", of_something_else, "a database of something else"),
        ("--database", lambda file: file.write_bytes(b"SQLite format 3\0" + b"\xff" * 999), "Cannot use"),
        ("--database", lambda file: file.mkdir(), "Cannot use"),
        ("--merchants", lambda file: file.write_text("[null]"), "must be a JSON list of objects"),
        ("--merchants", lambda _: None, "No such file"),
    ],
    ids=["another database", "broken", "folder", "no merchants", "missing"],
)
def test_a_file_that_it_cannot_use_is_named_and_left_as_it_is(
    environment: dict[str, str],
    tmp_path: Path,
    option: str,
    make: Callable[[Path], object],
    reason: str,
) -> None:
    file = tmp_path / "given"
    make(file)
    before = {one: one.is_file() and one.read_bytes() for one in tmp_path.iterdir()}
    kept = () if option == "--database" else NOTHING_KEPT
    said = refusal(environment, "--port", "0", option, str(file), *kept)
    assert str(file) in said
    assert reason in said
    assert {one: one.is_file() and one.read_bytes() for one in tmp_path.iterdir()} == before


def test_a_sandbox_does_not_share_its_port_and_says_that_it_is_taken(
    control: SandboxControl, environment: dict[str, str], tmp_path: Path
) -> None:
    port = int(control.base_url.rpartition(":")[2])
    assert refusal(environment, "--port", str(port)) == (
        f"Cannot listen on 127.0.0.1 port {port}: Address already in use. "
        f"Choose another one, such as --port {port + 1}, and name it in the shop's BASE_URL.\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_an_end_during_the_start_leaves_nothing_behind(environment: dict[str, str], tmp_path: Path) -> None:
    process = launch(environment, "--port", "0", *NOTHING_KEPT)
    assert eventually(lambda: bool(list(tmp_path.glob("wallet-sandbox-*"))) or process.poll() is not None)
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert list(tmp_path.iterdir()) == []
