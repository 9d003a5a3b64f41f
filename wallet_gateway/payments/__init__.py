"""The public API of a shop: `from wallet_gateway import payments`.

What every shop needs is here: create and cancel an order, open the payment page, read the result, capture,
refund, reverse. The rest is in a module for each subject: `orders`, `prices` (items from net or finer
prices), `follow_ups`, `wallet` (the wallet button), `approvals` (decisions of a person), `batches` (one
operation for many orders), `maintenance` (background work and operators) and `errors` (what to catch).

Gateway, clock and return URLs come from the settings. Each function is a use case: what it does stands below
its docstring, in the file of its subject; `orders`, `wallet` and `maintenance` only gather names. Functions
that call the gateway must not run inside a database transaction: what they are about to send must be
committed first.
"""

from __future__ import annotations

from wallet_gateway.domain.actors import Actor
from wallet_gateway.payments import (
    approvals,
    batches,
    errors,
    follow_ups,
    maintenance,
    orders,
    prices,
    wallet,
)
from wallet_gateway.payments.follow_ups import capture, refund, refund_migrated, reverse
from wallet_gateway.payments.maintenance import sweep
from wallet_gateway.payments.order_creation import BillingAddress, ShippingAddress
from wallet_gateway.payments.orders import (
    cancel,
    create_order,
    gateway_records,
    get_order,
    order_summary,
    reconcile,
    start_checkout,
)
from wallet_gateway.protocol.cart import Discount, Item, Shipping
from wallet_gateway.protocol.money import Money

__all__ = [
    "Actor",
    "BillingAddress",
    "Discount",
    "Item",
    "Money",
    "Shipping",
    "ShippingAddress",
    "approvals",
    "batches",
    "cancel",
    "capture",
    "create_order",
    "errors",
    "follow_ups",
    "gateway_records",
    "get_order",
    "maintenance",
    "order_summary",
    "orders",
    "prices",
    "reconcile",
    "refund",
    "refund_migrated",
    "reverse",
    "start_checkout",
    "sweep",
    "wallet",
]
