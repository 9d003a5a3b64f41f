"""Sends requests to a view for a while: with wrk where it is installed, and with Python's asyncio elsewhere.

wrk is a C program that takes a few hundredths of what the view takes. The generator in Python takes much more
of the same cores, the same for both views that are compared: that draws their ratio towards 1.
"""

from __future__ import annotations

import itertools
import json
import math
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from bench.load import post, send
from bench.measure import percentile

CONNECTIONS = 8
SCRIPT = Path(__file__).with_name("wrk.lua")
PAUSE = 0.05
"""Seconds for what is under way when the time is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """What came of some seconds: the answers, and how long half and 99 of 100 of them took at most."""

    requests: int
    seconds: float
    p50: float
    p99: float

    @property
    def rate(self) -> float:
        return self.requests / self.seconds


def has_wrk() -> bool:
    """Return whether wrk is installed."""
    return shutil.which("wrk") is not None


def load(pattern: str, *, first: int, port: int, seconds: float) -> Slice:
    """Post to the paths of a pattern such as ``/whole/new/%d/``, from a number on; no answer may be an error.

    At most `CONNECTIONS` requests more than are counted have been sent.
    """
    if not has_wrk():
        return _by_asyncio(pattern, first=first, port=port, seconds=seconds)
    # Whole seconds only.
    duration = f"{max(1, math.ceil(seconds))}s"
    command = ["wrk", "--threads", "1", "--connections", str(CONNECTIONS), "--duration", duration]
    command += ["--script", str(SCRIPT), f"http://127.0.0.1:{port}", "--", pattern, str(first)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    time.sleep(PAUSE)
    said = json.loads(printed.splitlines()[-1])
    if said["failed"] or not said["requests"]:
        raise AssertionError(f"{pattern}: {printed}")
    return Slice(
        requests=said["requests"],
        seconds=said["microseconds"] / 1e6,
        p50=said["p50"] / 1e6,
        p99=said["p99"] / 1e6,
    )


def _by_asyncio(pattern: str, *, first: int, port: int, seconds: float) -> Slice:
    paths = ((pattern % number) if "%" in pattern else pattern for number in itertools.count(first))
    requests = (post(path, port=port) for path in paths)
    sent = send(requests, port=port, expected=b"302", connections=CONNECTIONS, seconds=seconds)
    return Slice(
        requests=len(sent.latencies),
        seconds=sent.seconds,
        p50=percentile(sent.latencies, 0.5),
        p99=percentile(sent.latencies, 0.99),
    )
