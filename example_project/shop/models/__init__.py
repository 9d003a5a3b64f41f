"""The shop's tables, importable by name."""

from __future__ import annotations

from example_project.shop.models.catalogue import (
    Category,
    DiscountCode,
    Price,
    Product,
    ProductKind,
    ShippingMethod,
    ShippingRate,
)
from example_project.shop.models.orders import Order, OrderLine, PackingSlip, new_order_key, new_order_number

__all__ = [
    "Category",
    "DiscountCode",
    "Order",
    "OrderLine",
    "PackingSlip",
    "Price",
    "Product",
    "ProductKind",
    "ShippingMethod",
    "ShippingRate",
    "new_order_key",
    "new_order_number",
]
