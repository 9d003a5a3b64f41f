"""Yield claimed rows one by one, batch after batch, each in its turn. How a batch is claimed is in `claims`.

Threads that take their rows from here would all wait while one of them claims a batch. Where batches are
large, the next one is therefore claimed when half of the largest is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing

from django.db import connections

from wallet_gateway.models import GatewayTransaction
from wallet_gateway.operations.context import Clock
from wallet_gateway.operations.polling.claims import MAX_BATCH, Batch, give_back

Claim = Callable[[int], Batch]
"""Claims a batch of at most so many rows."""


def claimed_rows(
    claim: Claim,
    *,
    limit: int,
    clock: Clock,
    turn: Callable[[], None] = lambda: None,
    is_over: Callable[[], bool],
    claims_ahead: bool = False,
) -> Generator[GatewayTransaction]:
    """Claim batch after batch and yield at most `limit` rows, each in its turn, to be queried at once.

    Rows that cannot be queried any more before their claim ends are given back, and when it is over, all that
    are left. With `claims_ahead` a thread of its own claims the next batch meanwhile.
    """
    left = limit
    with closing(_Batches(claim)) as batches:
        while left > 0 and (batch := batches.take(left)).rows:
            for place, transaction in enumerate(batch.rows):
                if claims_ahead and place == MAX_BATCH // 2:
                    batches.claim_ahead(left - len(batch.rows[place:]))
                turn()
                if (over := is_over()) or not batch.may_query(clock.now()):
                    give_back(batch, batch.rows[place:])
                    if over:
                        return
                    break
                left -= 1
                yield transaction


class _Batches:
    """The batches of one sweep: at most one of them is claimed ahead."""

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._ahead: Future[Batch] | None = None
        self._thread: ThreadPoolExecutor | None = None
        """Most sweeps have so few rows that they never need it."""

    def claim_ahead(self, most: int) -> None:
        """Begin to claim the batch that comes next."""
        if most > 0:
            self._thread = self._thread or ThreadPoolExecutor(1)
            self._ahead = self._thread.submit(self._claim, most)

    def take(self, most: int) -> Batch:
        """Return the batch that was claimed ahead, or else claim one now."""
        ahead, self._ahead = self._ahead, None
        return self._claim(most) if ahead is None else ahead.result()

    def close(self) -> None:
        """Give back what was claimed ahead and is not taken any more, and end the thread."""
        if self._thread is None:
            return
        with self._thread as thread:
            thread.submit(connections.close_all)
        if self._ahead is not None:
            give_back(batch := self._ahead.result(), batch.rows)
