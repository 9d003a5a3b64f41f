"""Facts about orders, for the shop's own code; and of each call to a gateway, for its metrics.

A signal about an order is sent after the change is committed, at least once, always with the same `event_id`:
a receiver that remembers the ids it has seen is called twice without harm. A receiver that raises is called
again later. Keyword arguments: `event_id` (str), `reference` (the shop's own), `order` (PaymentOrder),
`amount` (Money or None), `occurred_at` (aware datetime). The sender is the PaymentOrder class.
"""

from __future__ import annotations

from django.dispatch import Signal

order_authorized = Signal()
"""The amount is reserved; capture it before the authorization lapses."""
order_paid = Signal()
"""The money is captured in full."""
order_captured_in_part = Signal()
"""A part of what is authorized was captured."""
order_refunded = Signal()
"""Money went back to the customer."""
order_reversed = Signal()
"""The authorization was given back; nothing was taken."""
order_failed = Signal()
"""An attempt to pay was refused, cancelled or failed; the customer may try again."""
order_expired = Signal()
"""The payment page ended unpaid; the customer may try again."""
authorization_ending = Signal()
"""An authorization lapses soon and something of it is left: `payment`, `amount` left, `ends_at`, `policy`.

Sent by the sweep before that, with `reference` and `order` as above and without a `event_id`.
"""
order_anomaly = Signal()
"""Evidence contradicts the books, or the order is overpaid: a person must look."""

batch_row_done = Signal()
"""A row of a batch has ended: `batch` (OperationBatch) and `row` (OperationBatchRow), whoever carried it out.

Sent in the worker, after the row's result is committed; a receiver that raises is logged.
"""

page_scripts_changed = Signal()
"""A payment page is not as approved, says `manage.py wallet_scripts`; `changes` is a tuple of sentences."""

gateway_called = Signal()
"""A call to a gateway has ended, with whatever result: `gateway` (its alias) and `call`, a `CallRecord`.

`call` has `operation`, `method`, `path`, `outcome`, `reason`, `http_status` and `elapsed_seconds`; neither
bodies nor references. Sent in the calling thread, where the payment waits for it; a receiver that raises is
logged.
"""
