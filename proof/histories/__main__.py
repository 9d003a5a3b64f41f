"""`python -m proof.histories GATEWAY`: run histories of a shop and its gateway that are drawn from a seed."""

from __future__ import annotations

# First: classes of the plugin store `time.sleep` when they are made.
from proof.histories.virtual_time import real_monotonic  # isort: skip

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from proof.histories.shares import Plan, search_together, set_up
from proof.histories.steps import GATEWAYS, HABITS, SANDBOX
from proof.results import write_result

if TYPE_CHECKING:
    from proof.histories.campaign import Campaign

_PARTS: Final = {SANDBOX: "simulation", HABITS: "habits"}
"""What the table of the proof calls the histories of each gateway."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the histories; return 1 if something was found."""
    options = _parser().parse_args(arguments)
    if options.planted:
        return _prove(options)
    started = real_monotonic()
    is_one = options.only is not None
    plan = Plan(
        gateway=options.gateway,
        seed=options.seed,
        numbers=range(options.only, options.only + 1) if is_one else range(options.histories),
        steps=options.steps,
        most_failures=options.most_failures,
        is_shown=is_one,
    )
    campaign = search_together(plan, 1 if is_one else options.processes)
    _report(campaign, options, seconds=real_monotonic() - started)
    return 1 if campaign.found else 0


def _prove(options: argparse.Namespace) -> int:
    """Prove the search: find each planted fault."""
    set_up()
    from proof.histories.planted_faults import find_planted

    missed = 0
    rare = options.planted == "all"
    for proof in find_planted(
        options.seed, gateway=options.gateway, histories=options.histories, steps=options.steps, rare=rare
    ):
        missed += proof.failure is None
        sys.stdout.write(f"{proof}\n")
        sys.stdout.flush()
    return 1 if missed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m proof.histories", description=__doc__)
    parser.add_argument("gateway", choices=GATEWAYS, help="the real sandbox, or one with other habits")
    parser.add_argument("--seed", type=int, default=1, help="what the histories are drawn from (default: 1)")
    parser.add_argument("--histories", type=int, default=5_000, help="how many (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=30, help="of each history (default: %(default)s)")
    parser.add_argument("--processes", type=int, default=1, help="share them (default: %(default)s)")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="run this history alone, and show it")
    parser.add_argument(
        "--most-failures", type=int, default=5, help="stop after as many (default: %(default)s)"
    )
    parser.add_argument(
        "--planted",
        choices=("quick", "all"),
        help="search for faults that are planted for it, or the common ones",
    )
    parser.add_argument("--result", type=Path, metavar="FILE", help="write the result there, as JSON")
    return parser


def _report(campaign: Campaign, options: argparse.Namespace, *, seconds: float) -> None:
    what = f"{options.histories:,} histories of {options.steps} steps"
    what += " at gateways that speak differently" if options.gateway == HABITS else ""
    write_result(
        options.result,
        part=_PARTS[options.gateway],
        what=what,
        runs=campaign.runs,
        found=len(campaign.found),
        seed=options.seed,
        seconds=seconds,
        notes=campaign.notes,
    )
    sys.stdout.write(f"{what}, seed {options.seed}: {campaign.runs} run, ")
    sys.stdout.write(
        f"{len(campaign.found)} failed, {seconds:.0f} s; trace {campaign.trace}, {campaign.last_trace}\n"
    )
    sys.stdout.writelines(f"  {note}\n" for note in campaign.notes)


if __name__ == "__main__":
    sys.exit(main())
