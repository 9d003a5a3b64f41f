"""``make bench``: measures everything that is promised about speed and prints one table.

``python -m bench PART ...`` measures these parts alone. The exit code is 1 when a promise was missed or could
not be measured. With BENCH_SCALE below 1 all sizes are smaller: that only shows that the parts work, so
nothing is judged.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from bench.measure import SCALE, Finding, LeftOut

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PARTS = ("cart", "unseal", "client_call", "sandbox", "checkout", "result_page", "importing", "sweep", "admin")
HEADINGS = ("what", "measured", "promised", "result")


def main(names: Sequence[str]) -> int:
    """Measure the named parts, or all without names; return the exit code."""
    unknown = set(names) - set(PARTS)
    if unknown:
        sys.exit(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    found, left_out = _measured(names or PARTS)
    _write_table(found)
    for reason in left_out:
        _say(f"NOT MEASURED: {reason}")
    if SCALE != 1:
        _say(f"Sizes times {SCALE:g}: nothing is judged.")
        return 0
    return 1 if left_out or not all(finding.met for finding in found) else 0


def _measured(names: Iterable[str]) -> tuple[list[Finding], list[str]]:
    """Return what was found, and for each part that could not be measured to its end the reason."""
    found: list[Finding] = []
    left_out: list[str] = []
    for name in names:
        try:
            for finding in import_module(f"bench.{name}").measure():
                found.append(finding)
                _say(f"  measured: {finding.what}: {finding.measured}")
        except LeftOut as why:
            left_out.append(f"{name}: {why}")
    return found, left_out


def _write_table(found: Sequence[Finding]) -> None:
    lines = [HEADINGS, *((each.what, each.measured, each.promise, _result(each)) for each in found)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for what, measured, promise, result in lines:
        _say(f"{what:<{widths[0]}}  {measured:>{widths[1]}}  {promise:<{widths[2]}}  {result}")


def _result(finding: Finding) -> str:
    if SCALE != 1:
        return "-"
    return "met" if finding.met else "MISSED"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
