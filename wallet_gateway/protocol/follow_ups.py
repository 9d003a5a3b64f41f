"""Capture, refund and reversal of a pre-authorization: the interface, section Follow-up request."""

from __future__ import annotations

from enum import StrEnum

from wallet_gateway.protocol.cart import ShoppingCart
from wallet_gateway.protocol.fields import OptionalText, OwnReference, Text, TransactionRequest, WireModel


class FollowUpType(StrEnum):
    """What is done to an earlier transaction."""

    CAPTURE = "ecom.capture"
    REFUND = "ecom.refund"
    REVERSAL_PREAUTHORIZATION = "ecom.reversalPreauthorization"


class ApmDetails(WireModel):
    """The provider's constant, as requests to apmTransactions carry it."""

    apm_provider: Text

    alternative_names = {"apmProviderName": "apmProvider"}


class FollowUpRequest(TransactionRequest):
    """Captures, refunds or reverses; the body of POST apmTransactions.

    ``clientSystemTransactionId`` is the follow-up's own, ``clientSystemInvoiceId`` the original's. A cart
    must add up in itself; it is not compared with the amount, for a part may be captured or refunded.
    """

    type: FollowUpType
    client_system_invoice_id: OwnReference
    provider_discretionary_data: OptionalText | None = None
    apm_details: ApmDetails
    shopping_cart_details: ShoppingCart | None = None

    alternative_names = {"shoppingCardDetails": "shoppingCartDetails"}


class AnsweredApmDetails(WireModel):
    """The provider and its capture method, as answers of apmTransactions carry them."""

    apm_provider_name: OptionalText | None = None
    apm_payment_method: OptionalText | None = None

    alternative_names = {"apmProvider": "apmProviderName"}
    is_answer = True


class FollowUpResponse(WireModel):
    """What became of a follow-up; only ``state`` must be there, and what it means is not decided here."""

    id: OptionalText | None = None
    state: Text
    provider_state_code: OptionalText | None = None
    currency_code: OptionalText | None = None
    client_system_transaction_id: OptionalText | None = None
    apm_details: AnsweredApmDetails | None = None

    is_answer = True
