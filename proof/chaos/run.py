"""The frame of a run: the command line, a sandbox, a database of its own, and the exit code.

Nothing here has rows: Django is set up only when sandbox and database are known.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

from proof.chaos.databases import database_entry, own_database
from proof.chaos.options import Options, Refused, read_options
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.sandbox import SandboxServer

if TYPE_CHECKING:
    from proof.chaos.report import Report

GOOD, FOUND, REFUSED = 0, 1, 2
_HASTY: Final = {"WALLET_CHAOS_READ_TIMEOUT": "1.5", "WALLET_CHAOS_TOTAL_TIMEOUT": "2.5"}
"""How long several workers wait for an answer, in seconds; one worker has all the time in the world."""


def main(arguments: Sequence[str]) -> int:
    """Run as the command line says; return 0 if all holds, 1 if something was found, 2 if it was refused."""
    signal.signal(signal.SIGTERM, _end)
    try:
        options = read_options(arguments)
        with tempfile.TemporaryDirectory(prefix="wallet-chaos-", ignore_cleanup_errors=True) as name:
            report = _run(options, Path(name))
    except Refused as refused:
        sys.stderr.write(f"{refused}\n")
        return REFUSED
    for line in report.lines():
        say(line)
    if options.report is not None:
        report.write(options.report)
    return FOUND if report.found else GOOD


def _end(number: int, _frame: FrameType | None) -> None:
    """End as after an exception: what the run has made is taken away, and its processes are ended."""
    sys.exit(128 + number)


def say(line: str) -> None:
    """Print a line at once, also into a pipe."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _run(options: Options, folder: Path) -> Report:
    if not hasattr(os, "fork"):
        raise Refused("A chaos run needs processes that fork, which this system does not have.")
    entry = database_entry(options.database, options.server, folder)
    with _sandbox(options, folder) as control:
        _set_up_django(options, entry, control.base_url)
        with own_database(options.database, entry):
            from proof.chaos.session import Session

            return Session(options, folder, control, say=say).run()


@contextmanager
def _sandbox(options: Options, folder: Path) -> Iterator[SandboxControl]:
    """Give the control of a sandbox: one of the run's own, or the one that was named, as at its start."""
    if options.sandbox_url is None:
        with SandboxServer("--database", str(folder / "sandbox.sqlite3")) as server:
            yield server.control
        return
    control = SandboxControl(options.sandbox_url)
    try:
        control.reset()
    except (OSError, ValueError, AssertionError) as error:
        raise Refused(f"{options.sandbox_url} does not answer as a sandbox.") from error
    yield control


def _set_up_django(options: Options, entry: dict[str, Any], base_url: str) -> None:
    import django
    from django.core.exceptions import ImproperlyConfigured

    several = options.workers > 1
    # The caller's own settings may be named in the environment; their database must not be touched.
    os.environ["DJANGO_SETTINGS_MODULE"] = "proof.chaos.settings"
    os.environ["WALLET_CHAOS_DATABASE"] = json.dumps(entry)
    os.environ["WALLET_CHAOS_SANDBOX"] = base_url
    os.environ["WALLET_CHAOS_QUERY_WORKERS"] = "2" if several else "1"
    os.environ.update(_HASTY if several else {})
    try:
        django.setup()
    except ImproperlyConfigured as error:
        # Such as a driver that is not installed.
        raise Refused(" ".join(str(error).split())) from error
