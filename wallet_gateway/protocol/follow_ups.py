"""Capture, refund, reversal and detached refund: the interface, Follow-up request, Detached refund request.

Both requests go to one path "and are told apart by ``type``" (Endpoints, rule 1).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from wallet_gateway.protocol.cart import ShoppingCart
from wallet_gateway.protocol.field_types import ANY_CASE, Amount, Identifier, OptionalText, OwnReference, Text
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.wire import TransactionRequest, WireModel

DETACHED_REFUND_TYPE: Literal["detached.refund"] = "detached.refund"
"""The constant ``type``: "only detached refunds are supported in this form"."""


class FollowUpType(StrEnum):
    """What is done to an earlier transaction."""

    CAPTURE = "ecom.capture"
    REFUND = "ecom.refund"
    REVERSAL_PREAUTHORIZATION = "ecom.reversalPreauthorization"


class ApmDetails(WireModel):
    """The provider's constant, as both requests carry it."""

    apm_provider: Text = Field(description="the constant <WALLET>V2")

    # "The example names the inner field apmProviderName inside an object written apmdetails."
    alternative_names = {"apmProviderName": "apmProvider"}


class SentAlong(WireModel):
    """What a shop may say with a capture, refund or reversal; kept while a second person is asked."""

    shopping_cart_details: ShoppingCart | None = None

    alternative_names = {"shoppingCardDetails": "shoppingCartDetails"}


class FollowUpRequest(SentAlong, TransactionRequest):
    """Captures, refunds or reverses; the body of POST apmTransactions.

    ``clientSystemTransactionId`` is the follow-up's own, ``clientSystemInvoiceId`` the original's. A cart
    must add up in itself. It is not compared with the amount, because a part may be captured or refunded.
    """

    type: Annotated[FollowUpType, ANY_CASE]
    client_system_invoice_id: OwnReference = Field(
        description="the clientSystemTransactionId of the original"
    )
    provider_discretionary_data: OptionalText | None = None
    apm_details: ApmDetails

    @property
    def sent_along(self) -> SentAlong:
        """What the shop has said with it."""
        return SentAlong(**{name: getattr(self, name) for name in SentAlong.model_fields})


class AnsweredApmDetails(WireModel):
    """The provider and its capture method, as both responses carry them."""

    apm_provider_name: OptionalText | None = None
    apm_payment_method: OptionalText | None = None

    alternative_names = {"apmProvider": "apmProviderName"}


class FollowUpResponse(WireModel):
    """The result of a follow-up; only ``state`` is mandatory, and ``domain.evidence`` decides its meaning."""

    id: OptionalText | None = None
    state: Text
    provider_state_code: OptionalText | None = None
    currency_code: OptionalText | None = None
    client_system_transaction_id: OptionalText | None = None
    apm_details: AnsweredApmDetails | None = None

    is_answer = True


class DetachedRefundRequest(TransactionRequest):
    """Refunds a migrated deposit; the body of POST apmTransactions with ``type`` ``detached.refund``."""

    type: Annotated[Literal["detached.refund"], ANY_CASE]
    parent_transaction_id: Identifier = Field(description="of the original, as in the migration file")
    provider_discretionary_data: OptionalText | None = None
    apm_details: ApmDetails


class DetachedRefundResponse(WireModel):
    """What was refunded; ``amount``: "An approved response may refund less than requested"."""

    state: Text
    provider_response_code: OptionalText | None = None
    provider_authorization_id: OptionalText | None = Field(default=None, alias="providerAuthorizationID")
    provider_response_message: OptionalText | None = None
    currency_code: OptionalText | None = None
    client_system_transaction_id: OptionalText | None = None
    response_message: OptionalText | None = None
    amount: Amount | None = Field(default=None, description="what was refunded; may be less than requested")
    apm_details: AnsweredApmDetails | None = None

    is_answer = True

    @property
    def money(self) -> Money | None:
        """The refunded amount, None if the answer does not say; raises InvalidAmount or UnknownCode."""
        if self.amount is None or self.currency_code is None:
            return None
        return Money.parse(self.amount, self.currency_code, allow_zero=True)
