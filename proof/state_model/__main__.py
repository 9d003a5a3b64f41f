"""`python -m proof.state_model`: many random histories of the pure rules, against the documented ones."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from proof.results import write_result
from proof.state_model.histories import Disagreement, StateHistory, check_timetables

MOST_FAILURES = 5


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the histories; return 1 if something was found."""
    options = _parser().parse_args(arguments)
    started = time.monotonic()
    runs, notes = _search(options)
    seconds = time.monotonic() - started
    what = f"{options.histories:,} histories of {options.steps} transitions, without a database"
    write_result(
        options.result,
        part="state_model",
        what=what,
        runs=runs,
        found=len(notes),
        seed=options.seed,
        seconds=seconds,
        notes=notes,
    )
    sys.stdout.write(f"{what}, seed {options.seed}: {runs} run, {len(notes)} failed, {seconds:.0f} s\n")
    return 1 if notes else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m proof.state_model", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="what the histories are drawn from (default: 1)")
    parser.add_argument("--histories", type=int, default=100_000, help="how many (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=20, help="of each history (default: %(default)s)")
    parser.add_argument("--result", type=Path, metavar="FILE", help="write the result there, as JSON")
    return parser


def _search(options: argparse.Namespace) -> tuple[int, list[str]]:
    notes: list[str] = []
    try:
        check_timetables()
    except Disagreement as error:
        notes.append(f"timetables: {error}")
    for number in range(options.histories):
        history = StateHistory(f"{options.seed}/{number}")
        try:
            history.run(options.steps)
        except Disagreement as error:
            notes.append(f"{options.seed}/{number}: {error}")
            _show(number, history, error)
            if len(notes) >= MOST_FAILURES:
                return number + 1, notes
    return options.histories, notes


def _show(number: int, history: StateHistory, error: Disagreement) -> None:
    lines = [f"FOUND in history {number}: {error}", *(f"  {step}" for step in history.told)]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
