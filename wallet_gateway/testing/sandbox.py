"""A sandbox gateway for tests: its process, and its control interface as methods."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from types import TracebackType
from typing import IO, Final, Self, cast

from wallet_gateway.testing.control import SandboxControl

_READY: Final = "Sandbox gateway ready at "
_TERMINATE_IS_A_KILL: Final = sys.platform == "win32"

__all__ = ["SandboxControl", "SandboxNotStarted", "SandboxServer", "shared_sandbox", "stop_shared_sandbox"]


class SandboxNotStarted(RuntimeError):
    """The sandbox ended instead of answering; the message is what it said."""


class SandboxServer:
    """A sandbox gateway on a free port of this machine, for as long as the ``with`` block lasts.

    ``arguments`` are passed on to ``python -m wallet_gateway.sandbox``. It keeps nothing, unless they name a
    ``--database``. It ends with this process, even if that is killed.
    """

    def __init__(self, *arguments: str, control_key: str | None = None) -> None:
        self._arguments = arguments
        self._control_key = control_key
        self._process: subprocess.Popen[str] | None = None
        self._base_url = ""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def base_url(self) -> str:
        """Where the gateway answers, without a trailing slash."""
        return self._base_url

    @property
    def pid(self) -> int:
        """The process of the gateway."""
        return self._running().pid

    @property
    def control(self) -> SandboxControl:
        """The control interface of this gateway."""
        return SandboxControl(self._base_url, key=self._control_key)

    def start(self) -> None:
        """Start the process and wait until it answers; raises ``SandboxNotStarted``."""
        command = [sys.executable, "-m", "wallet_gateway.sandbox", "--port", "0", "--stop-with-stdin"]
        command += ["--database", ":memory:", *self._arguments]
        # Not as an argument, which everybody on the machine can read. And no proxy of another sandbox.
        own = {"WALLET_SANDBOX_CONTROL_KEY": self._control_key or "", "WALLET_SANDBOX_PUBLIC_URL": ""}
        environment = os.environ | own
        self._process = subprocess.Popen(  # noqa: S603 - our own command, no shell reads it
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # Ctrl-C reaches all of the terminal's group, and the test that is running needs its gateway.
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        line = cast(IO[str], self._process.stdout).readline()
        if not line.startswith(_READY):
            self.stop()
            raise SandboxNotStarted(
                f"{' '.join(command)} ended before it was ready: {line.strip() or 'see above'}"
            )
        # Behind the address stands the database file, if there is one.
        self._base_url = line.removeprefix(_READY).split()[0]

    def stop(self, *, seconds: float = 15) -> int:
        """End the process as Ctrl-C would.

        :param seconds: after them it is killed.
        :returns: its exit code.
        """
        process = self._running()
        # There it ends in good order with its input, which `communicate` closes, and leaves no files.
        if not _TERMINATE_IS_A_KILL:
            process.terminate()
        try:
            process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        return process.returncode

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            raise RuntimeError("The sandbox was not started: use it in a 'with' block or call start().")
        return self._process


_shared: dict[int, SandboxServer] = {}
"""By process: a worker that was forked has none of its parent's."""


def shared_sandbox() -> SandboxServer:
    """Return the sandbox of this process, which is started at the first call and ends with the process."""
    pid = os.getpid()
    if pid not in _shared:
        server = SandboxServer()
        server.start()
        _shared[pid] = server
        atexit.register(stop_shared_sandbox)
    return _shared[pid]


def stop_shared_sandbox() -> None:
    """End the sandbox of this process, if there is one; the next call of `shared_sandbox` starts another."""
    if server := _shared.pop(os.getpid(), None):
        server.stop()
