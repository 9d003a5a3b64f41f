"""The runs of the bench as text for a terminal, and as the block of Markdown that a page keeps."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bench.measure import Finding
    from bench.results import Run

HEADINGS = ("what", "median", "least to most", "by the clock", "promised", "result")
_RIGHT = {"median", "least to most", "by the clock"}
BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"


def number(value: float) -> str:
    """Write a figure with three digits that say something."""
    size = abs(value)
    return f"{value:,.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}"


def as_text(found: Iterable[Finding], *, is_judged: bool) -> str:
    """Return the lines of one run with aligned columns."""
    rows = [HEADINGS, *(_cells(each, is_judged=is_judged) for each in found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(_aligned(row, widths) for row in rows)


def line_of(finding: Finding) -> str:
    """Return one finding as it is told while the others are still measured."""
    return f"{finding.what}: {_median(finding)} ({_spread(finding.values)})"


def _cells(finding: Finding, *, is_judged: bool) -> tuple[str, ...]:
    wall = number(statistics.median(finding.wall)) + finding.unit if finding.wall else ""
    result = "" if finding.target is None else "met" if finding.met else "MISSED"
    spread = _spread(finding.values)
    return finding.what, _median(finding), spread, wall, finding.promise, result if is_judged else "-"


def _median(finding: Finding) -> str:
    return f"{number(finding.value)}{finding.unit}"


def _spread(values: Sequence[float]) -> str:
    return f"{number(min(values))}-{number(max(values))}" if len(values) > 1 else ""


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    fields = zip(HEADINGS, row, widths, strict=True)
    return "  ".join(
        cell.rjust(width) if name in _RIGHT else cell.ljust(width) for name, cell, width in fields
    ).rstrip()


def as_markdown(runs: Sequence[Run]) -> str:
    """Return the block for the docs: with what was run, a table for each part, and what is missed."""
    blocks = [_facts(runs)]
    for part in dict.fromkeys(name for run in runs for name in run.found):
        blocks.append("\n".join([f"**{part}**", "", *_part(part, runs)]))
    return "\n\n".join([*blocks, misses(runs)])


def _facts(runs: Sequence[Run]) -> str:
    """Return the facts of all runs; what differs between them is named for each."""
    names = dict.fromkeys(name for run in runs for name in run.facts)
    told = {name: ", ".join(dict.fromkeys(run.facts.get(name, "-") for run in runs)) for name in names}
    return f"{'; '.join(f'{name} {values}' for name, values in told.items())}."


def _part(part: str, runs: Sequence[Run]) -> Iterator[str]:
    """Yield the table of a part, with a column for each run that was to measure it."""
    asked = {f"run {place}": run for place, run in enumerate(runs, start=1) if part in run.found}
    numbers = list(asked) if len(runs) > 1 else ["median"]
    yield _piped(["what", "promised", *numbers, "least to most", "result"])
    yield _piped(["---", "---", *("--:" for _ in numbers), "--:", "---"])
    for what in dict.fromkeys(each.what for run in asked.values() for each in run.found[part]):
        yield _piped(map(_escaped, _row(what, [_find(run, part, what) for run in asked.values()])))


def _row(what: str, found: Sequence[Finding | None]) -> Iterator[str]:
    there = [each for each in found if each is not None]
    yield what
    yield there[-1].promise
    yield from ("-" if each is None else _median(each) for each in found)
    yield _spread([value for each in there for value in each.values])
    yield _result(found)


def _find(run: Run, part: str, what: str) -> Finding | None:
    return next((each for each in run.found[part] if each.what == what), None)


def _result(found: Sequence[Finding | None]) -> str:
    """Say whether a promise was met in every run; one that one of them could not measure was not."""
    if all(each is None or each.target is None for each in found):
        return ""
    missed = sum(each is None or not each.met for each in found)
    if not missed:
        return "met"
    return "**missed**" if missed == len(found) else f"**missed** in {missed} of {len(found)}"


def misses(runs: Sequence[Run]) -> str:
    """Return what was missed or not measured in any run, in one paragraph."""
    places = dict.fromkeys((part, each.what) for run in runs for part, of in run.found.items() for each in of)
    found = [
        (part, what, [_find(run, part, what) for run in runs if part in run.found]) for part, what in places
    ]
    said = [f"{part}, {_escaped(what)}" for part, what, each in found if "missed" in _result(each)]
    said += dict.fromkeys(f"not measured: {reason}" for run in runs for reason in run.left_out)
    return f"Misses: {'; '.join(said)}." if said else "Misses: none."


def _piped(fields: Iterable[str]) -> str:
    return f"| {' | '.join(fields)} |"


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
