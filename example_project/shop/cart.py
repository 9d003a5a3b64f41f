"""The cart in the session: products and quantities, without prices and addresses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.sessions.backends.base import SessionBase

from example_project.shop.models import Product

SESSION_KEY = "cart"


@dataclass(frozen=True, slots=True, kw_only=True)
class CartLine:
    """A product and its quantity."""

    product: Product
    quantity: int


class Cart:
    """The products in one visitor's session."""

    def __init__(self, session: SessionBase) -> None:
        self._session = session

    def add(self, product: Product, quantity: int) -> int:
        """Add to the quantity, up to the limit of one order; return the new quantity in the cart."""
        return self.set_quantity(product, self._quantities.get(product.sku, 0) + quantity)

    def set_quantity(self, product: Product, quantity: int) -> int:
        """Set the quantity, up to the limit of one order; 0 removes the line. Return the stored quantity."""
        quantities = dict(self._quantities)
        kept = min(quantity, product.most_per_order)
        if kept > 0:
            quantities[product.sku] = kept
        else:
            quantities.pop(product.sku, None)
        self._session[SESSION_KEY] = quantities
        return max(kept, 0)

    def clear(self) -> None:
        """Empty the cart."""
        self._session.pop(SESSION_KEY, None)

    def lines(self) -> tuple[CartLine, ...]:
        """Return the lines of the cart, oldest first; products no longer sold are left out."""
        quantities = self._quantities
        products = Product.objects.in_bulk(list(quantities), field_name="sku")
        return tuple(
            CartLine(product=products[sku], quantity=quantity)
            for sku, quantity in quantities.items()
            if sku in products
        )

    def __len__(self) -> int:
        """Return the number of pieces in the cart."""
        return sum(self._quantities.values())

    @property
    def _quantities(self) -> Mapping[str, int]:
        quantities: Mapping[str, int] = self._session.get(SESSION_KEY, {})
        return quantities
