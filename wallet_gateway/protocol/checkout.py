"""The order, the checkout request and its response: the interface, sections Checkout request and response.

Addresses in answers are not here: what a provider reports of a payer is taken as it comes, see ``status``.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated

from pydantic import Field, Strict, ValidationInfo, field_validator

from wallet_gateway.protocol.cart import ShoppingCart, cart_total
from wallet_gateway.protocol.codes import subdivision_is_in
from wallet_gateway.protocol.errors import FieldError
from wallet_gateway.protocol.field_types import (
    ANY_CASE,
    FROM_JSON_NUMBER,
    OF_A_CUSTOMER,
    PATTERN_MESSAGES,
    CountryCode,
    CurrencyCode,
    Email,
    OptionalText,
    PositiveAmount,
    SubdivisionCode,
    Text,
    Url,
)
from wallet_gateway.protocol.money import Money, scaled_units
from wallet_gateway.protocol.text import quote
from wallet_gateway.protocol.wire import TransactionRequest, WireModel

MAX_REDIRECT_URL_TIMEOUT = 900
"""The limit of ``redirectUrlTimeout``: "Seconds; 0 means no expiration; maximum 900"."""


class CheckoutType(StrEnum):
    """Whether a checkout takes the money, or reserves it for a later capture."""

    SALE = "ecom.sale"
    PREAUTHORIZATION = "ecom.preAuthorization"


# Addresses

CustomerText = Annotated[OptionalText, OF_A_CUSTOMER]


def _faults_of_state(state: str | None, country: str | None) -> Iterator[FieldError]:
    if state and country and not subdivision_is_in(state, country):
        message = f"{quote(state)} does not lie in {country}; give a state of that country, or leave it out"
        yield FieldError("state", message)


class BillingAddress(WireModel):
    """The billing address; everything but the state is mandatory once it is given."""

    house_number: Annotated[Text, OF_A_CUSTOMER]
    """Required text, such as "12a"; a shop that keeps it with the street takes it apart."""
    street: Annotated[Text, OF_A_CUSTOMER]
    """Required text, not empty."""
    city: Annotated[Text, OF_A_CUSTOMER]
    """Required text, not empty."""
    zip_postal_code: Annotated[Text, OF_A_CUSTOMER]
    """Required text, not empty."""
    state: SubdivisionCode | None = Field(default=None, description="in countryCode")
    """ISO 3166-2 in that country: "US-CA"."""
    country_code: CountryCode
    """Required: ISO 3166 with three letters: "DEU"."""

    def faults(self) -> Iterator[FieldError]:
        """Yield the fault of a state in another country."""
        return _faults_of_state(self.state, self.country_code)


class ShippingAddress(WireModel):
    """The shipping address; every field is optional, and the undescribed ``deliveryMethod`` is passed on."""

    first_name: CustomerText | None = None
    """First name of the person who receives the goods."""
    last_name: CustomerText | None = None
    """Last name of the person who receives the goods."""
    telephone_number: CustomerText | None = None
    """As the customer wrote it."""
    email: Email | None = None
    """One e-mail address."""
    house_number: CustomerText | None = None
    """Such as "12a"."""
    street: CustomerText | None = None
    """The street's name."""
    city: CustomerText | None = None
    """The city's name."""
    zip_postal_code: CustomerText | None = None
    """Postal code, as text."""
    state: SubdivisionCode | None = Field(default=None, description="in countryCode")
    """ISO 3166-2 in that country: "US-CA"."""
    country_code: CountryCode | None = None
    """ISO 3166 with three letters: "DEU"."""
    delivery_method: CustomerText | None = None
    """Text; in the interface's example only, without a description."""

    def faults(self) -> Iterator[FieldError]:
        """Yield the fault of a state in another country."""
        return _faults_of_state(self.state, self.country_code)


class AddressDetails(WireModel):
    """The addresses of a checkout, each of them optional."""

    billing_address: BillingAddress | None = None
    shipping_address: ShippingAddress | None = None


