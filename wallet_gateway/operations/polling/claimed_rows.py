"""Yield claimed rows one by one, batch after batch, each in its turn. How rows are claimed is in `claims`."""

from __future__ import annotations

from collections.abc import Callable, Generator

from wallet_gateway.models import GatewayTransaction
from wallet_gateway.operations.context import Clock
from wallet_gateway.operations.polling.claims import Batch, give_back

Claim = Callable[[int], Batch]
"""Claims a batch of at most so many rows."""


def claimed_rows(
    claim: Claim,
    *,
    limit: int,
    clock: Clock,
    turn: Callable[[], None] = lambda: None,
    is_over: Callable[[], bool],
) -> Generator[GatewayTransaction]:
    """Claim batch after batch and yield at most `limit` rows, each in its turn, to be queried at once.

    Rows that cannot be queried any more before their claim ends are given back, and when it is over, all that
    are left.
    """
    left = limit
    while left > 0 and (batch := claim(left)).rows:
        for place, transaction in enumerate(batch.rows):
            turn()
            if (over := is_over()) or not batch.may_query(clock.now()):
                give_back(batch, batch.rows[place:])
                if over:
                    return
                break
            left -= 1
            yield transaction
