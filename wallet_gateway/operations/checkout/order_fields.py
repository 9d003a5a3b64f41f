"""Check what a shop gives for an order where the protocol has no rule: types, columns, lengths.

The interface names no format for a language and no length for the names of products. A language that is no
tag and a name of some pages are slips of a shop, which no gateway could show to a customer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from wallet_gateway.operations.checkout.addresses import Address, BillingAddress, ShippingAddress
from wallet_gateway.protocol import checkout as messages
from wallet_gateway.protocol.cart import Discount, Item, Shipping
from wallet_gateway.protocol.errors import FieldError
from wallet_gateway.protocol.text import is_storable, quote
from wallet_gateway.protocol.wire import WireModel

REFERENCE = re.compile(r"\A[!-~]{1,64}\Z")
LONGEST: Mapping[str, int] = {"order_number": 127, "language": 35, "continue_url": 500}
"""The lengths of the columns of an order."""
_LONGEST_IN_LINE: Mapping[str, int] = {
    "product_id": 255,
    "product_name": 255,
    "product_description": 2000,
    "discount_name": 255,
}
_LONGEST_NAME: Mapping[str, int] = {"name": 255}
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*")


def wrong_reference(reference: object) -> Iterator[FieldError]:
    """Yield the fault of an order's reference, if it has one."""
    if not isinstance(reference, str) or not REFERENCE.match(reference):
        message = f"must be 1 to 64 visible ASCII characters without blanks, not {quote(reference)}"
        yield FieldError("reference", message)


def wrong_texts(**texts: object) -> Iterator[FieldError]:
    """Yield each text that its column cannot hold; None is no text and may be missing."""
    for name, value in texts.items():
        longest = LONGEST[name]
        if value is not None and not (is_storable(value) and len(str(value)) <= longest):
            message = (
                f"must be text of at most {longest} characters, none of them NUL or half of a surrogate pair"
            )
            yield FieldError(name, message)


def wrong_language(language: object) -> Iterator[FieldError]:
    """Yield the fault of a language that is no tag: BCP 47 begins with two or three letters (ISO 639)."""
    is_judged = isinstance(language, str) and 0 < len(language) <= LONGEST["language"]
    if is_judged and not _LANGUAGE.fullmatch(str(language)):
        yield FieldError("language", f"{quote(language)} is no language tag; give one such as de or de-AT")


def wrong_addresses(**addresses: object) -> Iterator[FieldError]:
    """Yield each address that is no address, and each name in a mapping that no field has."""
    kinds: dict[str, tuple[type[Address], type[WireModel]]] = {
        "billing_address": (BillingAddress, messages.BillingAddress),
        "shipping_address": (ShippingAddress, messages.ShippingAddress),
    }
    for name, given in addresses.items():
        kind, message = kinds[name]
        if given is None or isinstance(given, kind):
            continue
        if not isinstance(given, Mapping):
            yield FieldError(name, f"must be a {kind.__name__} or a dict, not {type(given).__name__}")
            continue
        for field in given:
            if field not in message.wire_names:
                path, known = f"{name}.{quote(field)}".replace("'", ""), ", ".join(message.wire_names)
                yield FieldError(path, f"is unknown; the fields are: {known}")


def too_long_names(
    items: Sequence[Item], shipping: Shipping | None, discounts: Sequence[Discount]
) -> Iterator[FieldError]:
    """Yield each text of a line that no page could show."""
    for number, item in enumerate(items):
        yield from _long_texts(f"items[{number}]", item, _LONGEST_IN_LINE)
    for number, discount in enumerate(discounts):
        yield from _long_texts(f"discounts[{number}]", discount, _LONGEST_NAME)
    yield from _long_texts("shipping", shipping, _LONGEST_NAME)


def _long_texts(path: str, given: object, longest: Mapping[str, int]) -> Iterator[FieldError]:
    for name, most in longest.items():
        text = getattr(given, name, None)
        if isinstance(text, str) and len(text) > most:
            yield FieldError(f"{path}.{name}", f"has {len(text)} characters; at most {most} are allowed")