# The order


# The interface on cardholderMobilePhone: "Format {1-3 digit country calling code}-{phone number}."
_MOBILE_PHONE = r"^[1-9][0-9]{0,2}-[0-9]{1,15}$"
PATTERN_MESSAGES[_MOBILE_PHONE] = lambda text: (
    f"{quote(text)} is no mobile number; give calling code, hyphen and number, such as 49-15112345678"
)


MobilePhone = Annotated[str, Strict(), Field(pattern=_MOBILE_PHONE)]


class ProviderDetails(WireModel):
    """The merchant id at the acquirer.

    "When absent, the service associates a merchant id by card and currency." (``providerMerchantId``)
    """

    provider_merchant_id: Text | None = None


class PageDetails(WireModel):
    """The hosted page's style and language, and the cardholder it is for."""

    skin_id: OptionalText | None = None
    language: OptionalText | None = None
    cardholder_id: OptionalText | None = None
    cardholder_first_name: CustomerText | None = None
    cardholder_last_name: CustomerText | None = None
    cardholder_email: Email | None = None
    cardholder_mobile_phone: MobilePhone | None = Field(
        default=None, description="the calling code has 1 to 3 digits"
    )
    cardholder_home_phone: CustomerText | None = None
    cardholder_work_phone: CustomerText | None = None
    cardholder_national_identification_number: OptionalText | None = None
    redirect_url_timeout: (
        Annotated[int, Strict(), Field(ge=0, le=MAX_REDIRECT_URL_TIMEOUT), FROM_JSON_NUMBER] | None
    ) = Field(default=None, description="seconds; 0 is no expiration")


class OrderContent(WireModel):
    """What a checkout says of the order itself, the same in each attempt to pay it."""

    type: Annotated[CheckoutType, ANY_CASE]
    amount: PositiveAmount = Field(description="equals what the cart comes to, if there is one")
    currency_code: CurrencyCode
    provider_discretionary_data: OptionalText | None = Field(
        default=None, description="the order number that the customer knows"
    )
    details: ProviderDetails | None = None
    checkout_details: PageDetails
    address_details: AddressDetails | None = None
    shopping_cart_details: ShoppingCart | None = None

    # "The field table spells the object shoppingCardDetails; the example spells it shoppingCartDetails."
    alternative_names = {"shoppingCardDetails": "shoppingCartDetails"}

    @property
    def money(self) -> Money:
        """The amount with its currency."""
        return Money.parse(self.amount, self.currency_code)

    @field_validator("shopping_cart_details")
    @classmethod
    def _comes_to_the_amount(cls, cart: ShoppingCart | None, info: ValidationInfo) -> ShoppingCart | None:
        amount, currency = info.data.get("amount"), info.data.get("currency_code")
        if cart is not None and amount and currency and cart.scaled_total != scaled_units(amount):
            total = cart_total(cart, currency)
            raise ValueError(f"comes to {total.to_wire()}, but amount is {amount}; the two must be equal")
        return cart


# The request and the response


class CheckoutDetails(PageDetails):
    """The page and the provider; ``paymentMethod`` is "Constant ``<WALLET>V2``"."""

    payment_method: Text = Field(description="the constant <WALLET>V2")


class RedirectDetails(WireModel):
    """The URLs the customer's browser is sent to.

    ``cancelUrl`` and ``refusedUrl``: "if not applicable, populate with the same value as errorUrl".
    """

    return_url: Url
    success_url: Url
    pending_url: Url
    error_url: Url
    cancel_url: Url = Field(description="errorUrl where it does not apply")
    refused_url: Url = Field(description="errorUrl where it does not apply")


class CheckoutRequest(OrderContent, TransactionRequest):
    """Requests a page where the customer pays; the body of POST checkout."""

    checkout_details: CheckoutDetails
    redirect_details: RedirectDetails


class CheckoutResponse(WireModel):
    """The "URL to which the merchant redirects the customer's browser"."""

    redirect_url: Url

    is_answer = True
