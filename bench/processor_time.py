"""Processor time of other processes, as Linux counts it in /proc. A tick is a hundredth of a second."""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.measure import LeftOut

if TYPE_CHECKING:
    from collections.abc import Iterable

    import psycopg

TICKS = os.sysconf("SC_CLK_TCK")
PROC = Path("/proc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Seconds of processor time since each of some processes began, by its number."""

    seconds: dict[int, float]

    def since(self, before: Spent) -> float:
        """Return the seconds that were spent meanwhile, by new processes too."""
        return sum(now - before.seconds.get(pid, 0.0) for pid, now in self.seconds.items())


def of_tree(root: int) -> Spent:
    """Return the time of a process and of all that it has started."""
    children: dict[int, list[int]] = defaultdict(list)
    for entry in PROC.iterdir():
        if entry.name.isdecimal() and (fields := _fields(int(entry.name))):
            children[int(fields[1])].append(int(entry.name))
    found, waiting = [], [root]
    while waiting:
        found.append(pid := waiting.pop())
        waiting += children[pid]
    return _of(found)


def of_backends(watcher: psycopg.Connection) -> Spent:
    """Return the time of the PostgreSQL processes that serve the watcher's database, its own left out.

    Raises `LeftOut` for a server on another machine: its processes cannot be seen.
    """
    asked = b"SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    pids = [row[0] for row in watcher.execute(asked)]
    spent = _of(pids)
    if len(spent.seconds) < len(pids) / 2:
        raise LeftOut("the PostgreSQL server's processes cannot be seen from here")
    return spent


def _of(pids: Iterable[int]) -> Spent:
    read = {pid: _fields(pid) for pid in pids}
    return Spent(
        seconds={pid: (int(fields[11]) + int(fields[12])) / TICKS for pid, fields in read.items() if fields}
    )


def _fields(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat behind the name, which may hold blanks; [] if it has ended."""
    try:
        return (PROC / str(pid) / "stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except (OSError, UnicodeDecodeError):
        return []
