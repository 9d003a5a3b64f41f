"""The searches that are tests: hostile requests, and the OpenAPI documents.

``python -m proof.searches PART --seed 1 --result FILE`` runs the tests of a part with other and more examples
than in the suite. A fault is a test that fails; its log names the request.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from proof.parts import ROOT
from proof.results import write_result

if TYPE_CHECKING:
    from collections.abc import Sequence

SECONDS: Final = 240
"""How long hostile requests are sent in a whole proof, by each file that sends some."""
TESTS: Final = {
    "fuzzing": ("tests/fuzzing",),
    "openapi": ("tests/openapi",),
}
_WHAT: Final = {
    "fuzzing": "searches for hostile requests that do harm",
    "openapi": "searches for requests that the OpenAPI documents do not describe rightly",
}


def main(arguments: Sequence[str]) -> int:
    """Run the tests of one part, write the result, return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m proof.searches", description=__doc__)
    parser.add_argument("part", choices=TESTS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--result", type=Path)
    asked = parser.parse_args(arguments)
    began = time.monotonic()
    with TemporaryDirectory(prefix="proof-") as folder:
        report = Path(folder, "junit.xml")
        code = _tested(asked.part, asked.seed, asked.scale, report)
        tests, failed = _counted(report)
    write_result(
        asked.result,
        part=asked.part,
        what=_WHAT[asked.part],
        runs=tests,
        found=failed,
        seed=asked.seed,
        seconds=time.monotonic() - began,
    )
    return code


def _tested(part: str, seed: int, scale: float, report: Path) -> int:
    timed = {"PROOF_SECONDS": str(max(5, round(SECONDS * scale))), "PROOF_SEED": str(seed)}
    command = [
        *(sys.executable, "-m", "pytest", "-q", f"--junit-xml={report}"),
        *(f"--hypothesis-seed={seed}", f"--randomly-seed={seed}"),
        *TESTS[part],
    ]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **timed}, check=False).returncode


def _counted(report: Path) -> tuple[int, int]:
    """Return how many tests ran and how many failed; none where pytest has written nothing."""
    if not report.exists():
        return 0, 0
    # The file was written a moment ago by a process that this one has started.
    suites = list(ET.parse(report).getroot().iter("testsuite"))
    tests = sum(int(suite.get("tests", 0)) - int(suite.get("skipped", 0)) for suite in suites)
    return tests, sum(int(suite.get("failures", 0)) + int(suite.get("errors", 0)) for suite in suites)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
