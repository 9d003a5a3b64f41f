"""The searches that are tests: hostile requests, and the OpenAPI documents.

``python -m proof.searches PART --seed 1 --result FILE`` runs the tests of a part with other and more examples
than in the suite. A fault is a test that fails; its log names the request.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from proof.parts import ROOT
from proof.results import write_result

if TYPE_CHECKING:
    from collections.abc import Sequence

_SECONDS: Final = 240
"""How long hostile requests are sent in a whole proof, by each file that sends some."""
_WHAT: Final = {
    "fuzzing": "searches for hostile requests that do harm",
    "openapi": "searches for requests that the OpenAPI documents do not describe rightly",
}


def main(arguments: Sequence[str]) -> int:
    """Run the tests of one part, which has its own folder; write the result, return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m proof.searches", description=__doc__)
    parser.add_argument("part", choices=_WHAT)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--result", type=Path)
    asked = parser.parse_args(arguments)
    began, seed, tests = time.monotonic(), asked.seed, _Tests()
    os.environ |= {"PROOF_SECONDS": str(max(5, round(_SECONDS * asked.scale))), "PROOF_SEED": str(seed)}
    os.chdir(ROOT)
    seeds = [f"--hypothesis-seed={seed}", f"--randomly-seed={seed}"]
    code = int(pytest.main(["-q", *seeds, f"tests/{asked.part}"], plugins=[tests]))
    write_result(
        asked.result,
        part=asked.part,
        what=_WHAT[asked.part],
        runs=tests.ran,
        found=tests.failed,
        seed=seed,
        seconds=time.monotonic() - began,
    )
    return code


class _Tests:
    """A plugin of pytest that counts the tests that ran and those that failed."""

    ran = failed = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.ran += report.when == "call" and not report.skipped
        self.failed += report.failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
