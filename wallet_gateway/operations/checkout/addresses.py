"""The addresses of an order as a shop gives them, which are judged with the order, as its items are.

So `create_order` refuses what a customer has typed, with `InvalidInput` and in the names of these fields. The
protocol's messages of the same names refuse a value where they are made, in the names of the wire.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


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
