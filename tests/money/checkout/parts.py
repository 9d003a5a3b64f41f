"""The parts of an order with everything that may be said of one: addresses, cardholder, and lines."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder

BILLING = {
    "house_number": "12b",
    "street": "Analytical Road",
    "city": "London",
    "zip_postal_code": "W1",
    "state": "GB-LND",
    "country_code": "GBR",
}
SHIPPING = BILLING | {
    "first_name": "Ada",
    "last_name": "Lovelace",
    "telephone_number": "44-20123456",
    "email": "ada@example.com",
    "delivery_method": "courier",
}
CARDHOLDER = {
    "cardholder_id": "C-77",
    "cardholder_first_name": "Ada",
    "cardholder_last_name": "Lovelace",
    "cardholder_email": "ada@example.com",
    "cardholder_mobile_phone": "44-7700900123",
    "cardholder_home_phone": "44 20 7946 0001",
    "cardholder_work_phone": "44 20 7946 0002",
    "cardholder_national_identification_number": "QQ123456C",
}
MUG = payments.Item(product_id="MUG-1", product_name="Mug", unit_amount=Decimal("10.00"), quantity=2)
LAMP = payments.Item(
    product_id="LAMP-2",
    product_name="Lamp",
    product_description="Brass, green shade",
    product_type="physical",
    unit_amount=Decimal("59.50"),
    quantity=2,
    unit_tax_amount=Decimal("9.50"),
    tax_rate=Decimal("19"),
    discount_amount=Decimal("11.90"),
    discount_name="Second one cheaper",
    discount_tax_amount=Decimal("1.90"),
)


def create(reference: str = "SHOP-1", **given: Any) -> PaymentOrder:
    """Create an order of two mugs, 20.00 EUR, or what is said of it."""
    usual: dict[str, Any] = {"currency": "EUR", "items": (MUG,)}
    return payments.create_order(reference=reference, **usual | given)
