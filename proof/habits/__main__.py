"""`python -m proof.habits`: histories of a shop at gateways that speak differently, drawn from a seed."""

from __future__ import annotations

# First: classes of the plugin store `time.sleep` when they are made.
from proof.simulation.virtual_time import real_monotonic  # isort: skip

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from proof.results import write_result
from proof.simulation.shares import set_up
from proof.simulation.steps import History


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the histories; return 1 if something was found."""
    options = _parser().parse_args(arguments)
    set_up()
    from proof.habits.run import search
    from proof.habits.steps import draw_history
    from proof.habits.world import World

    if options.planted:
        return _prove(options)
    started, numbers = real_monotonic(), range(options.histories)
    if options.only is not None:
        numbers = range(options.only, options.only + 1)
        _show(draw_history(f"{options.seed}/{options.only}", options.steps))
    found = search(
        World(), seed=options.seed, numbers=numbers, steps=options.steps, most_failures=options.most_failures
    )
    seconds = real_monotonic() - started
    what = f"{options.histories:,} histories of {options.steps} steps at gateways that speak differently"
    write_result(
        options.result,
        part="habits",
        what=what,
        runs=found.runs,
        found=len(found.found),
        seed=options.seed,
        seconds=seconds,
        notes=found.notes,
    )
    failed = len(found.found) + sum(found.again.values())
    sys.stdout.write(f"{what}, seed {options.seed}: {found.runs} run, {failed} failed, {seconds:.0f} s\n")
    sys.stdout.writelines(f"  {note}\n" for note in found.notes)
    return 1 if found.found else 0


def _prove(options: argparse.Namespace) -> int:
    """Prove the search: find what comes of each client that does not hand on what the gateway says."""
    from proof.habits.run import find_planted
    from proof.habits.taught import PLANTED
    from proof.habits.world import World

    world, missed = World(), 0
    for client in PLANTED:
        failure = find_planted(client, world, seed=options.seed, histories=options.histories)
        missed += failure is None
        what = f"found in history {failure.history.seed}: {failure.claim}" if failure else "MISSED"
        sys.stdout.write(f"{client.__name__}: {what}\n")
    return 1 if missed else 0


def _show(history: History) -> None:
    sys.stdout.write(f"{history}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m proof.habits", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="what the histories are drawn from (default: 1)")
    parser.add_argument("--histories", type=int, default=500, help="how many (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=25, help="of each history (default: %(default)s)")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="run this history alone, and show it")
    parser.add_argument(
        "--planted", action="store_true", help="search for what comes of clients that hide something"
    )
    parser.add_argument(
        "--most-failures", type=int, default=20, help="stop after as many claims (default: %(default)s)"
    )
    parser.add_argument("--result", type=Path, metavar="FILE", help="write the result there, as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
