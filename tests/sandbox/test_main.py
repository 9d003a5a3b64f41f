"""Starting and ending the sandbox as a command.

What is refused before anything is set up needs no process of its own.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.sandbox.merchant import Merchant
from wallet_gateway.sandbox.__main__ import main
from wallet_gateway.testing.control import SandboxControl

READY = re.compile(r"Sandbox gateway ready at (http://127\.0\.0\.1:(\d+))\n")
Start = Callable[..., "Running"]


class Running:
    """A sandbox that was started as a command."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout is not None
        self.line = process.stdout.readline()
        found = READY.fullmatch(self.line)
        assert found, self.line
        self.url, self.port = found[1], int(found[2])

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
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "Ctrl-C"])
def test_one_line_when_it_answers_and_a_clean_end(start: Start, tmp_path: Path, by: signal.Signals) -> None:
    sandbox = start("--port", "0")
    with Merchant(sandbox.url) as merchant:
        assert merchant.checkout("A").status == 200
        assert list(tmp_path.glob("wallet-sandbox-*/sandbox.sqlite3"))
        # The connection is still open, and must not hold the end up.
        assert sandbox.end(by) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_a_request_that_waits_does_not_hold_the_end_up(start: Start) -> None:
    sandbox = start("--port", "0")
    SandboxControl(sandbox.url).fault("checkout", "delay_before", seconds=60)
    with socket.create_connection(("127.0.0.1", sandbox.port)) as connection:
        connection.sendall(b"POST /api/v5/checkout HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n")
        while not SandboxControl(sandbox.url).journal():
            pass
        assert sandbox.end() == (0, "", "")


def test_a_fault_that_was_set_is_not_reported_as_a_failure_of_the_sandbox(start: Start) -> None:
    sandbox = start("--port", "0")
    SandboxControl(sandbox.url).fault("*", "status_after", times=2, status=503)
    SandboxControl(sandbox.url).fault("*", "status_before")
    with Merchant(sandbox.url) as merchant:
        assert [merchant.checkout(reference).status for reference in "ABC"] == [503, 503, 500]
    assert sandbox.end() == (0, "", "")


def test_a_port_of_ones_own_is_taken(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert start("--port", str(port)).port == port


def test_the_default_is_port_8001_of_this_machine(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as finished:
        main(["--help"])
    output = capsys.readouterr().out
    assert finished.value.code == 0
    assert re.search(r"default:\s+127\.0\.0\.1", output)
    assert re.search(r"default:\s+8001", output)


def refusal(environment: dict[str, str], *arguments: str) -> str:
    """Start what cannot start; give its one line of reason."""
    process = launch(environment, *arguments)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (1, "")
    assert errors.count("\n") == 1, errors
    return errors


def test_a_taken_port_is_said_to_be_taken(environment: dict[str, str], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert refusal(environment, "--port", port) == (
            f"Cannot listen on 127.0.0.1 port {port}: Address already in use.\n"
        )
    assert list(tmp_path.iterdir()) == []


def test_a_sandbox_does_not_share_its_port(start: Start, environment: dict[str, str]) -> None:
    port = str(start("--port", "0").port)
    assert "already in use" in refusal(environment, "--port", port)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "shop.example"])
def test_an_address_others_can_reach_needs_a_key(
    host: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WALLET_SANDBOX_CONTROL_KEY", raising=False)
    assert main(["--port", "0", "--host", host]) == 1
    assert "--control-key" in capsys.readouterr().err


def test_with_a_key_it_may_listen_to_all(start: Start, environment: dict[str, str]) -> None:
    process = launch(
        environment | {"WALLET_SANDBOX_CONTROL_KEY": "secret"}, "--host", "0.0.0.0", "--port", "0"
    )
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline().rpartition(":")[2])
        assert SandboxControl(f"http://127.0.0.1:{port}", key="secret").journal() == []
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_a_host_that_does_not_exist_is_a_clear_error(environment: dict[str, str]) -> None:
    line = refusal(environment, "--port", "0", "--host", "no-such-host.invalid", "--control-key", "k")
    assert line.startswith("Cannot listen on no-such-host.invalid port 0: ")


@pytest.mark.parametrize("port", ["65536", "-1", "http"])
def test_a_port_that_is_none_is_a_usage_error(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        main(["--port", port])
    assert refused.value.code == 2
    assert "--port" in capsys.readouterr().err


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


def test_a_database_that_cannot_be_used_is_a_clear_error(environment: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "missing" / "folder.sqlite3"
    line = refusal(environment, "--port", "0", "--database", str(file))
    assert line.startswith(f"Cannot use the database {file}: ")


def test_a_file_that_is_no_database_is_a_clear_error(environment: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("This is no database, and must not become one. " * 50)
    assert "Cannot use the database" in refusal(environment, "--port", "0", "--database", str(file))
    assert file.read_text().startswith("This is no database")


def test_merchants_of_a_file_are_there_from_the_start_and_after_a_reset(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "merchants.json"
    ids = {"merchantId": "M", "storeId": "S", "userId": "u"}
    file.write_text(json.dumps([ids, ids | {"storeId": "T", "provider": "OtherV2"}]))
    sandbox = start("--port", "0", "--merchants", str(file))
    other = {"checkoutDetails": {"paymentMethod": "OtherV2"}}
    with Merchant(sandbox.url) as merchant:
        for _ in range(2):
            assert merchant.checkout("A", **ids).status == 200
            assert merchant.checkout("A", **ids | {"storeId": "T"}, **other).status == 200
            SandboxControl(sandbox.url).reset()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[{", "not JSON"),
        ("{}", "JSON list"),
        ('["M"]', "JSON list"),
        ('[{"merchantId": "M", "storeId": "S"}]', "userId is missing"),
        ('[{"merchantId": "M", "storeId": "S", "userId": "u", "shop": 1}]', "'shop'"),
    ],
)
def test_a_wrong_file_of_merchants_says_what_is_wrong(
    environment: dict[str, str], tmp_path: Path, content: str, reason: str
) -> None:
    file = tmp_path / "merchants.json"
    file.write_text(content)
    line = refusal(environment, "--port", "0", "--merchants", str(file))
    assert line.startswith(f"{file}: ")
    assert reason in line


def test_a_missing_file_of_merchants_is_a_clear_error(environment: dict[str, str]) -> None:
    missing = str(Path(tempfile.gettempdir(), "no-such-merchants.json"))
    assert missing in refusal(environment, "--port", "0", "--merchants", missing)


def test_an_end_during_the_start_leaves_nothing_behind(environment: dict[str, str], tmp_path: Path) -> None:
    process = launch(environment, "--port", "0")
    while not list(tmp_path.glob("wallet-sandbox-*")) and process.poll() is None:
        pass
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert list(tmp_path.iterdir()) == []
