"""``make proof``: runs every part of the proof, prints one table, and keeps it in the documentation.

``python -m proof --only soak --scale 0.1`` runs single parts with a tenth of their size, and keeps nothing.
``python -m proof soak --minutes 60`` runs one part in this process, with its own options: see `--help`.
The exit code is 1 when something was found, a part came to no end, or one could not be run; 130 when somebody
ended it.
"""

from __future__ import annotations

import argparse
import json
import secrets
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from proof.parts import PARTS, ROOT
from proof.running import carry_out, end_all, run
from proof.table import as_markdown, as_text, misses, replace_block
from proof.versions import facts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from proof.results import Result

PAGE = ROOT / "docs" / "proof.md"


def main(arguments: Sequence[str]) -> int:
    """Run the parts, show the table, return the exit code."""
    if named := [part for part in PARTS if part.name in arguments[:1]]:
        return carry_out(named[0], arguments[1:])
    asked = _parser().parse_args(arguments)
    parts = [part for part in PARTS if not asked.only or part.name in asked.only]
    asked.folder.mkdir(parents=True, exist_ok=True)
    print(f"seed {asked.seed}; the logs of the parts are in {asked.folder}")
    # Who ends it ends its parts, too.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    results: list[Result] = []
    try:
        with ThreadPoolExecutor(max_workers=max(1, asked.jobs)) as pool:
            try:
                of_part = partial(run, seed=asked.seed, scale=asked.scale, folder=asked.folder)
                for result in pool.map(of_part, parts):
                    results.append(result)
                    print(f"{as_text([result]).splitlines()[-1]}", flush=True)
            except KeyboardInterrupt:
                pool.shutdown(wait=False, cancel_futures=True)
                end_all()
                raise
    except KeyboardInterrupt:
        print("Ended before its end: nothing is kept.")
        return 130
    finally:
        signal.signal(signal.SIGTERM, before)
    print(f"\n{as_text(results)}\n{misses(results)}")
    known = facts()
    said = {"facts": known, "parts": [asdict(result) for result in results]}
    (asked.folder / "proof.json").write_text(json.dumps(said, indent=2) + "\n", encoding="utf-8")
    block = as_markdown(results, known)
    (asked.folder / "proof.md").write_text(f"{block}\n", encoding="utf-8")
    if not asked.only and asked.scale == 1:
        replace_block(PAGE, block)
        print(f"The table is kept in {PAGE.relative_to(ROOT)}.")
    return 0 if all(result.is_kept for result in results) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m proof", description=__doc__)
    names = [part.name for part in PARTS]
    parser.add_argument("--only", action="append", choices=names, metavar="PART", help=", ".join(names))
    parser.add_argument("--scale", type=_scale, default=1.0, help="what all sizes are multiplied by")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000), help="repeats a run")
    parser.add_argument("--jobs", type=int, default=2, help="how many parts run beside each other")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "proof", help="results and logs")
    return parser


def _scale(text: str) -> float:
    scale = float(text)
    if not 0 < scale <= 100:
        raise argparse.ArgumentTypeError("more than 0, and at most 100")
    return scale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
