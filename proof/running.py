"""Runs one part of the proof: in this process, or as a process for a limited time with its log in a file.

Such processes have process groups of their own, which a signal to the runner does not reach: `end_all` does.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, get_args, get_type_hints

from proof.parts import ROOT
from proof.results import NotRun, Result, Tally, read_result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from proof.parts import Part

_running: set[subprocess.Popen[bytes]] = set()


def carry_out(part: Part, arguments: Sequence[str]) -> int:
    """Run a part in this process with these options; return 1 if something was found."""
    function = part.load()
    asked = vars(_parser(part, function).parse_args(arguments))
    file: Path | None = asked.pop("result")
    # Who ends the part wants what it has started ended, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        tally = function(**asked)
    except NotRun as why:
        tally = Tally(missing=str(why))
    written = json.dumps(asdict(tally), indent=2)
    if file is not None:
        file.write_text(written, encoding="utf-8")
    print(written)
    return 1 if tally.failures else 0


def _parser(part: Part, function: Callable[..., Tally]) -> argparse.ArgumentParser:
    """Return the parser whose options are the keyword arguments of a part's function."""
    parser = argparse.ArgumentParser(prog=f"python -m proof {part.name}", description=part.what)
    kinds = get_type_hints(getattr(function, "func", function))
    for name, parameter in signature(function).parameters.items():
        option, kind = f"--{name.replace('_', '-')}", kinds[name]
        shown = "(default: %(default)s)"
        if kind is bool:
            parser.add_argument(option, action="store_true")
        elif kind == str | None:
            # It may stand without a value.
            parser.add_argument(option, nargs="?", const="", default=parameter.default, help=shown)
        else:
            kind = next(iter(get_args(kind)), kind)
            parser.add_argument(option, type=kind, default=parameter.default, help=shown)
    parser.add_argument("--result", type=Path, help="where to write what was found, as JSON")
    return parser


def end_all() -> None:
    """End every part that runs, with all it has started."""
    for process in tuple(_running):
        _end(process)


def run(part: Part, *, seed: int, scale: float, folder: Path) -> Result:
    """Run a part as a process to its end or its limit; return its row of the table."""
    file = folder / f"{part.name}.json"
    file.unlink(missing_ok=True)
    began = time.monotonic()
    with (folder / f"{part.name}.log").open("wb") as log:
        process = subprocess.Popen(
            command(part, seed, scale, file),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            # A group of its own: what the part has started ends with it.
            start_new_session=True,
        )
        _running.add(process)
        try:
            code = process.wait(timeout=part.minutes * 60 * max(1, scale))
        except subprocess.TimeoutExpired:
            code = None
        finally:
            _end(process)
            _running.discard(process)
    seconds = time.monotonic() - began
    return read_result(file, part=part.name, what=part.what, code=code, seed=seed, seconds=seconds)


def command(part: Part, seed: int, scale: float, result: Path) -> list[str]:
    """Return the command that runs a part and writes its result to this file."""
    return [sys.executable, "-m", "proof", part.name, *part.options(seed, scale), "--result", str(result)]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End whatever is left of the group of a part."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
