"""Public keys and payment accounts: the interface, sections Payment account and Authentication.

The interface only names these operations. Paths and shapes are ours, and written down in the project's list
of open points.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, Strict, field_validator

from wallet_gateway.protocol.complaints import PATTERNS
from wallet_gateway.protocol.errors import excerpt
from wallet_gateway.protocol.fields import Identifier, OptionalText, OwnReference, Text, WireModel
from wallet_gateway.protocol.status import read_timestamp

WALLET_PAY: Literal["WalletPay"] = "WalletPay"
"""The ``transactionMethod`` of everything the wallet button starts."""

TOKEN_PATH = "paymentData.paymentMethodData.tokenizationData.token"  # noqa: S105  (where it stands)
"""Where a payment account request carries the wallet's token."""

_CRYPTOGRAM = r"^[A-Za-z0-9+/]{27}=$"
_ECI = r"^[0-9]{1,2}$"
PATTERNS[_CRYPTOGRAM] = lambda _: "is no cryptogram; give 20 bytes in Base64, which are 28 characters"
PATTERNS[_ECI] = lambda text: f"{excerpt(text)} is no indicator; give one digit or two, such as 05"

Cryptogram = Annotated[str, Strict(), Field(pattern=_CRYPTOGRAM)]
"""Proof that a tokenized card was used: 20 bytes in Base64. A secret until it is used up."""

EciIndicator = Annotated[str, Strict(), Field(pattern=_ECI)]
"""How far the card's holder was authenticated: one digit or two."""


class CardType(StrEnum):
    """What the wallet handed over: a card number, which needs 3-D Secure, or a token in its place."""

    CARD = "Card"
    TOKEN = "Token"  # noqa: S105  (a kind of card)


class CardNetwork(StrEnum):
    """The networks the service takes."""

    VISA = "VISA"
    MASTERCARD = "MASTERCARD"
    AMEX = "AMEX"
    DISCOVER = "DISCOVER"
    JCB = "JCB"


class PublicKeyRequest(WireModel):
    """Asks for the keys of a wallet payment; the body of POST publicKeys."""

    merchant_id: Identifier
    store_id: Identifier
    user_id: Identifier


class PublicKeyResponse(WireModel):
    """Two keys: one for the browser and for headers, one to be named when an account is asked for."""

    api_key: Text
    encryption_key: Text
    expires_at: Text

    is_answer = True

    @property
    def expires(self) -> datetime:
        """When both keys stop working, in UTC."""
        return read_timestamp(self.expires_at)

    @field_validator("expires_at")
    @classmethod
    def _is_a_time(cls, text: str) -> str:
        read_timestamp(text)
        return text


class WalletAddress(WireModel):
    """An address as the wallet gives it; which fields there are depends on the format asked for."""

    name: OptionalText | None = None
    phone_number: OptionalText | None = None
    address1: OptionalText | None = None
    address2: OptionalText | None = None
    address3: OptionalText | None = None
    locality: OptionalText | None = None
    administrative_area: OptionalText | None = None
    postal_code: OptionalText | None = None
    country_code: OptionalText | None = None
    sorting_code: OptionalText | None = None


class CardInfo(WireModel):
    """What the wallet says of the card in the open; what counts is inside the token."""

    card_network: OptionalText | None = None
    card_details: OptionalText | None = None
    card_funding_source: OptionalText | None = None
    billing_address: WalletAddress | None = None


class TokenizationData(WireModel):
    """The sealed card: ``token`` is JSON in a text and travels untouched."""

    type: OptionalText | None = None
    token: Text


class PaymentMethodData(WireModel):
    """The chosen card."""

    type: OptionalText | None = None
    description: OptionalText | None = None
    info: CardInfo | None = None
    tokenization_data: TokenizationData


class PaymentData(WireModel):
    """What the wallet returns after the customer approved."""

    api_version: Annotated[int, Strict()] | None = None
    api_version_minor: Annotated[int, Strict()] | None = None
    payment_method_data: PaymentMethodData
    email: OptionalText | None = None
    shipping_address: WalletAddress | None = None


class PaymentAccountRequest(WireModel):
    """Hands the sealed card over; the body of POST paymentAccounts, sent by the browser."""

    merchant_id: Identifier
    store_id: Identifier
    client_system_transaction_id: OwnReference
    payment_data: PaymentData


class PaymentAccountResponse(WireModel):
    """What ``handlePaymentResult`` is given; cryptogram and indicator only come with a token."""

    client_system_transaction_id: Identifier
    transaction_account_id: Identifier
    transaction_method: Literal["WalletPay"] = WALLET_PAY
    cryptogram: Text | None = None
    eci_indicator: Text | None = None
    redirect_data: OptionalText | None = None
    billing_address: WalletAddress | None = None
    shipping_address: WalletAddress | None = None
    email: OptionalText | None = None

    is_answer = True


class PaymentAccountQuery(WireModel):
    """Names a payment account: one part of the path and three parameters of GET paymentAccounts."""

    transaction_account_id: Identifier
    merchant_id: Identifier
    store_id: Identifier
    encryption_key_id: Identifier


class PaymentAccount(WireModel):
    """The card behind an account, as far as anybody may know it."""

    transaction_account_id: Identifier
    card_type: CardType
    card_network: Text
    masked_account_number: Text
    expiration_month: Annotated[int, Strict(), Field(ge=1, le=12)]
    expiration_year: Annotated[int, Strict(), Field(ge=2000, le=2999)]

    is_answer = True
