"""The searches that are tests, with other and more examples than in the suite.

A fault is a test that fails; the log names the request.
"""

from __future__ import annotations

import os
import sys

import pytest

from proof.parts import ROOT
from proof.results import Tally


def run(*, tests: str, seed: int = 0, seconds: int = 240) -> Tally:
    """Run the tests of a folder; hostile requests are sent for so long by each file that sends some."""
    os.environ |= {"PROOF_SECONDS": str(max(5, seconds)), "PROOF_SEED": str(seed)}
    os.chdir(ROOT)
    counted = _Counted()
    seeds = [f"--hypothesis-seed={seed}", f"--randomly-seed={seed}"]
    code = pytest.main(["-q", *seeds, tests], plugins=[counted])
    if code and not counted.tally.failures:
        # No test has failed: nothing was searched, or not all.
        sys.exit(code)
    return counted.tally


class _Counted:
    """A plugin of pytest that counts the tests that ran and those that failed."""

    def __init__(self) -> None:
        self.tally = Tally()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.tally.runs += report.when == "call" and not report.skipped
        if report.failed:
            self.tally.failures.append(report.nodeid)
