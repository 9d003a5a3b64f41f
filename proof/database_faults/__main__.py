"""`python -m proof.database_faults`: lets databases fail in the midst of operations, in all parts or in one.

Every server is started for the run and ended again. The exit code is 1 when something was found; what this
machine lacks is noted as not run.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from proof.database_faults.parts import PARTS
from proof.database_faults.tally import Tally
from proof.kills.databases import NotRun
from proof.kills.shop import shop_on
from proof.results import add_up, write_result

WHAT = "databases that fail in the midst of operations"


def main(arguments: list[str]) -> int:
    """Run what the arguments say; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m proof.database_faults", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "--part", choices=[part.name for part in PARTS], help="one part; all of them if not given"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--result", type=Path, help="where to write what was found, as JSON")
    given = parser.parse_args(arguments)
    # Who ends the run wants its servers ended, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    began = time.monotonic()
    found = _one(given.part, given.seed) if given.part else _all(given.seed)
    known = {"seed": given.seed, "seconds": time.monotonic() - began}
    sys.stdout.write(write_result(given.result, part="database faults", what=WHAT, **known, **found))
    return 1 if found["found"] else 0


def _one(name: str, seed: int) -> dict[str, Any]:
    tally, began = Tally(), time.monotonic()
    part = next(part for part in PARTS if part.name == name)
    try:
        with part.server() as server, shop_on(server.url, part.environment) as world:
            work = getattr(import_module(part.module), part.function)
            # Not for secrets: it must be repeatable.
            work(world, server, tally, random.Random(seed))
    except NotRun as why:
        return {"runs": 0, "found": 0, "notes": [f"NOT RUN: {name}: {why}"]}
    given = ", ".join(f"{count} {error}" for error, count in sorted(tally.reached_caller.items()))
    seconds = time.monotonic() - began
    notes = [f"{name}: {tally.runs} runs in {seconds:.0f} s; callers were given {given or 'no error'}"]
    # For the log of the part: the table of all parts has room for a line.
    sys.stderr.writelines(f"{note}\n" for note in tally.notes)
    return {"runs": tally.runs, "found": len(tally.failures), "notes": notes + tally.failures}


def _all(seed: int) -> dict[str, Any]:
    """Run each part in a process of its own, since each has its own settings, and add up."""
    results = []
    with tempfile.TemporaryDirectory(prefix="wallet-gateway-proof-") as folder:
        for name in [part.name for part in PARTS]:
            path = Path(folder, "result")
            path.unlink(missing_ok=True)
            command = [sys.executable, "-m", "proof.database_faults", "--part", name, "--seed", str(seed)]
            done = subprocess.run([*command, "--result", str(path)], check=False, stdout=subprocess.DEVNULL)
            if path.exists():
                results.append(json.loads(path.read_text(encoding="utf-8")))
            else:
                note = f"{name}: ended with exit code {done.returncode} and no result"
                results.append({"runs": 0, "found": 1, "notes": [note]})
            sys.stdout.write(f"{results[-1]['notes'][0]}\n")
            sys.stdout.flush()
    return add_up(results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
