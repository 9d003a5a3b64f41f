"""`python -m proof.kills`: kills processes at every step of every operation, on one database or on all three.

Its database is made for the run, and its gateway is the sandbox on this machine. The exit code is 1 when
something was found. `--operation capture --instant 17` repeats one kill.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from proof.kills.databases import KINDS, NotRun, own_database
from proof.kills.shop import shop_on
from proof.results import add_up, write_result

WHAT = "operations killed at each step, swept up by others, compared with the gateway"
_FEWEST = 170


def main(arguments: list[str]) -> int:
    """Run what the arguments say; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m proof.kills", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--database", choices=KINDS, help="one database; all three if not given")
    parser.add_argument(
        "--runs", type=int, default=_FEWEST, help="kills on each database; 0: at every instant"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--result", type=Path, help="where to write what was found, as JSON")
    parser.add_argument("--operation", default="", help="this operation alone")
    parser.add_argument("--instant", type=int, help="this instant of the operation alone")
    given = parser.parse_args(arguments)
    # Who ends the run wants its database dropped and its gateway ended, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    began = time.monotonic()
    found = _on_one(given) if given.database else _on_all(given)
    known = {"seed": given.seed, "seconds": time.monotonic() - began}
    sys.stdout.write(write_result(given.result, part="kills", what=WHAT, **known, **found))
    return 1 if found["found"] else 0


def _on_one(given: argparse.Namespace) -> dict[str, Any]:
    try:
        with own_database(given.database) as url:
            return _killed(given, url)
    except NotRun as why:
        return {"runs": 0, "found": 0, "notes": [f"NOT RUN on {given.database}: {why}"]}


def _killed(given: argparse.Namespace, url: str) -> dict[str, Any]:
    """Set a shop up on the database, and kill its processes."""
    with shop_on(url) as world:
        from proof.kills.run import run

        tally = run(world, runs=given.runs, seed=given.seed, only=given.operation, instant=given.instant)
    note = (
        f"{given.database}: {sum(tally.instants.values())} instants of {len(tally.instants)} operations, "
        f"{tally.survived} operations were over before their kill"
    )
    return {"runs": tally.killed, "found": len(tally.failures), "notes": [note, *tally.failures]}


def _on_all(given: argparse.Namespace) -> dict[str, Any]:
    """Run each database in a process of its own, two at a time, and add up."""
    with tempfile.TemporaryDirectory(prefix="wallet-gateway-proof-") as folder:
        started = [_start(kind, given, Path(folder, kind)) for kind in KINDS]
        try:
            for process in started:
                process.wait()
        finally:
            for process in started:
                process.terminate()
        results = [_result(Path(folder, kind)) for kind in KINDS]
    return add_up(results)


def _result(path: Path) -> dict[str, Any]:
    if path.exists():
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found
    return {"runs": 0, "found": 1, "notes": [f"{path.name}: ended without a result"]}


def _start(kind: str, given: argparse.Namespace, result: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "proof.kills", "--database", kind, "--result", str(result)]
    command += ["--runs", str(given.runs), "--seed", str(given.seed)]
    return subprocess.Popen(command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
