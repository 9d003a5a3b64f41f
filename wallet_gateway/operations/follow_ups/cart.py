"""What a capture or refund is for: the cart of its lines, built and checked as that of an order."""

from __future__ import annotations

from collections.abc import Sequence

from wallet_gateway.domain.error_codes import ITEMS_INVALID
from wallet_gateway.operations.errors import InvalidInput
from wallet_gateway.operations.field_names import in_python_names
from wallet_gateway.protocol.cart import Discount, Item, Shipping, ShoppingCart, build_cart
from wallet_gateway.protocol.errors import FieldError, InvalidMessage


def cart_of(
    *, items: Sequence[Item], shipping: Shipping | None, discounts: Sequence[Discount], currency: str
) -> ShoppingCart:
    """Return the cart that a follow-up sends; raises `InvalidInput` that names each fault."""
    try:
        cart = build_cart(currency=currency, items=items, shipping=shipping, discounts=discounts)
    except InvalidMessage as error:
        raise InvalidInput(*ITEMS_INVALID, errors=in_python_names(error.errors)) from error
    if b"\\u0000" in cart.to_json():
        # It may wait in a row for a second person, and some databases cannot store this character.
        fault = FieldError(path="items", message="a text contains the character NUL")
        raise InvalidInput(*ITEMS_INVALID, errors=[fault])
    return cart
