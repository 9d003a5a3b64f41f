"""The browser wallet: public keys, payment accounts, and the result that the page posts.

The interface, sections Payment account, Authentication and Events. The three operations are "only referred to
by name" (Endpoints, rule 3); paths and shapes are this project's, and stand in its list of open points.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, Secret, Strict

from wallet_gateway.protocol.card_numbers import is_card_number
from wallet_gateway.protocol.codes import check_country_of_wallet
from wallet_gateway.protocol.errors import InvalidTime, UnknownCode
from wallet_gateway.protocol.field_types import (
    ANY_CASE,
    FROM_JSON_NUMBER,
    KEPT,
    PATTERN_MESSAGES,
    REVEALED_ON_THE_WIRE,
    Identifier,
    MaskedCryptogram,
    MaskedEciIndicator,
    OptionalText,
    OwnReference,
    Text,
)
from wallet_gateway.protocol.status import read_timestamp
from wallet_gateway.protocol.wire import WireModel

WALLET_PAY: Literal["WalletPay"] = "WalletPay"
"""The ``transactionMethod`` of everything the wallet button starts."""

TOKEN_PATH = "paymentData.paymentMethodData.tokenizationData.token"  # noqa: S105  (where it stands)
"""Where a payment account request carries the wallet's token."""


class CardType(StrEnum):
    """The credentials behind an account: a card number, which needs 3-D Secure, or a token in its place.

    The interface on ``cardType``: "value Card means ``PAN_ONLY`` (3DS needed), value Token means tokenized".
    """

    CARD = "Card"
    TOKEN = "Token"  # noqa: S105  (a kind of card)


class CardNetwork(StrEnum):
    """The card networks: "the gateway accepts only VISA, MASTERCARD, AMEX, DISCOVER, JCB"."""

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
    """Two keys: one for the browser and for headers, one to name when a payment account is requested."""

    api_key: Text
    encryption_key: Text
    expires_at: Annotated[OptionalText | None, KEPT] = None
    """This project's field: the interface names the two keys only."""

    is_answer = True

    @property
    def expires(self) -> datetime | None:
        """When both keys stop working, in UTC; None if the answer does not say, or names no time."""
        try:
            return read_timestamp(self.expires_at or "")
        except InvalidTime:
            return None


_PRINTABLE = r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]{0,255}$"
PATTERN_MESSAGES[_PRINTABLE] = lambda _: "is too long or holds control characters; give up to 255 characters"

Line = Annotated[str, Strict(), Field(pattern=_PRINTABLE)]
"""One line of text from a browser, of at most 255 characters."""


def _check_country(code: str) -> str:
    # An address may be without a country, and wallets write XK for Kosovo, which ISO leaves to its users.
    if code in {"", "XK"}:
        return code
    try:
        return check_country_of_wallet(code)
    except UnknownCode:
        raise ValueError("is no country; give a two-letter ISO 3166 code such as DE") from None


WalletCountry = Annotated[Line, AfterValidator(_check_country)]
"""A country as wallets write it: "ISO 3166 alpha-2", in upper case, or nothing."""


class WalletAddress(WireModel):
    """An address as the wallet gives it; its fields depend on the requested format."""

    name: Line | None = None
    phone_number: Line | None = None
    address1: Line | None = None
    address2: Line | None = None
    address3: Line | None = None
    locality: Line | None = None
    administrative_area: Line | None = None
    postal_code: Line | None = None
    country_code: WalletCountry | None = None
    sorting_code: Line | None = None


class CardInfo(WireModel):
    """The card as the wallet describes it unencrypted; the decisive data is inside the token."""

    card_network: OptionalText | None = None
    card_details: OptionalText | None = None
    card_funding_source: OptionalText | None = None
    billing_address: WalletAddress | None = None


class TokenizationData(WireModel):
    """The encrypted card: ``token`` is JSON in a text and is passed on unchanged.

    "Tokenization setting used by the script: type ``PAYMENT_GATEWAY``."
    """

    type: Annotated[Literal["PAYMENT_GATEWAY"], ANY_CASE]
    token: Text


class PaymentMethodData(WireModel):
    """The chosen card, "type (string, always), description (string, always), info (object, always)"."""

    type: Text
    description: OptionalText
    info: CardInfo
    tokenization_data: TokenizationData


class PaymentData(WireModel):
    """The wallet's answer after the customer's approval, with both parts of its version "always"."""

    api_version: Annotated[int, Strict(), FROM_JSON_NUMBER]
    api_version_minor: Annotated[int, Strict(), FROM_JSON_NUMBER]
    payment_method_data: PaymentMethodData
    email: OptionalText | None = None
    shipping_address: WalletAddress | None = None


