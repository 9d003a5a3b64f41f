"""``make bench``: measures what people and shops wait for, prints one table, and keeps the figures as JSON.

``python -m bench PART ...`` measures these parts alone. The exit code is 1 when a promise was missed or could
not be measured. With BENCH_SCALE below 1 all sizes are smaller, and a median of fewer than seven rounds says
little: that only shows that the parts work, so nothing is judged.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from bench import measure
from bench.facts import facts
from bench.measure import LEAST_ROUNDS, ROUNDS, SCALE, Finding, LeftOut, number

if TYPE_CHECKING:
    from collections.abc import Sequence

PARTS = ("order", "start_up", "sweep")
WITH_OTHERS = ("peers",)
"""Measured where they are named only: they need packages that nothing else needs."""
RESULT = Path(__file__).resolve().parents[1] / "build" / "bench" / "bench.json"


def main(arguments: Sequence[str]) -> int:
    """Measure the named parts, or all without names; return the exit code."""
    asked = _parser().parse_args(arguments)
    if asked.rounds is not None:
        os.environ[ROUNDS] = str(asked.rounds)
    known, found, left_out = facts(), {}, []
    for name in asked.parts or PARTS:
        found[name], broken = _measured(name)
        left_out += [f"{name}: {broken}"] if broken else []
    if facts()["code"] != known["code"]:
        # Processes are started throughout: figures of one run would be of two programs.
        left_out.append("the code was changed during the run")
    is_judged = SCALE == 1 and measure.rounds() >= LEAST_ROUNDS

    print(as_text([each for of_part in found.values() for each in of_part], is_judged=is_judged), flush=True)
    for reason in left_out:
        print(f"NOT MEASURED: {reason}", flush=True)
    print("; ".join(f"{name} {value}" for name, value in known.items()), flush=True)
    if not is_judged:
        print(f"Sizes times {SCALE:g}, {measure.rounds()} rounds: nothing is judged.", flush=True)
    parts = {name: [asdict(each) | {"median": each.value} for each in of] for name, of in found.items()}
    said = {"facts": known, "is_judged": is_judged, "left_out": left_out, "parts": parts}
    asked.result.parent.mkdir(parents=True, exist_ok=True)
    asked.result.write_text(json.dumps(said, indent=2) + "\n", encoding="utf-8")
    print(f"The figures are in {asked.result.name}.", flush=True)
    is_kept = not left_out and all(each.met for of_part in found.values() for each in of_part)
    return 0 if is_kept or not is_judged else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    known = (*PARTS, *WITH_OTHERS)
    # Without `choices`, which with `*` would refuse that none is named.
    parser.add_argument("parts", nargs="*", type=_one_of(known), metavar="PART", help=", ".join(known))
    parser.add_argument("--rounds", type=_positive, help=f"rounds in turns, {LEAST_ROUNDS} if not given")
    parser.add_argument("--result", type=Path, default=RESULT, help="the file for the figures, as JSON")
    return parser


def _one_of(known: Sequence[str]) -> type[str]:
    def part(text: str) -> str:
        if text not in known:
            raise argparse.ArgumentTypeError(f"no part {text}; there are {', '.join(known)}")
        return text

    return part  # type: ignore[return-value]  # argparse calls it


def _positive(text: str) -> int:
    if (rounds := int(text)) < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return rounds


def _measured(name: str) -> tuple[list[Finding], str]:
    """Return what was found, telling it at once, and why a part was not measured to its end."""
    found: list[Finding] = []
    try:
        for finding in import_module(f"bench.{name}").measure():
            found.append(finding)
            print(f"  measured: {finding.what}: {number(finding.value)}{finding.unit}", flush=True)
    except LeftOut as why:
        return found, str(why)
    except Exception as broken:  # noqa: BLE001 - the other parts are measured all the same
        traceback.print_exc()
        return found, f"broken off ({type(broken).__name__})"
    return found, ""


def as_text(found: Sequence[Finding], *, is_judged: bool) -> str:
    """Return the lines of a run with aligned columns."""
    rows = [("what", "median", "least to most", "promised", "result")]
    for each in found:
        result = "" if each.target is None else "met" if each.met else "MISSED"
        spread = f"{number(min(each.values))}-{number(max(each.values))}"
        median = f"{number(each.value)}{each.unit}"
        rows.append((each.what, median, spread, each.promise, result if is_judged else "-"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
