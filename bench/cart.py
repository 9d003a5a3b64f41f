"""What the body of a checkout costs, from a shop's items and from a stored order, against writing JSON.

The bound is `json.dumps` of the same data, by the C encoder of the standard library: JSON must be written at
least once to be sent. As a program it measures the stored order, which needs Django.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING

from bench.databases import run
from bench.measure import Compared, compare
from wallet_gateway.client.credentials import MerchantAccount
from wallet_gateway.protocol.cart import Shipping, build_cart, cart_total
from wallet_gateway.protocol.cart_lines import Item
from wallet_gateway.protocol.checkout import CheckoutDetails, CheckoutRequest, CheckoutType, RedirectDetails

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.measure import Finding

LINES = 100
ACCOUNT = MerchantAccount(
    merchant_id="SANDBOX-MERCHANT",
    store_id="SANDBOX-STORE",
    user_id="sandbox-user",
    provider="ExampleWalletV2",
)
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
        merchant_id=ACCOUNT.merchant_id,
        store_id=ACCOUNT.store_id,
        user_id=ACCOUNT.user_id,
        type=CheckoutType.SALE,
        amount=cart_total(cart, "EUR").to_wire(),
        currency_code="EUR",
        client_system_transaction_id="BENCH-1",
        checkout_details=CheckoutDetails.build(payment_method=ACCOUNT.provider, redirect_url_timeout=900),
        redirect_details=RedirectDetails.build(**RETURN_URLS),
        shopping_cart_details=cart,
    )


def measure() -> Iterator[Finding]:
    """Compare making, checking and writing the message with writing the same data."""
    for lines, most in ((LINES, 2.5), (10, 4.0), (1, None)):
        data = request(lines=lines).to_wire()
        compared = compare(partial(_made, lines), partial(_dumped, data))
        yield compared.finding(f"checkout body of {lines} lines from items, to json.dumps", at_most=most)
    stored = json.loads(run("bench.cart", database="sqlite://:memory:"))
    what = f"checkout body of {LINES} lines from a stored order, to json.dumps"
    yield Compared(**stored["body"]).finding(what, at_most=3)
    what = "redaction of that body for the record, to json.dumps"
    yield Compared(**stored["redaction"]).finding(what, at_most=None)


def _made(lines: int) -> bytes:
    return request(lines=lines).to_json()


def _dumped(data: object) -> bytes:
    return json.dumps(data).encode()


def main() -> None:
    """Print what making the request of a stored order takes, and redacting it."""
    import django

    django.setup()
    from wallet_gateway.client.redaction import redact
    from wallet_gateway.models import PaymentOrder
    from wallet_gateway.operations.checkout.page_request import (
        PageRequest,
        content_hash,
        page_request,
        texts_of,
    )

    message = request()
    names = ("type", "amount", "currencyCode", "shoppingCartDetails")
    content = {name: value for name, value in message.to_wire().items() if name in names}
    order = PaymentOrder(content=content, content_hash=content_hash("default", texts_of(content)))
    urls = message.redirect_details

    def second_look() -> PageRequest:
        return page_request(order, ACCOUNT, urls, reference="BENCH-1", seconds=900)

    data = json.loads(second_look().body)
    values = second_look().written.values
    found = {
        "body": compare(second_look, partial(_dumped, data)),
        "redaction": compare(partial(redact, values), partial(_dumped, data)),
    }
    json.dump({name: asdict(each) for name, each in found.items()}, sys.stdout)


if __name__ == "__main__":
    main()