class PaymentAccountRequest(WireModel):
    """Hands over the encrypted card; the body of POST paymentAccounts, sent by the browser."""

    merchant_id: Identifier
    store_id: Identifier
    client_system_transaction_id: OwnReference
    payment_data: PaymentData


class PaymentAccountResponse(WireModel):
    """The detail of ``handlePaymentResult``.

    Cryptogram and indicator are "returned only for a tokenized device account number".
    """

    client_system_transaction_id: Identifier
    transaction_account_id: Identifier
    transaction_method: Annotated[Literal["WalletPay"], ANY_CASE] = WALLET_PAY
    cryptogram: Text | None = None
    eci_indicator: Text | None = None
    redirect_data: OptionalText | None = None
    billing_address: WalletAddress | None = None
    shipping_address: WalletAddress | None = None
    email: OptionalText | None = None

    is_answer = True


# The account stands in a path: without the signs that divide or encode one, and never a card number, which
# logs would keep.
_ACCOUNT = r"^[!\"$&-.0-;<=>@-\[\]-~]{1,255}$"
PATTERN_MESSAGES[_ACCOUNT] = lambda _: (
    "is no account; give 1 to 255 visible ASCII characters without % / ? # and \\"
)


def _check_account(account_id: str) -> str:
    if account_id in {".", ".."}:
        raise ValueError("is no account, but a step in a path")
    # With letters it is the identifier of a gateway that counts: one in 25 of them has the check digit.
    if is_card_number(account_id):
        raise ValueError("has the form of a card number; give the account which the gateway returned")
    return account_id


TransactionAccountId = Annotated[str, Strict(), Field(pattern=_ACCOUNT), AfterValidator(_check_account)]
"""The gateway's identifier of a payment account, as it can stand in an address."""


class PaymentAccountQuery(WireModel):
    """Names a payment account: one part of the path and three parameters of GET paymentAccounts."""

    transaction_account_id: TransactionAccountId
    merchant_id: Identifier
    store_id: Identifier
    encryption_key_id: Identifier


_Month = Annotated[int, Strict(), Field(ge=1, le=12), FROM_JSON_NUMBER]
_Year = Annotated[int, Strict(), Field(ge=2000, le=2999), FROM_JSON_NUMBER]


class PaymentAccount(WireModel):
    """The card behind an account, without its full number.

    Fields of this record are "not shown beyond cardType" (Payment account): the others are this project's,
    and a gateway may leave them out. One that describes the card is kept as far as it can be read.
    """

    transaction_account_id: Identifier | None = None
    card_type: Annotated[CardType, ANY_CASE]
    card_network: Annotated[OptionalText | None, KEPT] = None
    masked_account_number: Annotated[OptionalText | None, KEPT] = None
    expiration_month: Annotated[_Month | None, KEPT] = None
    expiration_year: Annotated[_Year | None, KEPT] = None

    is_answer = True


# The result that the page posts after the wallet's sheet: ``event.detail`` of handlePaymentResult. It comes
# from a browser, so every field has a type and a maximum size, and unknown fields are ignored.


_REFERENCE = r"^[A-Za-z0-9_-]{1,64}$"
PATTERN_MESSAGES[_REFERENCE] = lambda _: "is no reference of ours"
Words = Annotated[str, Strict(), Field(max_length=10_000)]
"""A gateway's description of a failure, possibly long and of several lines; little of it is stored."""


class WalletResult(WireModel):
    """A successful result: an account at the gateway, and for a tokenized card its one-time cryptogram."""

    client_system_transaction_id: Annotated[str, Strict(), Field(pattern=_REFERENCE)]
    transaction_account_id: TransactionAccountId
    transaction_method: Annotated[Literal["WalletPay"], ANY_CASE] = WALLET_PAY
    cryptogram: MaskedCryptogram | None = None
    eci_indicator: MaskedEciIndicator | None = None
    billing_address: WalletAddress | None = None
    shipping_address: WalletAddress | None = None
    email: Annotated[Secret[Line], REVEALED_ON_THE_WIRE] | None = None


class SheetChoices(WireModel):
    """The customer's choices on the sheet before approval: shipping address, shipping option, offer codes."""

    address: WalletAddress | None = None
    option: Line | None = None
    offers: Annotated[tuple[Line, ...], Field(max_length=10)] = ()


class FailedDetails(WireModel):
    """The description of the failure."""

    message: Words | None = None


class FailedWalletResult(WireModel):
    """A failed result: no account was created, and nothing was charged."""

    code: Annotated[str, Strict(), Field(pattern=_PRINTABLE, min_length=1)]
    description: Words | None = None
    details: FailedDetails | None = None
