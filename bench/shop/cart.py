"""What is bought in all that is measured."""

from __future__ import annotations

from decimal import Decimal

from wallet_gateway.protocol.cart import Item, Shipping

ITEMS = tuple(
    Item(
        product_id=f"SKU-{number:04}",
        product_name=f"Product number {number}",
        product_description="Something that somebody ordered",
        product_type="physical",
        unit_amount=Decimal("11.90"),
        quantity=1 + number,
        unit_tax_amount=Decimal("1.90"),
        tax_rate=Decimal(19),
    )
    for number in range(3)
)
SHIPPING = Shipping(name="Parcel", amount=Decimal("4.90"), tax_amount=Decimal("0.78"), tax_rate=Decimal(19))
