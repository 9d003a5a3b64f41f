"""Reads a page of the documentation as the steps that a reader takes.

A step is a fenced block or a directive, an HTML comment of the form ``<!-- word: argument -->``. Directives
of `ABOVE_A_BLOCK` say what to do with the block that follows; all others are steps of their own. A block of
``text`` is only read, never run; with ``output`` above it, it is what the last command has printed. The
directives of the README, which people read as it is, are in a file of their own. This file does not run
anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = (
    "README.md",
    *sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").rglob("*.md") if "_build" not in p.parts),
)
DIRECTIVES = {"README.md": ROOT / "tests" / "docs" / "readme_steps.txt"}
"""Where the directives of a page are that has none between its lines."""
RUNNABLE = {"python", "console", "sh", "html+django", "pycon"}
ABOVE_A_BLOCK = {"file", "append", "background", "settings", "raises", "prints", "output"}

_FENCE = re.compile(r"^(`{3,})\{?([\w+-]*)\}?.*$")
_DIRECTIVE = re.compile(r"^<!--\s*([a-z]+)(?::\s*(.*?))?\s*-->$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing to do: run a block, or follow a directive."""

    page: str
    line: int
    kind: str
    text: str
    directives: dict[str, str] = field(default_factory=dict)

    @property
    def where(self) -> str:
        return f"{self.page}:{self.line}"


def steps(page: str) -> list[Step]:
    """The steps of one page, in order."""
    found: list[Step] = []
    waiting: dict[str, str] = {}
    lines = iter(_lines_of(page))
    for number, line in lines:
        if fence := _FENCE.match(line):
            body = _until(lines, fence[1])
            found.append(Step(page=page, line=number, kind=fence[2], text=body, directives=waiting))
            waiting = {}
        elif directive := _DIRECTIVE.match(line):
            word, argument = directive[1], directive[2] or ""
            if word in ABOVE_A_BLOCK:
                waiting[word] = argument
            else:
                found.append(Step(page=page, line=number, kind=f"<{word}>", text=argument))
        elif line.strip():
            assert not waiting, f"{page}:{number}: {waiting} stands above no block"
    return found


def _lines_of(page: str) -> list[tuple[int, str]]:
    """The numbered lines of a page, with the directives of its other file woven in."""
    lines = list(enumerate((ROOT / page).read_text(encoding="utf-8").splitlines(), 1))
    if page not in DIRECTIVES:
        return lines
    assert not any(_DIRECTIVE.match(line) for _, line in lines), f"{page} has directives between its lines"
    fences = [at for at, (_, line) in enumerate(lines) if _FENCE.match(line)]
    blocks = iter(fences[::2])
    woven: list[tuple[int, str]] = []
    done, waiting = 0, []
    for line in DIRECTIVES[page].read_text(encoding="utf-8").splitlines():
        if _DIRECTIVE.match(line):
            waiting.append(line)
        elif line.startswith("> "):
            at = next(blocks, None)
            assert at is not None, f"{page} has no block {line!r}"
            assert lines[at + 1][1] == line[2:], f"{page}:{lines[at + 1][0]}: {line[2:]!r} is expected here"
            woven += [*lines[done:at], *((lines[at][0], one) for one in waiting), lines[at]]
            done, waiting = at + 1, []
    assert next(blocks, None) is None, f"{page} has a block that {DIRECTIVES[page].name} does not name"
    return [*woven, *lines[done:], *((len(lines), one) for one in waiting)]


def _until(lines: object, fence: str) -> str:
    body = []
    for _, line in lines:  # type: ignore[attr-defined]
        if line.strip() == fence:
            break
        body.append(line)
    return "\n".join(body) + "\n"


def way_of(page: str) -> str:
    """How a page is run: the argument of its ``run`` directive."""
    ways = [step.text for step in steps(page) if step.kind == "<run>"]
    assert len(ways) == 1, f"{page} must say once how it is run: <!-- run: ... -->"
    return ways[0]


def pages_run(way: str) -> list[str]:
    """The pages that are run in one way."""
    return [page for page in PAGES if way_of(page) == way]


def matches(expected: str, printed: str) -> bool:
    """Whether printed text is what a page shows; ``...`` stands for anything."""
    pattern = re.escape(expected.strip()).replace(r"\.\.\.", ".*")
    lines = "\n".join(line.rstrip() for line in printed.strip().splitlines())
    return re.fullmatch(pattern, lines, flags=re.DOTALL) is not None
