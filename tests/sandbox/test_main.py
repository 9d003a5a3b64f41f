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
from tests.waiting import eventually
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


def test_on_a_port_of_ones_own_ctrl_c_ends_it_and_no_fault_that_was_set_is_reported_as_its_failure(
    start: Start, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    sandbox = start("--port", str(port), *NOTHING_KEPT)
    assert sandbox.port == port
    SandboxControl(sandbox.url).fault("*", "status_after", times=2, status=503)
    SandboxControl(sandbox.url).fault("*", "status_before")
    with Merchant(sandbox.url) as merchant:
        assert [merchant.checkout(reference).status for reference in "ABC"] == [503, 503, 500]
        assert sandbox.end(signal.SIGINT) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def refusal(environment: dict[str, str], *arguments: str) -> str:
    """Start what cannot start; give its one line of reason."""
    process = launch(environment, *arguments)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (1, "")
    assert errors.count("\n") == 1, errors
    return errors


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "shop.example"])
def test_an_address_others_can_reach_needs_a_key(
    host: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WALLET_SANDBOX_CONTROL_KEY", raising=False)
    assert main(["--port", "0", "--host", host]) == 1
    assert "--control-key" in capsys.readouterr().err


def test_behind_a_proxy_it_needs_a_key(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WALLET_SANDBOX_CONTROL_KEY", raising=False)
    monkeypatch.setenv("WALLET_SANDBOX_PUBLIC_URL", "https://staging.example/gateway")
    assert main(["--port", "0"]) == 1
    assert "--control-key" in capsys.readouterr().err


def test_a_database_file_keeps_everything_between_two_runs(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "kept.sqlite3"
    first = start("--port", "0", "--database", str(file))
    with Merchant(first.url) as merchant:
        merchant.checkout("A")
        control = SandboxControl(first.url)
        control.complete_checkout("A", "success")
        control.advance_clock(3600)
        control.behaviour(letter_case="lower")
        control.fault("refund", "empty")
        before = merchant.records("A")
    assert first.end()[0] == 0
    second = start("--port", "0", "--database", str(file))
    with Merchant(second.url) as merchant:
        assert merchant.records("A") == before
        assert merchant.checkout("A").status == 409
        assert SandboxControl(second.url).behaviour()["letterCase"] == "lower"
        assert [fault["fault"] for fault in SandboxControl(second.url).fault("*", "drip")] == [
            "empty",
            "drip",
        ]
        assert len(SandboxControl(second.url).journal()) == 4
    assert second.end()[0] == 0
    assert file.exists()


def test_without_an_option_it_keeps_everything_in_a_file_of_the_working_folder(
    start: Start, environment: dict[str, str], tmp_path: Path
) -> None:
    first = start("--port", "0")
    assert first.database == "sandbox.sqlite3"
    with Merchant(first.url) as merchant:
        buyer = Buyer(merchant, SandboxControl(first.url))
        merchant.checkout("A")
        SandboxControl(first.url).complete_checkout("A", "success")
        before = merchant.records("A")
    # The folder for what is not kept is empty.
    files = [file for file in tmp_path.iterdir() if file.is_file()]
    assert {file.name for file in files} >= {"sandbox.sqlite3", "sandbox.sqlite3-wal"}
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert "another process uses it" in refusal(environment, "--port", "0")
    assert first.end() == (0, "", "")
    assert [file.name for file in tmp_path.iterdir()] == ["sandbox.sqlite3"]

    second = start("--port", "0")
    with Merchant(second.url) as merchant:
        assert merchant.records("A") == before
        buyer.merchant, buyer.control = merchant, SandboxControl(second.url)
        # A shop's keys of before the restart are still taken.
        assert buyer.create(buyer.data()).status == 200
    assert second.end() == (0, "", "")

    with closing(sqlite3.connect(tmp_path / "sandbox.sqlite3")) as database:
        database.execute("PRAGMA user_version = 3")
    third = start("--port", "0")
    with Merchant(third.url) as merchant:
        assert merchant.records("A") == []
    assert third.end() == (
        0,
        "",
        SET_ASIDE,
    )


def test_a_killed_sandbox_still_knows_what_it_answered(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "kept.sqlite3"
    first = start("--port", "0", "--database", str(file))
    with Merchant(first.url) as merchant:
        answer = merchant.checkout("A")
    first.end(by=signal.SIGKILL)
    second = start("--port", "0", "--database", str(file))
    control = SandboxControl(second.url)
    (entry,) = control.journal()
    assert (entry["status"], entry["answer"]) == (200, answer.json)
    control.behaviour(duplicates="replay")
    with Merchant(second.url) as merchant:
        assert merchant.checkout("A").json == answer.json


@pytest.fixture(scope="module")
def equipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A sandbox on every address of this machine, with a key and with merchants of a file."""
    folder = tmp_path_factory.mktemp("equipped")
    merchants = folder / "merchants.json"
    merchants.write_text(json.dumps([IDS, IDS | {"storeId": "T", "provider": "OtherV2"}]))
    environment = os.environ | {"TMPDIR": str(folder), "WALLET_SANDBOX_CONTROL_KEY": "secret"}
    process = launch(environment, "--host", "0.0.0.0", "--port", "0", "--merchants", str(merchants), *NAME)
    try:
        yield Running(process)
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_a_sandbox_does_not_share_its_port_and_says_that_it_is_taken(
    equipped: Running, environment: dict[str, str], tmp_path: Path
) -> None:
    assert refusal(environment, "--port", str(equipped.port)) == (
        f"Cannot listen on 127.0.0.1 port {equipped.port}: Address already in use. "
        f"Choose another one, such as --port {equipped.port + 1}, and name it in the shop's BASE_URL.\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_an_end_during_the_start_leaves_nothing_behind(environment: dict[str, str], tmp_path: Path) -> None:
    process = launch(environment, "--port", "0", *NOTHING_KEPT)
    assert eventually(lambda: bool(list(tmp_path.glob("wallet-sandbox-*"))) or process.poll() is not None)
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert list(tmp_path.iterdir()) == []
