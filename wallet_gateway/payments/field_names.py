"""Name the fields of an order and of items as Python code gives them, not as the wire names them.

The protocol reports `shoppingCartDetails.itemDetails[0].unitAmount`; a shop has written
`items[0].unit_amount`. Bodies of the JSON interface keep the names of the wire.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial

from wallet_gateway.protocol.cart import DiscountDetail, ItemDetail, ShippingDetail
from wallet_gateway.protocol.errors import FieldError, join_path

_LINE = {name: attribute for attribute, name in ItemDetail.wire_names.items()} | {
    "productQuantity": "quantity",
    # The total follows from these two.
    "totalAmount": "unit_amount",
}
_SHIPPING = {
    name: attribute.removeprefix("shipping_") for attribute, name in ShippingDetail.wire_names.items()
}
_DISCOUNT = {
    name: attribute.removeprefix("discount_") for attribute, name in DiscountDetail.wire_names.items()
}
_ORDER = {"providerDiscretionaryData": "order_number", "currencyCode": "currency"}

_OBJECTS: tuple[tuple[re.Pattern[str], str, Mapping[str, str]], ...] = (
    (re.compile(r"shoppingCartDetails\.itemDetails(\[\d+\])?\.?"), "items", _LINE),
    (re.compile(r"shoppingCartDetails\.shippingDetails()\.?"), "shipping", _SHIPPING),
    (re.compile(r"shoppingCartDetails\.discountDetails(\[\d+\])?\.?"), "discounts", _DISCOUNT),
    (re.compile(r"shoppingCartDetails(?:\.totalTaxAmount)?()"), "items", {}),
    (re.compile(r"addressDetails\.billingAddress()\.?"), "billing_address", {}),
    (re.compile(r"addressDetails\.shippingAddress()\.?"), "shipping_address", {}),
    (re.compile(r"(?:checkoutDetails|details|addressDetails)()\.?"), "", {}),
)
"""The objects of the wire, the special ones first: where each begins, its argument, and its fields."""

_CAPITAL = re.compile(r"(?<=[a-z0-9])[A-Z]")
_WIRE_WORD = re.compile(r"\b[a-z]+(?:[A-Z][a-z]+)+\b")


def in_python_names(faults: Iterable[FieldError]) -> tuple[FieldError, ...]:
    """Return faults with the names of `create_order`, of `Item` and of the other classes."""
    return tuple(map(_renamed, faults))


def _renamed(fault: FieldError) -> FieldError:
    for start, argument, names in _OBJECTS:
        if (found := start.match(fault.path)) is not None:
            field = _attribute(fault.path[found.end() :], names)
            path = join_path(argument + (found[1] or ""), field)
            return FieldError(path, _WIRE_WORD.sub(partial(_word, names), fault.message))
    return FieldError(_attribute(fault.path, _ORDER), fault.message)


def _word(names: Mapping[str, str], word: re.Match[str]) -> str:
    return names.get(word[0], word[0])


def _attribute(name: str, names: Mapping[str, str]) -> str:
    return names.get(name) or _CAPITAL.sub(lambda letter: f"_{letter[0].lower()}", name)
