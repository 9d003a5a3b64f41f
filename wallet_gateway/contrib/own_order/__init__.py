"""A mixin for a shop's own order model: the link to its payment order, and a call whenever that changes.

The state of a payment is not copied: `payment_order` is a foreign key, so the shop reads and filters by the
state that the plugin has. Whoever imports the mixin has its receivers and its check as well.
"""

from __future__ import annotations

from wallet_gateway.contrib.own_order import checks, receivers  # noqa: F401 - they register themselves
from wallet_gateway.contrib.own_order.payable_order import PayableOrder

__all__ = ["PayableOrder"]
