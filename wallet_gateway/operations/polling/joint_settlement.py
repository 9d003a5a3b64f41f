"""Settle the answers of several threads together: on PostgreSQL by one statement, and so by one commit.

Each thread waits until its answer is written, and then goes on as if it had written it alone. The statement
settles each row as if it were the only one. A row that is not as it was read, that is locked, or that needs
more than the statement can do, is settled the ordinary way by its own thread.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue

from django.db import connections

from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.models.checkout_writes import PreparedWrite
from wallet_gateway.models.settlement_writes import SettlementRows
from wallet_gateway.models.settlements_at_once import MOST, settlements_at_once, settles_at_once
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.settlement.db_transactions import run, with_retries
from wallet_gateway.operations.settlement.outbox import deliver
from wallet_gateway.operations.settlement.row_errors import OF_ONE_ROW
from wallet_gateway.operations.settlement.settle import Settled, is_plain, prepare, settle
from wallet_gateway.operations.settlement.status_updates import StatusUpdate

Settle = Callable[[GatewayTransaction, StatusUpdate], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """An answer that is ready to be written."""

    transaction: int
    order: int
    rows: SettlementRows
    is_written: Future[bool] = field(default_factory=Future)


@contextlib.contextmanager
def settling(context: GatewayContext) -> Iterator[Settle]:
    """Give what settles an answer: from all threads of a sweep together, where the database can do that."""
    if context.policy.query_workers == 1 or not settles_at_once():
        yield partial(settle, context=context)
        return
    joint = _JointSettlement(context)
    writer = threading.Thread(target=joint.write_all)
    writer.start()
    try:
        yield joint.settle
    finally:
        joint.end()
        writer.join()


class _JointSettlement:
    """The answers that threads wait for to be written, and the thread that writes them."""

    def __init__(self, context: GatewayContext) -> None:
        self._context = context
        self._waiting = SimpleQueue[_Answer | None]()
        self._is_over = False
        self._lock = threading.Lock()

    @sensitive_variables()
    def settle(self, transaction: GatewayTransaction, update: StatusUpdate) -> None:
        """Settle an answer, as `settle` does."""
        settled = self._written(transaction, update) if is_plain(transaction, update) else None
        if settled is None:
            settle(transaction, update, context=self._context)
        else:
            deliver(settled.outbox_events, clock=self._context.clock, recorder=self._context.deliveries)

    def _written(self, transaction: GatewayTransaction, update: StatusUpdate) -> Settled | None:
        payment = transaction.payment
        assert payment is not None  # noqa: S101 - else the update is not plain
        # An error of this row comes again where it is settled alone.
        with contextlib.suppress(*OF_ONE_ROW):
            settled, rows = with_retries(lambda: prepare(transaction, update, self._context))
            answer = _Answer(transaction=transaction.pk, order=payment.order_id, rows=rows)
            return settled if self._put(answer) and answer.is_written.result() else None
        return None

    def _put(self, answer: _Answer) -> bool:
        """Let an answer be written; return False once nobody writes any more."""
        with self._lock:
            if not self._is_over:
                self._waiting.put(answer)
            return not self._is_over

    def end(self) -> None:
        """Let the writer end once it has written what waits.

        A thread that still has an answer, because somebody has broken off the sweep, settles it alone.
        """
        with self._lock:
            self._is_over = True
            self._waiting.put(None)

    @sensitive_variables()
    def write_all(self) -> None:
        """Write what waits, all of it together, until the end."""
        try:
            while batch := self._next():
                _write(batch)
        finally:
            connections.close_all()

    def _next(self) -> Sequence[_Answer]:
        """Wait for an answer; return it with those that came meanwhile."""
        batch = list[_Answer]()
        with contextlib.suppress(Empty):
            while len(batch) < MOST:
                answer = self._waiting.get(block=not batch)
                if answer is None:
                    # It ends the next call, too.
                    self._waiting.put(None)
                    break
                batch.append(answer)
        return batch


def _write(batch: Sequence[_Answer]) -> None:
    # Of two pages of an order, the second one's rows are not those that the first one leaves.
    independent = list({answer.order: answer for answer in batch}.values())
    try:
        keys = set[int]()
        for write in settlements_at_once([answer.rows for answer in independent]):
            keys.update(_settled_by(write))
    except BaseException as error:  # noqa: BLE001 - raised in the threads that wait
        for answer in batch:
            answer.is_written.set_exception(error)
        return
    for answer in batch:
        answer.is_written.set_result(answer.transaction in keys and answer in independent)


def _settled_by(write: PreparedWrite[Collection[int]]) -> Collection[int]:
    """Run a statement; return the transactions that it settled: none if one of their rows is refused."""
    with contextlib.suppress(*OF_ONE_ROW):
        return with_retries(partial(run, write))
    return ()
