"""``python -m proof.soak --minutes 60``: keep a shop under load, and say what grew or got lost."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from proof.results import write_result
from proof.soak.run import soak

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Soak, write the result, return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m proof.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--database-url", default="", help="an empty database; SQLite if not given")
    parser.add_argument("--leaky", action="store_true", help="one worker more that leaks, and is to be found")
    parser.add_argument("--result", type=Path)
    asked = parser.parse_args(arguments)
    began = time.monotonic()
    with TemporaryDirectory(prefix="soak-") as folder:
        soaked = soak(
            seconds=asked.minutes * 60,
            seed=asked.seed,
            folder=Path(folder),
            database=asked.database_url,
            say=_say,
            is_leaky=asked.leaky,
        )
    for line in soaked.found:
        _say(f"FOUND {line}")
    notes = f"{soaked.rounds} hours of the shop, {soaked.kills} workers killed, {_grown(soaked.measured)}"
    _say(f"{soaked.customers} customers, {notes}")
    write_result(
        asked.result,
        part="soak",
        what="customers of a shop under load, with faults and killed workers: nothing grows, books equal",
        runs=soaked.customers,
        found=len(soaked.found),
        seed=asked.seed,
        seconds=time.monotonic() - began,
        notes=notes,
    )
    return 1 if soaked.found else 0


def _grown(measured: dict[str, list[float]]) -> str:
    memory = measured["resident kilobytes"]
    third = memory[len(memory) // 3]
    return f"memory after the warm-up {third / 1024:.0f} MB, at the end {memory[-1] / 1024:.0f} MB"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
