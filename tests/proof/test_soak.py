"""A short soak: a shop's figures stay flat and its books true, and a process that leaks is found."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from proof.soak.growth import BOUNDS, Bound, growth
from tests.architecture.sources import ROOT
from tests.tables import every


@pytest.mark.slow
@pytest.mark.wire
def test_a_shop_under_load_grows_nowhere_and_a_process_that_leaks_is_found(tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    command = ["--minutes", "0.01", "--seed", "1", "--leaky", "--result", str(result)]
    done = subprocess.run(
        [sys.executable, "-m", "proof.soak", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.exists(), done.stdout + done.stderr
    found = [line for line in done.stdout.splitlines() if line.startswith("FOUND")]
    assert [line for line in found if "leaky: " not in line] == []
    for what in ("kilobytes of memory", "objects", "open files"):
        assert any(f"leaky: {what} grow" in line for line in found), what
    said = json.loads(result.read_text(encoding="utf-8"))
    assert (done.returncode, said["found"]) == (1, 3)
    assert said["runs"] > 80


BOUND = Bound(unit="things", share=0.1, more=5)


@every(
    ("values", "is_flat"),
    [
        ([100] * 9, True),
        # What grows while caches fill says nothing.
        ([10, 50, 90, *[100] * 6], True),
        # Nor does one value that is out of line, or what comes and goes.
        ([100] * 8 + [140], True),
        ([100, 104] * 20, True),
        ([100, *range(100, 116)], True),
        ([100, *range(100, 150)], False),
        ([100 + step * 4 for step in range(9)], False),
        ([100 - step * 3 for step in range(9)], True),
    ],
)
def test_growth_is_what_goes_on_after_the_warm_up(values: list[float], is_flat: bool) -> None:
    assert (BOUND.broken_by(values) == "") is is_flat


def test_growth_is_the_rise_of_the_line_that_fits_all_values() -> None:
    assert growth([1, 2, 3, 4]) == pytest.approx(3)
    assert growth([5]) == 0


def test_a_small_leak_is_found_in_an_hour() -> None:
    hour = 600
    for figure, each_round in (("kilobytes", 20), ("objects", 15), ("files", 0.02), ("undelivered", 0.1)):
        leaking = [BOUNDS[figure].more + each_round * at for at in range(hour)]
        assert BOUNDS[figure].broken_by(leaking), figure
