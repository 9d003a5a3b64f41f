"""What a shop gives for an order, and what is checked of it where the protocol has no rule.

The interface names no format for a language and no length for the names of products. A language that is no
tag and a name of some pages are slips of a shop, which no gateway could show to a customer. The settings may
demand a currency and a billing address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from django.utils.translation import gettext_noop as _

from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.policy import GatewayPolicy
from wallet_gateway.models.orders import ERASED, PaymentOrder
from wallet_gateway.operation_errors import InvalidInput
from wallet_gateway.protocol import checkout as messages
from wallet_gateway.protocol.cart import Discount, DiscountDetail, Item, ItemDetail, Shipping, ShippingDetail
from wallet_gateway.protocol.errors import FieldError, join_path
from wallet_gateway.protocol.text import is_storable, quote
from wallet_gateway.protocol.wire import MISSING, WireModel


@dataclass(frozen=True, slots=True, kw_only=True)
class BillingAddress:
    """The billing address; everything but the state is mandatory. `repr` shows none of it."""

    street: str = field(repr=False)
    """Not empty: `"Main Street"`."""
    house_number: str = field(repr=False)
    """Not empty: `"12a"`. A shop that keeps it with the street takes it apart."""
    zip_postal_code: str = field(repr=False)
    """Not empty: `"10115"`."""
    city: str = field(repr=False)
    """Not empty: `"Berlin"`."""
    country_code: str = field(repr=False)
    """ISO 3166-1, three letters: `"DEU"`."""
    state: str | None = field(default=None, repr=False)
    """ISO 3166-2, a part of that country: `"US-CA"`; None without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippingAddress:
    """The shipping address; every field is optional. `repr` shows none of it."""

    first_name: str | None = field(default=None, repr=False)
    """Of the person who gets the parcel: `"Ada"`."""
    last_name: str | None = field(default=None, repr=False)
    """Of the person who gets the parcel: `"Lovelace"`."""
    telephone_number: str | None = field(default=None, repr=False)
    """As the customer wrote it: `"+49 30 1234567"`."""
    email: str | None = field(default=None, repr=False)
    """One address: `"ada@shop.example"`."""
    house_number: str | None = field(default=None, repr=False)
    """Number of the house, as text: `"12a"`."""
    street: str | None = field(default=None, repr=False)
    """Name of the street: `"Main Street"`."""
    city: str | None = field(default=None, repr=False)
    """Name of the city: `"Berlin"`."""
    zip_postal_code: str | None = field(default=None, repr=False)
    """Postal code, as text: `"10115"`."""
    state: str | None = field(default=None, repr=False)
    """ISO 3166-2, a part of the country: `"US-CA"`."""
    country_code: str | None = field(default=None, repr=False)
    """ISO 3166-1, three letters: `"DEU"`."""
    delivery_method: str | None = field(default=None, repr=False)
    """Text; in the interface's example only, undescribed."""


Address = BillingAddress | ShippingAddress


def as_mapping(given: Address | Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields of an address by name; a dict is returned as it is."""
    return asdict(given) if isinstance(given, Address) else given


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
        for member in given:
            if member not in message.wire_names:
                path, known = f"{name}.{quote(member)}".replace("'", ""), ", ".join(message.wire_names)
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


# What the settings require


def check_requirements(order: PaymentOrder, policy: GatewayPolicy) -> None:
    """Check a new order; raise `InvalidInput`."""
    if policy.currencies is not None and order.currency not in policy.currencies:
        known = ", ".join(sorted(policy.currencies))
        raise InvalidInput(
            _("Gateway %(gateway)s takes no %(currency)s. The settings allow: %(known)s."),
            gateway=order.gateway,
            currency=order.currency,
            known=known,
        )
    if policy.billing_address_required:
        check_billing_address(order.content)


def check_billing_address(content: Mapping[str, Any]) -> None:
    """Raise `InvalidInput` for content without a billing address.

    An address that is given is complete, because the order could not be created otherwise.
    """
    if not content.get("addressDetails", {}).get("billingAddress"):
        missing = [
            FieldError(path=f"billing_address.{name}", message=MISSING)
            for name, field in messages.BillingAddress.model_fields.items()
            if field.is_required()
        ]
        raise InvalidInput(
            _("The gateway requires a billing address. %(problems)s"),
            ErrorCode.FIELDS_INVALID,
            errors=missing,
        )


# Where two orders of one reference differ


def different_arguments(stored: Mapping[str, Any], given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the arguments by which two orders' content differs, each once, in the order of the content.

    Of an order whose customer was erased, what is left is compared first; if it is equal, the rest differs.
    """
    kept = {name: stored[name] for name in stored if name != ERASED}
    names = kept if ERASED in stored else {**given, **kept}
    return _arguments(names, kept, given) or _arguments({**given, **kept}, kept, given)


def _arguments(names: Iterable[str], stored: Mapping[str, Any], given: Mapping[str, Any]) -> tuple[str, ...]:
    paths = []
    for name in names:
        old, new = stored.get(name), given.get(name)
        if old == new:
            continue
        if name.lower().endswith("details"):
            # An object of arguments: its own members are what the shop has given.
            old, new = old or {}, new or {}
            differ = [field for field in {**new, **old} if old.get(field) != new.get(field)]
            paths += [join_path(name, field) for field in differ]
        else:
            paths.append(name)
    renamed = in_python_names(FieldError(path=path, message="") for path in paths)
    return tuple(dict.fromkeys(fault.path for fault in renamed))


# The names of the fields: the protocol reports `shoppingCartDetails.itemDetails[0].unitAmount`; a shop has
# written `items[0].unit_amount`. Bodies of the JSON interface keep the names of the wire.


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
