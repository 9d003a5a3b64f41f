"""The two addresses of a checkout request: where the bill goes and where the goods go.

Addresses in answers are not here: what a provider reports of a payer is taken as it comes, see ``status``.
"""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from wallet_gateway.protocol.codes import subdivision_is_in
from wallet_gateway.protocol.errors import FieldError, InvalidMessage, excerpt
from wallet_gateway.protocol.fields import CountryCode, OptionalText, SubdivisionCode, Text, WireModel


class BillingAddress(WireModel):
    """Where the bill goes; everything but the state is mandatory once it is given."""

    house_number: Text
    street: Text
    city: Text
    zip_postal_code: Text
    state: SubdivisionCode | None = None
    country_code: CountryCode

    @model_validator(mode="after")
    def _state_lies_in_country(self) -> Self:
        _check_state(self.state, self.country_code)
        return self


class ShippingAddress(WireModel):
    """Where the goods go; every field is optional. ``deliveryMethod`` is passed through, undescribed."""

    first_name: OptionalText | None = None
    last_name: OptionalText | None = None
    telephone_number: OptionalText | None = None
    email: OptionalText | None = None
    house_number: OptionalText | None = None
    street: OptionalText | None = None
    city: OptionalText | None = None
    zip_postal_code: OptionalText | None = None
    state: SubdivisionCode | None = None
    country_code: CountryCode | None = None
    delivery_method: OptionalText | None = None

    @model_validator(mode="after")
    def _state_lies_in_country(self) -> Self:
        _check_state(self.state, self.country_code)
        return self


class AddressDetails(WireModel):
    """Both addresses of a checkout, either of them optional."""

    billing_address: BillingAddress | None = None
    shipping_address: ShippingAddress | None = None


def _check_state(state: str | None, country: str | None) -> None:
    if state and country and not subdivision_is_in(state, country):
        message = f"{excerpt(state)} does not lie in {country}; give a state of that country, or leave it out"
        raise InvalidMessage([FieldError("state", message)])
