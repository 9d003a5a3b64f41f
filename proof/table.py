"""The summary of a proof as text, and as the block of Markdown that a page keeps between two markers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proof.results import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from proof.results import Result

BEGIN, END = "<!-- proof: begin -->", "<!-- proof: end -->"
HEADINGS = ("part", "what", "how many", "found", "seed", "seconds", "result")
_RIGHT = {"how many", "found", "seed", "seconds"}


def cells(result: Result) -> tuple[str, ...]:
    """Return one row of the table as text; of a part that was not run, only why."""
    if result.verdict is Verdict.NOT_RUN:
        return (result.part, result.what, "-", "-", "-", "-", f"not run: {result.notes}")
    verdict = str(result.verdict)
    return (
        result.part,
        result.what,
        f"{result.runs:,}",
        f"{result.found:,}",
        "-" if result.seed is None else str(result.seed),
        f"{result.seconds:.0f}",
        f"{verdict}: {result.notes}" if result.notes else verdict,
    )


def as_text(results: Sequence[Result]) -> str:
    """Return the table with aligned columns, for a terminal."""
    rows = [HEADINGS, *map(cells, results)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(_aligned(row, widths) for row in rows)


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    fields = zip(HEADINGS, row, widths, strict=True)
    return "  ".join(
        cell.rjust(width) if name in _RIGHT else cell.ljust(width) for name, cell, width in fields
    ).rstrip()


def as_markdown(results: Sequence[Result], facts: dict[str, str]) -> str:
    """Return the block for the documentation: with what it was run, the table, and what is missing."""
    lines = [", ".join(f"{name} {value}" for name, value in facts.items()) + ".", ""]
    lines += [_piped(HEADINGS), _piped("--:" if name in _RIGHT else "---" for name in HEADINGS)]
    lines += [_piped(map(_escaped, cells(result))) for result in results]
    lines += ["", misses(results)]
    return "\n".join(lines)


def misses(results: Sequence[Result]) -> str:
    """Return what the run does not show, in one paragraph."""
    missed = [f"{each.part} ({cells(each)[-1]})" for each in results if not each.is_kept]
    return f"Misses: {'; '.join(missed)}." if missed else "Misses: none."


def _piped(fields: Iterable[str]) -> str:
    return f"| {' | '.join(fields)} |"


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def replace_block(page: Path, block: str, *, markers: tuple[str, str] = (BEGIN, END)) -> None:
    """Put a block between the markers of a page; refuses a page that has not exactly one pair of them."""
    first, last = markers
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(first)
    old, end, after = rest.partition(last)
    if not (begin and end) or first in old + after or last in before + after:
        raise ValueError(f"{page} needs {first} and, after it, {last}, each once")
    page.write_text(f"{before}{first}\n\n{block}\n\n{last}{after}", encoding="utf-8")
