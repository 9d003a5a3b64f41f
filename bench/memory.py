"""The most memory that a process has had, as Linux counts it in /proc."""

from __future__ import annotations

import re
from pathlib import Path


def peak_kilobytes() -> int:
    """Return the peak of this process; `getrusage` would give that of its parent, where that was larger."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found = re.search(r"^VmHWM:\s+([0-9]+) kB$", status, re.MULTILINE)
    assert found is not None
    return int(found[1])
