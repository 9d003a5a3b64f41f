"""The most frequent settlement, that a checkout's first page is open: two rows, and no sums.

Nothing else can have happened to such a transaction: it was sent by its first claim, no money moved, and no
older page exists that may have been paid. The write makes sure that the order is as it was seen: it may have
been cancelled, or paid by the wallet button. What is not so plain is settled as everything else.
"""

from __future__ import annotations

from wallet_gateway.domain.lifecycle import LifecycleEvent, TransactionKind, TransactionState
from wallet_gateway.domain.outcomes import INCONCLUSIVE
from wallet_gateway.domain.totals import payment_state
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.models.checkout_writes import open_page
from wallet_gateway.models.row_copies import copy_row
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.settlement.counters import NOTHING
from wallet_gateway.operations.settlement.db_transactions import run, with_retries
from wallet_gateway.operations.settlement.status_updates import StatusUpdate
from wallet_gateway.operations.settlement.transaction_columns import (
    columns_of_update,
    event_columns,
    order_as_seen,
)


def write_opened_page(
    transaction: GatewayTransaction, update: StatusUpdate, context: GatewayContext
) -> GatewayTransaction | None:
    """Record that a first page is open, commit, and return the transaction as it is now.

    None, and nothing is written, if the update is another one, or a row is not as it was read.
    """
    order = order_as_seen(transaction, update)
    if order is None or not _is_plain(transaction, update):
        return None
    before, now = TransactionState(transaction.state), context.clock.now()
    opened = copy_row(transaction)
    opened.state = TransactionState.OPEN
    columns = columns_of_update(
        opened, update, before=before, booking=NOTHING, now=now, jitter=context.jitter()
    )
    prepared = open_page(
        transaction.pk,
        order=order.where,
        where={"state": before, "attempt_no": transaction.attempt_no},
        columns=columns,
        event=event_columns(opened, update, now),
    )
    return opened if with_retries(lambda: run(prepared)) else None


def _is_plain(transaction: GatewayTransaction, update: StatusUpdate) -> bool:
    payment = transaction.payment
    return (
        update.event is LifecycleEvent.OPENED
        and update.finding is INCONCLUSIVE
        and update.attempt_no == transaction.attempt_no
        and update.also is None
        and transaction.state == TransactionState.SENDING
        and payment is not None
        and payment.number == 1
        and payment.state == payment_state(payment.totals, TransactionState.OPEN, TransactionKind.CHECKOUT)
    )
