"""Signals about orders and operations, for the shop's own code, and about each call to a gateway.

A signal about an order is sent after the change is committed, at least once, always with the same
`event_id`: a receiver that stores the ids it has seen can safely be called twice. A receiver that raises is
called again later. Keyword arguments: `event_id` (str), `reference` (the shop's own), `order` (PaymentOrder),
`amount` (Money or None), `occurred_at` (aware datetime), `metadata` (the order's, as a dict of texts). The
sender is the PaymentOrder class.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from django.dispatch import Signal


class ShopSignal(Signal):
    """A Django signal that takes receivers without a name.

    `send_robust` and `asend_robust` call every receiver, whichever of them raises.
    """

    def _log_robust_failure(self, receiver: Callable[..., object], err: Exception) -> None:
        """Log a failed receiver as Django 5.2 to 6.1 do, which raise if it has no `__qualname__`."""
        # There is no public way: the receivers and their weak references are internals, too.
        text = "Error calling %s in Signal.send_robust() (%s)"
        logging.getLogger("django.dispatch").error(text, _name_of(receiver), err, exc_info=err)


def _name_of(receiver: object) -> str:
    """Return a receiver's name, or that of its class; its repr may hold personal data."""
    if isinstance(receiver, partial):
        return _name_of(receiver.func)
    return str(getattr(receiver, "__qualname__", type(receiver).__qualname__))


order_authorized = ShopSignal()
"""The amount is reserved; capture it before the authorization expires."""
order_paid = ShopSignal()
"""The full amount is captured."""
order_captured_in_part = ShopSignal()
"""Part of the authorized amount was captured."""
order_refunded = ShopSignal()
"""Money was returned to the customer."""
order_reversed = ShopSignal()
"""The authorization was reversed; nothing was captured."""
order_failed = ShopSignal()
"""An attempt to pay was refused, cancelled or given up by a person; the customer may try again."""
order_expired = ShopSignal()
"""The payment page or the wallet button ended unpaid; the customer may try again while `order.is_payable`."""
order_cancelled = ShopSignal()
"""The order takes no new payment: it was cancelled, or the time to pay it is over; no `amount`.

What the customer has begun may still pay it: wait for `order_released` before you sell the goods again.
"""
order_released = ShopSignal()
"""Nothing that was begun for a cancelled order can pay it any more: its goods are free; no `amount`."""
authorization_expiring = ShopSignal()
"""An authorization expires soon and is not used up: `payment`, `amount` left, `expires_at`, `policy`.

The sweep sends it before that, with `reference` and `order` as above and without an `event_id`.
"""
order_anomaly = ShopSignal()
"""Evidence contradicts our records, or the order is overpaid, or paid after it was cancelled: check it."""
order_unfrozen = ShopSignal()
"""Nothing contradicts our records of a frozen payment any more: read `order.state`; no `amount`."""

wallet_limit_reached = ShopSignal()
"""A limit closed the wallet button of an order: `limit`, one of `payments.wallet.WalletLimit`; no `amount`.

The order's payment page can still be used. Many of these at once are what testing of stolen cards looks like.
"""

operation_refused = ShopSignal()
"""An operation was refused, or given up by a person, after the call that made it had returned.

Besides the arguments above: `kind` (TransactionKind), `transaction` (GatewayTransaction) and `explanation`
(str, why); `amount` is what was asked for. At most one event for each transaction. A detached refund belongs
to no order: its `order` is None, `reference` and `metadata` are empty, and `transaction.deposit` is what it
was to return. A refusal that the call itself returns is not sent. What a batch, the sweep, or the approval of
another person's request began is sent in any case: who asked for it is not there.
"""

batch_row_done = ShopSignal()
"""A row of a batch has ended: `batch` (OperationBatch) and `row` (OperationBatchRow), in any worker.

Sent in the worker, after the row's result is committed; a receiver that raises is logged.
"""

sending_paused = ShopSignal()
"""Sending to a gateway was paused, by a person or automatically: an alarm, once at the start of each pause.

`gateway` (its alias), `until` (aware datetime; None until a person resumes sending), `code` (a `PauseCode`;
None if a person stopped sending), `by` (that person; empty otherwise) and `reason` (str). Sent after the
outcome of the request that caused it is committed; a receiver that raises is logged.
"""
sending_resumed = ShopSignal()
"""A person has ended a pause: `gateway`, `by` and `reason`. A pause that reaches its end sends nothing."""

gateway_called = ShopSignal()
"""A call to a gateway has ended, with any result: `gateway` (its alias) and `call`, a `CallRecord`.

`call` has `operation`, `method`, `path`, `outcome`, `reason`, `http_status` and `elapsed_seconds`; neither
bodies nor references. Sent in the calling thread, where the payment waits for it; a receiver that raises is
logged.
"""
