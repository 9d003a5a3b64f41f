"""`python -m proof.state_model`: many random histories of the pure rules, against the documented ones."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from proof.results import write_result
from proof.state_model.histories import Disagreement, StateHistory, check_timetables

_MOST_FAILURES = 5


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the histories; return 1 if something was found."""
    parser = argparse.ArgumentParser(prog="python -m proof.state_model", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="what the histories are drawn from (default: 1)")
    parser.add_argument("--histories", type=int, default=100_000, help="how many (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=20, help="of each history (default: %(default)s)")
    parser.add_argument("--result", type=Path, metavar="FILE", help="write the result there, as JSON")
    asked = parser.parse_args(arguments)
    began, runs, notes = time.monotonic(), 0, list[str]()
    try:
        check_timetables()
    except Disagreement as error:
        notes.append(f"timetables: {error}")
    while runs < asked.histories and len(notes) < _MOST_FAILURES:
        history = StateHistory(f"{asked.seed}/{runs}")
        try:
            history.run(asked.steps)
        except Disagreement as error:
            notes.append(f"{asked.seed}/{runs}: {error}")
            sys.stdout.writelines(f"{line}\n" for line in (f"FOUND {notes[-1]}", *history.told))
        runs += 1
    written = write_result(
        asked.result,
        part="state_model",
        what=f"{asked.histories:,} histories of {asked.steps} transitions, without a database",
        runs=runs,
        found=len(notes),
        seed=asked.seed,
        seconds=time.monotonic() - began,
        notes=notes,
    )
    sys.stdout.write(written)
    return 1 if notes else 0


if __name__ == "__main__":
    sys.exit(main())
