"""Sends requests to a view for a while with wrk, which takes a few hundredths of what the view takes."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from bench.measure import LeftOut

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


def load(pattern: str, *, first: int, port: int, seconds: float) -> Slice:
    """Post to the paths of a pattern such as ``/whole/new/%d/``, from a number on; no answer may be an error.

    At most `CONNECTIONS` requests more than are counted have been sent.
    """
    if shutil.which("wrk") is None:
        raise LeftOut("wrk is not installed")
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
