"""Paying with a payment account: the interface, rules 4 and 5 of section Endpoints.

"The digital wallet flow then sends a normal authorization request with method ecom.sale or
ecom.preauthorization" (rule 4). Its path and shape are not shown: they are this project's.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, Strict

from wallet_gateway.protocol.accounts import WALLET_PAY
from wallet_gateway.protocol.checkout import RedirectDetails
from wallet_gateway.protocol.field_types import (
    ANY_CASE,
    PATTERN_MESSAGES,
    Cryptogram,
    EciIndicator,
    Identifier,
    MaskedCryptogram,
    MaskedEciIndicator,
    Url,
)
from wallet_gateway.protocol.follow_ups import FollowUpResponse
from wallet_gateway.protocol.text import quote
from wallet_gateway.protocol.wire import TransactionRequest, WireModel

_VERSION = r"^2\.[0-9](\.[0-9])?$"
PATTERN_MESSAGES[_VERSION] = lambda text: f"{quote(text)} is no version of 3-D Secure 2, such as 2.2.0"


class AuthorizationType(StrEnum):
    """Whether an authorization takes the money, or reserves it for a later capture."""

    SALE = "ecom.sale"
    PREAUTHORIZATION = "ecom.preauthorization"


class AuthenticationStatus(StrEnum):
    """The transaction status of 3-D Secure; only the first two allow a payment."""

    AUTHENTICATED = "Y"
    ATTEMPTED = "A"
    CHALLENGE = "C"
    NOT_AUTHENTICATED = "N"
    REJECTED = "R"
    UNAVAILABLE = "U"
    INFORMATIONAL = "I"


AUTHENTICATED = frozenset({AuthenticationStatus.AUTHENTICATED, AuthenticationStatus.ATTEMPTED})
"""The statuses that allow a payment, each with an authentication value."""


class ThreeDSecure(WireModel):
    """The result of a 3-D Secure 2 authentication that the shop carried out itself."""

    version: Annotated[str, Strict(), Field(pattern=_VERSION)]
    eci: EciIndicator
    authentication_value: Cryptogram | None = None
    ds_transaction_id: Identifier | None = None
    three_d_s_server_transaction_id: Identifier | None = None
    transaction_status: Annotated[AuthenticationStatus, ANY_CASE]

    required_where = dict.fromkeys(
        ("authentication_value", "ds_transaction_id"),
        ("transactionStatus is Y or A", lambda result: result["transaction_status"] in AUTHENTICATED),
    )


class AuthorizationRequest(TransactionRequest):
    """Pays with the card of a payment account; the body of POST transactions.

    A tokenized card comes with its cryptogram; any other with 3-D Secure, done (``threeDSecure``) or to be
    done by the service on a page of its own (``redirectDetails``).
    """

    type: Annotated[AuthorizationType, ANY_CASE]
    transaction_account_id: Identifier
    transaction_method: Annotated[Literal["WalletPay"], ANY_CASE] = WALLET_PAY
    cryptogram: MaskedCryptogram | None = None
    eci_indicator: MaskedEciIndicator | None = None
    three_d_secure: ThreeDSecure | None = None
    redirect_details: RedirectDetails | None = None


def _none_if_empty(value: object) -> object:
    """Return None for an empty text: of other members the interface says that they "may be empty"."""
    return None if isinstance(value, str) and not value.strip() else value


class AuthorizationResponse(FollowUpResponse):
    """The result of an authorization; with a ``redirectUrl`` the customer must go there first."""

    redirect_url: Annotated[Url | None, BeforeValidator(_none_if_empty)] = None
