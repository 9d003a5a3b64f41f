"""`python -m proof.disaster`: restores an older backup while the gateway went on; lets two copies work.

Its databases are files of its own, and its gateway is the sandbox on this machine.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from pathlib import Path

from proof.kills.shop import shop_on
from proof.results import write_result

WHAT = "an older backup restored while the gateway went on; two sites at once by mistake"


def main(arguments: list[str]) -> int:
    """Go through both disasters; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m proof.disaster", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--result", type=Path, help="where to write what was found, as JSON")
    parser.add_argument("--seed", type=int, default=1, help="written into the result, nothing else")
    parser.add_argument("--only", choices=("restore", "two_sites"), help="one disaster alone")
    given = parser.parse_args(arguments)
    began, notes, failures = time.monotonic(), list[str](), list[str]()
    with tempfile.TemporaryDirectory(prefix="wallet-gateway-proof-") as name:
        folder = Path(name)
        with shop_on(f"sqlite:///{folder / 'shop.sqlite3'}") as world:
            from proof.disaster.restore import restore
            from proof.disaster.sites import Site
            from proof.disaster.two_sites import two_sites

            chosen = [one for one in (restore, two_sites) if given.only in {None, one.__name__}]
            for disaster in chosen:
                world.as_new()
                try:
                    told = disaster(world, Site(folder / "shop.sqlite3"), folder)
                except AssertionError:
                    failures.append(f"{disaster.__name__}: {traceback.format_exc()}")
                else:
                    notes += [f"{disaster.__name__}: {note}" for note in told]
    written = write_result(
        given.result,
        part="disaster",
        what=WHAT,
        runs=len(chosen),
        found=len(failures),
        seed=given.seed,
        seconds=time.monotonic() - began,
        notes=notes + failures,
    )
    sys.stdout.write(written)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
