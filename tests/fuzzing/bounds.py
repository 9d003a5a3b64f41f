"""How long to try: a few requests, always the same, or new ones for as long as `PROOF_SECONDS` says."""

from __future__ import annotations

import itertools
import os
import secrets
import time
from collections.abc import Iterator


def proof_seconds() -> float:
    """How long `make proof` wants each search to go on; zero in the suite."""
    return float(os.environ.get("PROOF_SECONDS", "0"))


def rounds(number: int) -> Iterator[str]:
    """Give a seed for each round; in a round every address is asked once. `PROOF_SEED` repeats a proof's."""
    seconds = proof_seconds()
    if not seconds:
        yield from map(str, range(number))
        return
    run, end = os.environ.get("PROOF_SEED") or secrets.token_hex(4), time.monotonic() + seconds
    for count in itertools.count():
        if time.monotonic() > end:
            return
        yield f"{run}-{count}"
