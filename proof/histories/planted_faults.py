"""Faults planted in the plugin, to prove the search itself: each must be found, and made short.

A fault is a patch of one rule that the plugin keeps, as a careless change might break it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from unittest.mock import patch

from proof.histories.run import run, shortest_of
from proof.histories.steps import HABITS, draw_history
from proof.histories.taught import MISTAKEN, TaughtGateway
from proof.histories.virtual_world import VirtualWorld
from wallet_gateway.client.errors import NotSent, NotSentReason
from wallet_gateway.client.transport import RequestDeadline
from wallet_gateway.domain import evidence
from wallet_gateway.domain.polling_schedule import PollState, next_query_at
from wallet_gateway.domain.states import FINAL_STATES, TransactionState
from wallet_gateway.ledger import apply
from wallet_gateway.payments import sending, sweeper

_book = apply.book
_record_not_sent = sending.record_not_sent
_judge = evidence._judge


def _book_twice(*given: Any, **named: Any) -> apply.Booking:
    booking = _book(*given, **named)
    return replace(booking, added={name: 2 * value for name, value in booking.added.items()})


def _take_for_unsent(transaction: Any, error: object, *, context: Any) -> Any:  # noqa: ANN401
    return _record_not_sent(transaction, NotSent(NotSentReason.OTHER), context=context)


def _never_mark(deadline: RequestDeadline) -> None:
    """Leave the write marker where it is."""


def _ask_no_more(position: PollState, *, jitter: float = 0.0) -> datetime | None:
    return None if position.state is TransactionState.UNKNOWN else next_query_at(position, jitter=jitter)


def _miss_nobody(_: object) -> int:
    return 0


def _look_at_the_first(fits: Sequence[Any], expected: Any, closed: Any) -> Any:  # noqa: ANN401
    return _judge(fits[:1], replace(expected, approved_id=""), closed)


Plant = Callable[[VirtualWorld], AbstractContextManager[object]]

PLANTED: Final[dict[str, Plant]] = {
    "a settlement books twice": lambda _: patch.object(apply, "book", _book_twice),
    "what may have happened is sent again": lambda _: patch.object(
        sending, "record_unknown", _take_for_unsent
    ),
    "a request is marked after it was sent": lambda _: patch.object(
        RequestDeadline, "mark_sent", _never_mark
    ),
    "an unknown outcome frees its amount": lambda _: patch.object(
        apply, "FINAL_STATES", FINAL_STATES | {TransactionState.UNKNOWN}
    ),
    "an unknown outcome is not asked about": lambda _: patch.object(apply, "next_query_at", _ask_no_more),
}
"""Each fault that nearly every history meets, by what it is, as a context in which it is there."""

RARE: Final[dict[str, Plant]] = {
    "a dead sender is not missed": lambda _: patch.object(sweeper, "_end_leases", _miss_nobody),
    "a second execution is not seen": lambda _: patch.object(evidence, "_judge", _look_at_the_first),
}
"""Faults that show only where a gateway executes twice, or a sender dies at its one boundary."""


def _talks_by(client: type[TaughtGateway]) -> Plant:
    return lambda world: patch.object(world, "client", f"{client.__module__}.{client.__qualname__}")


CLIENTS: Final[dict[str, Plant]] = {
    f"the shop's client is {client.__name__}": _talks_by(client) for client in MISTAKEN
}
"""Clients through which a shop is told less, or something else, than its gateway with habits says."""


def find_planted(
    world: VirtualWorld, seeds: Sequence[str], gateway: str, steps: int, *, rare: bool
) -> Iterator[tuple[bool, str]]:
    """Plant one fault after the other, and search for each in histories that hold without it.

    Yields whether it was found, and how.
    """
    planted = PLANTED | (RARE if rare else {}) | (CLIENTS if gateway == HABITS else {})
    for fault, plant in planted.items():
        for after, seed in enumerate(seeds, 1):
            history = draw_history(seed, steps, gateway)
            with plant(world):
                outcome = run(history, world)
            if outcome.failure is not None and run(history, world).failure is None:
                with plant(world):
                    shortest = shortest_of(outcome.failure, history.of(outcome.steps), world)
                where = f"in history {after}, {len(shortest.history.steps)} steps"
                yield True, f"found: {fault}, {where}: {shortest.claim}\n{shortest.history}"
                break
        else:
            yield False, f"MISSED: {fault}, in {len(seeds)} histories"
