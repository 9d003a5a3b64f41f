"""Run many histories of one seed, shrink those that fail, and tell what was found as it is found."""

from __future__ import annotations

# First: classes of the plugin store `time.sleep` when they are made.
import gc
import hashlib
import os
from collections import Counter
from typing import TYPE_CHECKING

import django

from proof.histories.steps import draw_history
from proof.results import Tally

if TYPE_CHECKING:
    from proof.histories.run import Failure


def run(
    *,
    gateway: str,
    seed: int = 1,
    histories: int = 5_000,
    steps: int = 30,
    only: int | None = None,
    most_failures: int = 5,
    planted: str = "",
) -> Tally:
    """Run histories at a gateway until enough was found; with `only` that one, which is shown.

    With `planted` faults are searched that are planted for it: `quick` the common ones, or `all`.
    """
    os.environ["DJANGO_SETTINGS_MODULE"] = "proof.settings"
    django.setup()
    from proof.histories.planted_faults import find_planted
    from proof.histories.run import run as run_one
    from proof.histories.run import shortest_of
    from proof.histories.virtual_world import VirtualWorld

    world, tally, again, trace = VirtualWorld(), Tally(), Counter[str](), hashlib.blake2b(digest_size=8)
    numbers = range(histories) if only is None else range(only, only + 1)
    drawn = [f"{seed}/{number}" for number in numbers]
    if planted:
        for is_found, text in find_planted(world, drawn, gateway, steps, rare=planted == "all"):
            tally.runs += 1
            tally.failures += [] if is_found else [text]
            print(text, flush=True)
        return tally
    # Nothing that was imported is garbage, and what a history leaves behind can wait.
    gc.freeze()
    gc.set_threshold(50_000)
    found: list[Failure] = []
    last = ""
    for name in drawn:
        history = draw_history(name, steps, gateway)
        if only is not None:
            print(str(history), flush=True)
        outcome = run_one(history, world)
        tally.runs += 1
        last = outcome.trace
        trace.update(last.encode())
        if outcome.failure is not None:
            claim = outcome.failure.claim
            if claim in {failure.claim for failure in found}:
                again[claim] += 1
            else:
                shortest = shortest_of(outcome.failure, history.of(outcome.steps), world)
                found.append(shortest)
                text = f"FOUND: {shortest.claim}\n{shortest.history}\n  after step {shortest.step}: "
                print(text + shortest.text, flush=True)
                if len(found) >= most_failures:
                    break
        if tally.runs % 100 == 0:
            print(f"{tally.runs} of {len(drawn)} histories", flush=True)
    # So that nobody takes an empty search for a proof.
    tally.notes.append(", ".join(f"{count:,} {what}" for what, count in sorted(world.happened.items())))
    # The same for the same seed; that of the last history whatever ran before it.
    print(f"trace {trace.hexdigest()}, {last}", flush=True)
    tally.failures += [f"{one.history.seed}: {one.claim} (and {again[one.claim]} more)" for one in found]
    return tally
