"""What a branch has changed, as git tells it: the lines of each file that are not as they were."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING, Final

from proof.parts import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

_OTHERS: Final = ("@{upstream}", "origin/HEAD", "origin/main", "main")
"""What a branch may have left, the nearest first."""
_FILE: Final = re.compile(r"\+\+\+ b/(.*)")
_LINES: Final = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")


def changed_lines(revision: str) -> Mapping[str, set[int]]:
    """Return the changed lines of each file since this branch left a revision, or since `default_base`.

    Nothing has changed where no earlier commit is known: in a clone without history, or outside of git.
    """
    base = _merge_base(revision) if revision else default_base()
    if revision and base is None:
        sys.exit(f"git knows no commit that {revision} and this one have in common")
    return _lines_of(_git("diff", "--unified=0", "--no-color", "--no-ext-diff", base) or "") if base else {}


def default_base() -> str | None:
    """Return the commit at which this branch left the upstream or main branch, or else the last commit.

    On the main branch itself it is the last commit: what it brought is looked at again.
    """
    head = _git("rev-parse", "--verify", "--quiet", "HEAD")
    bases = (_merge_base(other) for other in _OTHERS)
    left = next((base for base in bases if base and base != head), None)
    return left or _git("rev-parse", "--verify", "--quiet", "HEAD~1")


def _merge_base(revision: str) -> str | None:
    return _git("merge-base", "HEAD", revision)


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None


def _lines_of(difference: str) -> Mapping[str, set[int]]:
    """Return the lines of a difference without context; a file of which lines are only gone has the next."""
    found: dict[str, set[int]] = {}
    lines: set[int] = set()
    for text in difference.splitlines():
        if file := _FILE.fullmatch(text):
            lines = found.setdefault(file[1], set())
        elif part := _LINES.match(text):
            begin, count = int(part[1]), int(part[2] or 1)
            lines.update(range(begin, begin + max(count, 1)))
    return found
