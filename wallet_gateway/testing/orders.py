"""Orders that are paid through the sandbox, as a customer would pay them on the gateway's page."""

from __future__ import annotations

import itertools
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from wallet_gateway import gateways, payments

if TYPE_CHECKING:
    from wallet_gateway.models import PaymentOrder
    from wallet_gateway.testing.control import SandboxControl

_numbers = itertools.count(1)


def pay(order: PaymentOrder, outcome: str = "success", *, control: SandboxControl) -> PaymentOrder:
    """Open the gateway's page for an order, decide there, and ask the gateway.

    :param order: an order that can be paid.
    :param outcome: ``success``, ``pending``, ``refused``, ``cancelled``, ``error`` or ``return``.
    :param control: the sandbox of the order's gateway.
    :returns: the order as the gateway reports it.
    """
    attempt = payments.start_checkout(order)
    account = gateways.gateway(order.gateway).account
    control.complete_checkout(
        attempt.reference, outcome, merchant_id=account.merchant_id, store_id=account.store_id
    )
    return payments.reconcile(payments.get_order(order.reference, gateway=order.gateway))


def create_order(**given: Any) -> PaymentOrder:
    """Store an order of two mugs, 25.00 EUR.

    :param given: arguments of `payments.create_order`, which replace the order's own.
    :returns: the order, not paid.
    """
    defaults: dict[str, Any] = {
        "reference": f"TEST-{next(_numbers)}",
        "currency": "EUR",
        "billing_address": payments.BillingAddress(
            street="Main Road", house_number="1", zip_postal_code="10115", city="Berlin", country_code="DEU"
        ),
    }
    if not given.keys() & {"items", "amount"}:
        mug = payments.Item(product_id="MUG", product_name="Mug", unit_amount=Decimal("12.50"), quantity=2)
        defaults["items"] = [mug]
    return payments.create_order(**defaults | given)
