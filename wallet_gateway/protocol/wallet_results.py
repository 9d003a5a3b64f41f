"""What the page posts after the wallet's sheet: the interface, `event.detail` of handlePaymentResult.

It comes from a browser, so every field has its type and its size, and nothing else is read.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, Strict

from wallet_gateway.protocol.accounts import WALLET_PAY, Cryptogram, EciIndicator
from wallet_gateway.protocol.complaints import PATTERNS
from wallet_gateway.protocol.fields import WireModel

_REFERENCE = r"^[A-Za-z0-9_-]{1,64}$"
_ACCOUNT = r"^[!-~]{1,255}$"
_PRINTABLE = r"^[^\x00-\x1f\x7f]{0,255}$"
PATTERNS[_REFERENCE] = lambda _: "is no reference of ours"
PATTERNS[_ACCOUNT] = lambda _: "is no account; give 1 to 255 visible ASCII characters"
PATTERNS[_PRINTABLE] = lambda _: "is too long or holds control characters; give up to 255 characters"

Line = Annotated[str, Strict(), Field(pattern=_PRINTABLE)]
"""One line of text from a browser."""

Words = Annotated[str, Strict(), Field(max_length=10_000)]
"""What a gateway says of a failure, which may be long and have several lines; little of it is kept."""


class ResultAddress(WireModel):
    """An address the wallet gave, each line of at most 255 characters."""

    name: Line | None = None
    phone_number: Line | None = None
    address1: Line | None = None
    address2: Line | None = None
    address3: Line | None = None
    locality: Line | None = None
    administrative_area: Line | None = None
    postal_code: Line | None = None
    country_code: Line | None = None
    sorting_code: Line | None = None


class WalletResult(WireModel):
    """The success: an account at the gateway, and for a tokenized card what it is charged with once."""

    client_system_transaction_id: Annotated[str, Strict(), Field(pattern=_REFERENCE)]
    transaction_account_id: Annotated[str, Strict(), Field(pattern=_ACCOUNT)]
    transaction_method: Literal["WalletPay"] = WALLET_PAY
    cryptogram: Cryptogram | None = None
    eci_indicator: EciIndicator | None = None
    billing_address: ResultAddress | None = None
    shipping_address: ResultAddress | None = None
    email: Line | None = None


class SheetChoices(WireModel):
    """What the customer chose on the sheet before approving: where to, how, and by which codes."""

    address: ResultAddress | None = None
    option: Line | None = None
    offers: Annotated[tuple[Line, ...], Field(max_length=10)] = ()


class FailedDetails(WireModel):
    """Why no account was made, in words."""

    message: Words | None = None


class FailedWalletResult(WireModel):
    """The failure: no account was made, and nothing was charged."""

    code: Annotated[str, Strict(), Field(pattern=_PRINTABLE, min_length=1)]
    description: Words | None = None
    details: FailedDetails | None = None
