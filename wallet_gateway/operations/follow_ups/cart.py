"""The lines of a capture or refund: built and checked as those of an order, and equal to its amount."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.operations.errors import InvalidInput
from wallet_gateway.operations.inputs import minor_units_of
from wallet_gateway.protocol.cart import Discount, Shipping, build_cart, cart_total
from wallet_gateway.protocol.cart_lines import Item
from wallet_gateway.protocol.cart_messages import ShoppingCart
from wallet_gateway.protocol.errors import FieldError, InvalidMessage
from wallet_gateway.protocol.money import Money


def cart_of(
    *, items: Sequence[Item], shipping: Shipping | None, discounts: Sequence[Discount], currency: str
) -> ShoppingCart | None:
    """Return the cart of what a follow-up is for; None if nothing is named. Raises `InvalidInput`."""
    if not (items or shipping or discounts):
        return None
    try:
        cart = build_cart(currency=currency, items=items, shipping=shipping, discounts=discounts)
    except InvalidMessage as error:
        raise InvalidInput(ErrorCode.ITEMS_INVALID, errors=error.errors) from error
    if b"\\u0000" in cart.to_json():
        # It may wait in a row for a second person, and some databases cannot store this character.
        raise _invalid("shoppingCartDetails", "a text contains the character NUL")
    return cart


def requested_units(
    amount: Decimal | Money | None, cart: ShoppingCart | None, *, currency: str
) -> int | None:
    """Return the requested amount in minor units: the given one, else what the cart comes to; None for all.

    "A part may be captured or refunded", so the interface does not compare the two; but lines that come to
    another amount than is moved would be wrong at the provider. Raises `InvalidInput`.
    """
    given = minor_units_of(amount, currency=currency)
    if cart is None:
        return given
    total = cart_total(cart, currency)
    if given is None:
        return minor_units_of(total, currency=currency)
    if given != total.minor_units:
        written = Money.from_minor_units(given, currency).to_wire()
        raise _invalid("amount", f"is {written}, but the items come to {total.to_wire()}; they must be equal")
    return given


def _invalid(path: str, problem: str) -> InvalidInput:
    return InvalidInput(ErrorCode.ITEMS_INVALID, errors=[FieldError(path=path, message=problem)])
