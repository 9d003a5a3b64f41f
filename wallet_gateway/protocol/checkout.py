"""The checkout request and its response: the interface, sections Checkout request and Checkout response."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field, Strict, ValidationInfo, field_validator

from wallet_gateway.protocol.addresses import AddressDetails
from wallet_gateway.protocol.cart import ShoppingCart, cart_total
from wallet_gateway.protocol.complaints import PATTERNS
from wallet_gateway.protocol.errors import excerpt
from wallet_gateway.protocol.fields import OptionalText, Text, TransactionRequest, Url, WireModel
from wallet_gateway.protocol.money import scaled_units

MAX_REDIRECT_URL_TIMEOUT = 900
"""Seconds a checkout page stays usable at most; 0 means for ever."""

_MOBILE_PHONE = r"^[0-9]{1,3}-[0-9]{1,15}$"
PATTERNS[_MOBILE_PHONE] = lambda text: (
    f"{excerpt(text)} is no mobile number; give calling code, hyphen and number, such as 49-15112345678"
)


class CheckoutType(StrEnum):
    """What a checkout does with the money: take it, or reserve it for a later capture."""

    SALE = "ecom.sale"
    PREAUTHORIZATION = "ecom.preAuthorization"


class ProviderDetails(WireModel):
    """The merchant id at the acquirer; without it the service chooses one by card and currency."""

    provider_merchant_id: Text | None = None


class CheckoutDetails(WireModel):
    """How the hosted page looks and for whom; ``paymentMethod`` is the provider's constant."""

    payment_method: Text
    skin_id: OptionalText | None = None
    language: OptionalText | None = None
    cardholder_id: OptionalText | None = None
    cardholder_first_name: OptionalText | None = None
    cardholder_last_name: OptionalText | None = None
    cardholder_email: OptionalText | None = None
    cardholder_mobile_phone: Annotated[str, Strict(), Field(pattern=_MOBILE_PHONE)] | None = None
    cardholder_home_phone: OptionalText | None = None
    cardholder_work_phone: OptionalText | None = None
    cardholder_national_identification_number: OptionalText | None = None
    redirect_url_timeout: Annotated[int, Strict(), Field(ge=0, le=MAX_REDIRECT_URL_TIMEOUT)] | None = None


class RedirectDetails(WireModel):
    """Where the customer's browser is sent; a URL that does not apply repeats ``errorUrl``."""

    return_url: Url
    success_url: Url
    pending_url: Url
    error_url: Url
    cancel_url: Url
    refused_url: Url


class CheckoutRequest(TransactionRequest):
    """Asks for a page where the customer pays; the body of POST checkout."""

    type: CheckoutType
    provider_discretionary_data: OptionalText | None = None
    details: ProviderDetails | None = None
    checkout_details: CheckoutDetails
    address_details: AddressDetails | None = None
    redirect_details: RedirectDetails
    shopping_cart_details: ShoppingCart | None = None

    alternative_names = {"shoppingCardDetails": "shoppingCartDetails"}

    @field_validator("shopping_cart_details")
    @classmethod
    def _comes_to_the_amount(cls, cart: ShoppingCart | None, info: ValidationInfo) -> ShoppingCart | None:
        amount, currency = info.data.get("amount"), info.data.get("currency_code")
        if cart is not None and amount and currency and cart.sums.total != scaled_units(amount):
            total = cart_total(cart, currency)
            raise ValueError(f"comes to {total.to_wire()}, but amount is {amount}; the two must be equal")
        return cart


class CheckoutResponse(WireModel):
    """Where to send the customer's browser."""

    redirect_url: Url

    is_answer = True
