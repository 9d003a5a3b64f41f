"""Where a page of the documentation may start: each function fills the names that the page then uses."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from wallet_gateway import payments

if TYPE_CHECKING:
    from wallet_gateway.models import PaymentOrder


def _order(reference: str, *, type: str = "sale") -> PaymentOrder:  # noqa: A002  the shop's word
    items = [payments.Item(product_id="MUG", product_name="Mug", unit_amount=Decimal("12.50"), quantity=2)]
    return payments.create_order(reference=reference, currency="EUR", items=items, type=type)


def _decide(names: dict[str, Any], order: PaymentOrder, outcome: str) -> PaymentOrder:
    started = payments.start_checkout(order)
    names["sandbox"].complete_checkout(started.reference, outcome)
    return payments.reconcile(payments.get_order(order.reference))


def an_order(names: dict[str, Any]) -> None:
    """A new order of 25.00 EUR that nobody has tried to pay."""
    names["order"] = _order("SHOP-1001")


def a_paid_order(names: dict[str, Any]) -> None:
    """A sale of 25.00 EUR, paid."""
    names["order"] = _decide(names, _order("SHOP-1002"), "success")


def an_authorised_order(names: dict[str, Any]) -> None:
    """A pre-authorisation of 25.00 EUR, approved, nothing captured."""
    names["order"] = _decide(names, _order("SHOP-1003", type="preauthorization"), "success")


SETUPS = {"an order": an_order, "a paid order": a_paid_order, "an authorised order": an_authorised_order}
