"""What a checkout body of a hundred lines costs: from a shop's items to bytes, against writing JSON."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING

from bench.measure import Finding, ratio
from wallet_gateway.protocol.cart import Shipping, build_cart, cart_total
from wallet_gateway.protocol.cart_lines import Item
from wallet_gateway.protocol.checkout import CheckoutDetails, CheckoutRequest, CheckoutType, RedirectDetails

if TYPE_CHECKING:
    from collections.abc import Iterator

LINES = 100
ITEMS = tuple(
    Item(
        product_id=f"SKU-{number:04}",
        product_name=f"Product number {number}",
        product_description="Something that somebody ordered",
        product_type="physical",
        unit_amount=Decimal("11.90"),
        quantity=1 + number % 5,
        unit_tax_amount=Decimal("1.90"),
        tax_rate=Decimal(19),
    )
    for number in range(LINES)
)
SHIPPING = Shipping(name="Parcel", amount=Decimal("4.90"), tax_amount=Decimal("0.78"), tax_rate=Decimal(19))
WORDS = ("return", "success", "pending", "error", "cancel", "refused")
RETURN_URLS = {f"{word}_url": f"https://shop.example/wallet/return/{word}/" for word in WORDS}


def request(*, lines: int = LINES) -> CheckoutRequest:
    """Make the message as the plugin does: sums computed, everything checked."""
    cart = build_cart(currency="EUR", items=ITEMS[:lines], shipping=SHIPPING)
    return CheckoutRequest.build(
        merchant_id="SANDBOX-MERCHANT",
        store_id="SANDBOX-STORE",
        user_id="sandbox-user",
        type=CheckoutType.SALE,
        amount=cart_total(cart, "EUR").to_wire(),
        currency_code="EUR",
        client_system_transaction_id="BENCH-1",
        checkout_details=CheckoutDetails.build(payment_method="ExampleWalletV2", redirect_url_timeout=900),
        redirect_details=RedirectDetails.build(**RETURN_URLS),
        shopping_cart_details=cart,
    )


def measure() -> Iterator[Finding]:
    """Compare making, checking and writing the message with writing the same data."""
    data = request().to_wire()
    value = ratio(lambda: request().to_json(), lambda: json.dumps(data).encode())
    yield Finding(what=f"checkout body of {LINES} lines, to json.dumps", value=value, target=1.5, unit="x")
