"""The sandbox as a process of a test run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.waiting import eventually
from wallet_gateway.testing.control import SandboxRefused
from wallet_gateway.testing.sandbox import SandboxControl, SandboxNotStarted, SandboxServer


def test_it_runs_as_long_as_the_block_lasts() -> None:
    with SandboxServer() as server:
        assert server.base_url.startswith("http://127.0.0.1:")
        assert isinstance(server.control, SandboxControl)
        assert server.control.journal() == []
        assert os.path.exists(f"/proc/{server.pid}") or os.name != "posix"
    with pytest.raises(OSError, match="refused"):
        server.control.journal()


def test_arguments_and_a_key_are_passed_on() -> None:
    with SandboxServer("--host", "localhost", control_key="secret") as server:
        assert server.control.journal() == []
        with pytest.raises(SandboxRefused, match="401"):
            SandboxControl(server.base_url).journal()


def test_one_that_does_not_listen_is_killed() -> None:
    server = SandboxServer()
    server.start()
    os.kill(server.pid, signal.SIGSTOP)
    assert server.stop(seconds=0.2) == -signal.SIGKILL


def test_one_that_does_not_start_is_a_clear_error(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SandboxNotStarted, match=r"--host 0\.0\.0\.0"):
        SandboxServer("--host", "0.0.0.0").start()
    assert "--control-key" in capfd.readouterr().err


@pytest.mark.parametrize("use", [SandboxServer.stop, lambda server: server.pid], ids=["stop", "pid"])
def test_one_that_was_not_started_cannot_be_used(use: object) -> None:
    assert callable(use)
    with pytest.raises(RuntimeError, match="not started"):
        use(SandboxServer())


def answers(control: SandboxControl) -> bool:
    try:
        control.journal()
    except OSError:
        return False
    return True


HOLDER = """
import os
import signal
from wallet_gateway.testing.sandbox import shared_sandbox

# A shell that has begun the tests in its background has them ignore the one, nohup the other. Written by the
# handler itself, as Ctrl-C may come at any line.
signal.signal(signal.SIGINT, lambda *_: os.write(1, b"Ctrl-C\\n"))
signal.signal(signal.SIGHUP, signal.SIG_DFL)
print(shared_sandbox().base_url, shared_sandbox().pid, flush=True)
input()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds a sandbox, in a session of its own as under a terminal."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        start_new_session=True,
    ) as process:
        yield process
        process.kill()


def held_by(holder: subprocess.Popen[str]) -> tuple[SandboxControl, int]:
    assert holder.stdout is not None
    base_url, pid = holder.stdout.readline().split()
    return SandboxControl(base_url), int(pid)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left_of_one_whose_process_is_killed(
    holder: subprocess.Popen[str], number: signal.Signals, tmp_path: Path
) -> None:
    control, _pid = held_by(holder)
    assert answers(control)
    assert [path.name[:15] for path in tmp_path.iterdir()] == ["wallet-sandbox-"]
    holder.send_signal(number)
    assert eventually(lambda: not answers(control))
    assert eventually(lambda: not list(tmp_path.iterdir()))


def test_ctrl_c_in_the_terminal_leaves_it_to_the_test_that_is_running(holder: subprocess.Popen[str]) -> None:
    control, pid = held_by(holder)
    assert os.getpgid(pid) != os.getpgid(holder.pid)
    os.killpg(holder.pid, signal.SIGINT)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "Ctrl-C\n"
    assert answers(control)
    holder.communicate("end\n")
    assert holder.returncode == 0
    assert not answers(control)


FORKED = """
import os
from wallet_gateway.testing.sandbox import shared_sandbox, stop_shared_sandbox

first = shared_sandbox()
assert shared_sandbox() is first
if not (child := os.fork()):
    assert shared_sandbox().base_url != first.base_url
    stop_shared_sandbox()
    os._exit(0)
assert os.waitpid(child, 0) == (child, 0)
assert first.control.journal() == []
stop_shared_sandbox()
assert shared_sandbox().control.journal() == []
print(first.base_url, shared_sandbox().base_url)
"""


def test_a_process_has_one_and_a_forked_one_its_own() -> None:
    ran = subprocess.run([sys.executable, "-c", FORKED], stdout=subprocess.PIPE, text=True, check=True)
    assert not any(answers(SandboxControl(url)) for url in ran.stdout.split())
