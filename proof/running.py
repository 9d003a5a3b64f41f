"""Runs one part of the proof as a process of its own, for a limited time, with its log in a file.

Parts have process groups of their own, so a signal to the runner does not reach them: `end_all` does.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING

from proof.parts import ROOT
from proof.results import Result, Verdict, read_result

if TYPE_CHECKING:
    from pathlib import Path

    from proof.parts import Part, Size

_running: set[subprocess.Popen[bytes]] = set()


def end_all() -> None:
    """End every part that runs, with all it has started."""
    for process in tuple(_running):
        _end(process)


def run(part: Part, *, size: Size, folder: Path) -> Result:
    """Run a part to its end or its limit; return its row of the table."""
    missing = part.missing()
    if missing:
        return Result(part=part.name, what=part.what, verdict=Verdict.NOT_RUN, notes=missing)
    file = folder / f"{part.name}.json"
    file.unlink(missing_ok=True)
    began = time.monotonic()
    code = _carried_out(part, size, file, folder / f"{part.name}.log")
    seconds = time.monotonic() - began
    if code is None:
        notes = f"ended after {seconds / 60:.0f} minutes"
        return Result(
            part=part.name,
            what=part.what,
            verdict=Verdict.BROKEN,
            seed=size.seed,
            seconds=seconds,
            notes=notes,
        )
    return read_result(file, part=part.name, what=part.what, code=code, seed=size.seed, seconds=seconds)


def _carried_out(part: Part, size: Size, result: Path, log: Path) -> int | None:
    """Return the exit code; None where the part was ended because its time was up."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            part.command(size, result),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            # A group of its own: what the part has started ends with it.
            start_new_session=True,
        )
        _running.add(process)
        try:
            return process.wait(timeout=part.minutes * 60 * max(1, size.scale))
        except subprocess.TimeoutExpired:
            return None
        finally:
            _end(process)
            _running.discard(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End whatever is left of the group of a part."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
