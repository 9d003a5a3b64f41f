"""A reader with an empty folder: runs the steps of a page in one shell, with the built wheel to install from.

Files are written where the page says, commands run in one bash that keeps its folder and its activated
environment, servers run in the background until the page ends, and the browser is one without JavaScript.
"""

from __future__ import annotations

import os
import secrets
import shlex
import signal
import socket
import subprocess
import time
from typing import TYPE_CHECKING

from tests.docs.pages import RUNNABLE, Step, matches
from tests.docs.plain_browser import PlainBrowser

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

# What a reader's shell does not have: this suite's own settings and virtual environment.
NOT_A_READERS = (
    "DJANGO_SETTINGS_MODULE",
    "DATABASE_URL",
    "VIRTUAL_ENV",
    "PYTHONPATH",
    "COVERAGE_PROCESS_START",
)
PATIENCE = 120.0
COMMANDS = {"console", "sh"}
"""Blocks of commands: with a prompt and what is printed, or one command on each line."""


class Reader:
    """Follows a page step by step in a folder."""

    def __init__(self, folder: Path, *, environment: dict[str, str]) -> None:
        self.folder = folder
        self.browser = PlainBrowser()
        kept = {
            k: v
            for k, v in os.environ.items()
            if k not in NOT_A_READERS and not k.startswith(("COV", "PYTEST_"))
        }
        self.environment = {**kept, **environment}
        self._shell = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            cwd=folder,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._background: list[int] = []
        self._printed = ""

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._shell.stdin
        assert self._shell.stdout
        if error is None:
            # What closes its database while the next page empties the folder leaves files that come and go.
            self.stop()
        # The whole group: a development server that reloads itself has a child that outlives it.
        os.killpg(self._shell.pid, signal.SIGTERM)
        try:
            self._shell.wait(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(self._shell.pid, signal.SIGKILL)
            self._shell.wait()
        self._shell.stdin.close()
        self._shell.stdout.close()

    def shell(self, command: str) -> tuple[int, str]:
        """Run one command; give its exit code and what it printed."""
        end = secrets.token_hex(8)
        assert self._shell.stdin
        assert self._shell.stdout
        self._shell.stdin.write(f"{{\n{command}\n}} </dev/null 2>&1\ncode=$?; echo; echo {end} $code\n")
        self._shell.stdin.flush()
        printed: list[str] = []
        for line in self._shell.stdout:
            if line.startswith(end):
                return int(line.split()[1]), "".join(printed).removesuffix("\n")
            printed.append(line)
        raise AssertionError(f"the shell ended in {command!r}: {''.join(printed)}")

    def follow(self, step: Step) -> None:
        """Do what one step says."""
        if step.kind == "<browser>":
            self._browse(step)
        elif step.kind == "<hidden>":
            self._run(step, step.text)
        elif step.kind == "<stop>":
            self.stop()
        elif step.kind in COMMANDS and "background" in step.directives:
            self._start(step)
        elif step.kind in COMMANDS:
            self._type(step)
        elif "output" in step.directives:
            self._compare(step)
        elif step.kind in RUNNABLE or step.directives.keys() & {"file", "append"}:
            self._write(step)

    def _write(self, step: Step) -> None:
        name = step.directives.get("file") or step.directives.get("append")
        assert name, f"{step.where}: which file is this? <!-- file: NAME --> or <!-- append: NAME -->"
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w" if "file" in step.directives else "a", encoding="utf-8") as file:
            file.write(step.text)

    def _type(self, step: Step) -> None:
        for command, expected in commands(step):
            self._printed = self._run(step, command)
            assert not expected or matches(expected, self._printed), (
                f"{step.where}: {command!r} printed:\n{self._printed}"
            )

    def _compare(self, step: Step) -> None:
        assert matches(step.text, self._printed), f"{step.where}: printed was:\n{self._printed}"

    def _run(self, step: Step, command: str) -> str:
        code, printed = self.shell(command)
        assert code == 0, f"{step.where}: {command!r} ended with {code}:\n{printed}"
        return printed

    def stop(self) -> None:
        """End what runs in the background, as a reader would with Ctrl-C."""
        for pid in self._background:
            # Not SIGINT: a shell without a terminal starts its background commands deaf to it.
            self.shell(f"kill -TERM {pid}; wait {pid}")
        self._background.clear()

    def _start(self, step: Step) -> None:
        [(command, _)] = commands(step)
        for port in step.directives["background"].split():
            wait_until_free(int(port))
        log = f"background-{len(self._background)}.log"
        self.shell(f"{command} >{shlex.quote(str(self.folder / log))} 2>&1 &")
        _, pid = self.shell("echo $!")
        self._background.append(int(pid))
        for port in step.directives["background"].split():
            wait_until_open(int(port), why=lambda: (self.folder / log).read_text())

    def _browse(self, step: Step) -> None:
        for order in step.text.split("; "):
            verb, _, what = order.partition(" ")
            getattr(self.browser, verb)(what.strip().strip('"'))


def commands(step: Step) -> list[tuple[str, str]]:
    """The commands of a block, each with the output that a console block shows for it."""
    found: list[tuple[str, str]] = []
    for line in step.text.splitlines():
        is_continued = bool(found) and found[-1][0].endswith("\\")
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif step.kind == "sh" and not is_continued:
            found.append((line, ""))
        else:
            command, shown = found.pop()
            continued = command.endswith("\\")
            found.append((f"{command}\n{line}", shown) if continued else (command, shown + line + "\n"))
    return found


def _open(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_until_free(port: int) -> None:
    """Wait while another test uses a port that the page names."""
    deadline = time.monotonic() + PATIENCE
    while _open(port):
        assert time.monotonic() < deadline, (
            f"port {port} is taken: stop what is running there, then test again"
        )
        time.sleep(0.5)


def wait_until_open(port: int, *, why: object) -> None:
    """Wait until a server answers; show what it printed if it never does."""
    deadline = time.monotonic() + PATIENCE
    while not _open(port):
        assert time.monotonic() < deadline, f"nothing answers on port {port}: {why()}"  # type: ignore[operator]
        time.sleep(0.2)
