"""The list of faults that no test can notice, each with its reason, in ``survivors.txt`` beside this file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

FILE: Final = Path(__file__).with_name("survivors.txt")


def explained(file: Path = FILE) -> dict[str, str]:
    """Return the reason of every fault in the list; an entry without a reason is refused.

    A reason is one or more lines that begin with ``# ``, for the faults below it, up to an empty line.
    """
    found: dict[str, str] = {}
    for block in file.read_text(encoding="utf-8").split("\n\n"):
        lines = block.strip().splitlines()
        reason = " ".join(line.removeprefix("# ") for line in lines if line.startswith("#"))
        names = [line for line in lines if not line.startswith("#")]
        if names and not reason:
            raise ValueError(f"{file.name}: no reason for {names[0]}")
        found |= dict.fromkeys(names, reason)
    return found


def outdated(names: Iterable[str], made: Iterable[str], modules: Iterable[str]) -> list[str]:
    """Return listed faults that can no longer be planted in these modules: their code has changed."""
    of_these = {name for name in names if name.partition(":")[0] in set(modules)}
    return sorted(of_these - set(made))
