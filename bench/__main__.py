"""``make bench``: measures everything that is promised about speed and prints one table.

``python -m bench PART ...`` measures these parts alone. The exit code is 1 when a promise was missed or could
not be measured. With BENCH_SCALE below 1 all sizes are smaller, and a median of fewer than seven rounds says
little: that only shows that the parts work, so nothing is judged.
``python -m bench --keep RUN.json ...`` measures nothing: it puts the table of these runs into the docs.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from bench import measure
from bench.measure import LEAST_ROUNDS, ROUNDS, SCALE, Finding, LeftOut
from bench.results import Run, read_run, write_run
from bench.table import BEGIN, END, as_markdown, as_text, line_of
from bench.versions import facts
from proof.parts import ROOT
from proof.table import replace_block
from proof.versions import CODE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PARTS = ("checkout", "result_page", "start_up", "sweep")
WITH_OTHERS = ("peers",)
"""Measured where they are named only: they need packages that nothing else needs."""
PAGE = ROOT / "docs" / "performance.md"


def main(arguments: Sequence[str]) -> int:
    """Measure the named parts, or all without names; return the exit code."""
    asked = _parser().parse_args(arguments)
    if asked.keep:
        return _keep(asked.keep)
    if asked.rounds is not None:
        os.environ[ROUNDS] = str(asked.rounds)
    run = _measured(asked.parts or PARTS)
    write_run(asked.result, run)
    _tell(run, asked.result)
    return 0 if run.is_kept or not run.is_judged else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    known = (*PARTS, *WITH_OTHERS)
    parser.add_argument("parts", nargs="*", type=_part_of(known), metavar="PART", help=", ".join(known))
    parser.add_argument("--rounds", type=_positive, help=f"rounds in turns, {LEAST_ROUNDS} if not given")
    result = ROOT / "build" / "bench" / "bench.json"
    parser.add_argument("--result", type=Path, default=result, help="the file for the figures, as JSON")
    parser.add_argument("--keep", type=Path, nargs="+", metavar="RUN", help="runs to put into the page")
    return parser


def _part_of(known: Sequence[str]) -> type[str]:
    def part(text: str) -> str:
        if text not in known:
            raise argparse.ArgumentTypeError(f"no part {text}; there are {', '.join(known)}")
        return text

    return part  # type: ignore[return-value]  # argparse calls it


def _positive(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def _measured(names: Iterable[str]) -> Run:
    """Measure the parts, one after the other."""
    found: dict[str, tuple[Finding, ...]] = {}
    left_out: list[str] = []
    known = facts()
    for name in names:
        of_part: list[Finding] = []
        try:
            for finding in import_module(f"bench.{name}").measure():
                of_part.append(finding)
                _say(f"  measured: {line_of(finding)}")
        except LeftOut as why:
            left_out.append(f"{name}: {why}")
        except Exception as broken:  # noqa: BLE001 - the other parts are measured all the same
            traceback.print_exc()
            left_out.append(f"{name}: broken off ({type(broken).__name__})")
        found[name] = tuple(of_part)
    if facts()[CODE] != known[CODE]:
        # Servers and processes are started throughout: figures of one run would be of two programs.
        left_out.append("the code was changed during the run")
    is_judged = SCALE == 1 and measure.rounds() >= LEAST_ROUNDS
    return Run(facts=known, found=found, left_out=tuple(left_out), is_judged=is_judged)


def _tell(run: Run, result: Path) -> None:
    _say(as_text([each for found in run.found.values() for each in found], is_judged=run.is_judged))
    for reason in run.left_out:
        _say(f"NOT MEASURED: {reason}")
    _say("; ".join(f"{name} {value}" for name, value in run.facts.items()))
    if not run.is_judged:
        _say(f"Sizes times {SCALE:g}, {measure.rounds()} rounds: nothing is judged.")
    _say(f"The figures are in {result.name}.")


def _keep(paths: Sequence[Path]) -> int:
    """Put the table of some runs into the page; refuses a run that judged nothing."""
    runs = [read_run(path) for path in paths]
    if unjudged := [path.name for path, run in zip(paths, runs, strict=True) if not run.is_judged]:
        sys.exit(f"{', '.join(unjudged)}: with smaller sizes or few rounds, which is nothing to keep")
    replace_block(PAGE, as_markdown(runs), markers=(BEGIN, END))
    _say(f"The table is kept in {PAGE.relative_to(ROOT)}.")
    return 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
