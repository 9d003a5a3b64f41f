"""Find a short history that still fails: leave out parts as long as what is left fails, and fewer each time.

Pure: what fails is a question to a function. (Zeller's delta debugging, and before it the orders involved.)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TypeVar

from proof.chaos.plan import DIES_AFTER, Fault, Kind, Step, stories_of
from proof.chaos.verdict import Failure
from proof.chaos.worker import Result

T = TypeVar("T")
Fails = Callable[[Sequence[Step]], bool]
_SENDS = {
    Kind.OPEN_PAGE: "checkout",
    Kind.WALLET_BUTTON: "authorization",
    Kind.CAPTURE: "capture",
    Kind.REFUND: "refund",
    Kind.REVERSE: "reversal",
    Kind.DETACHED_REFUND: "detached_refund",
}


def first_suspects(
    steps: Sequence[Step],
    failures: Sequence[Failure],
    broken: Sequence[Result],
    interrupted: Sequence[int],
) -> list[tuple[Step, ...]]:
    """Return the histories to begin with, the smallest first: the orders involved, then more.

    Where a worker was killed, the history has a death at that step.
    """
    killed = set(interrupted)
    history = tuple(_as_death(step) if step.number in killed else step for step in steps)
    orders = {failure.story for failure in failures} | {steps[one.step - 1].story for one in broken}
    orders.discard(0)
    if not orders:
        return [history]
    return [
        tuple(step for step in history if step.story in orders),
        tuple(step for step in history if step.story in orders or not step.story),
        history,
    ]


def with_their_times(kept: Sequence[Step], steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return steps at their instants in a longer history, whatever is left out between them."""
    instants = dict(
        zip((step.number for step in steps), accumulate(step.seconds for step in steps), strict=True)
    )
    before = [0.0, *(instants[step.number] for step in kept)]
    return tuple(
        replace(step, seconds=instants[step.number] - earlier)
        for step, earlier in zip(kept, before, strict=False)
    )


def _as_death(step: Step) -> Step:
    if step.fault is not None or step.kind not in _SENDS:
        return step
    return replace(step, fault=Fault(name=DIES_AFTER, operation=_SENDS[step.kind]))


def shrink(suspects: Sequence[Sequence[Step]], fails: Fails, *, deadline: float) -> tuple[Step, ...] | None:
    """Return the shortest history found until an instant of `time.monotonic()`; None if none fails."""
    search = _Search(fails, deadline)
    failing = next((tuple(one) for one in suspects if search.fails(one)), None)
    if failing is None:
        return None
    return search.without_parts(search.without_orders(failing))


class _Search:
    """Asks whether histories fail, until the time is over: then none does, and the last found stays."""

    def __init__(self, fails: Fails, deadline: float) -> None:
        self._fails, self._deadline = fails, deadline

    def fails(self, steps: Sequence[Step]) -> bool:
        """Return whether a history fails; False when the time is over."""
        return time.monotonic() < self._deadline and self._fails(steps)

    def without_orders(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """Leave out whole orders, half of them at first."""
        orders = list(stories_of(steps))
        kept = self._reduced(
            orders, lambda some: tuple(s for s in steps if not s.story or s.story in set(some))
        )
        return tuple(step for step in steps if not step.story or step.story in set(kept))

    def without_parts(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """Leave out single steps, half of them at first."""
        return tuple(self._reduced(list(steps), tuple))

    def _reduced(self, parts: list[T], history: Callable[[Sequence[T]], tuple[Step, ...]]) -> list[T]:
        """Return few parts whose history still fails; without any of them it does not, if there was time."""
        pieces = 2
        while len(parts) >= 2:
            size = -(-len(parts) // pieces)
            for start in range(0, len(parts), size):
                rest = parts[:start] + parts[start + size :]
                if rest and self.fails(history(rest)):
                    parts, pieces = rest, max(pieces - 1, 2)
                    break
            else:
                if size == 1:
                    return parts
                pieces = min(pieces * 2, len(parts))
        return parts
