"""The refund of a transaction another provider processed: the interface, section Detached refund request."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from wallet_gateway.protocol.fields import (
    Amount,
    Identifier,
    OptionalText,
    Text,
    TransactionRequest,
    WireModel,
)
from wallet_gateway.protocol.follow_ups import AnsweredApmDetails, ApmDetails
from wallet_gateway.protocol.money import Money

DETACHED_REFUND_TYPE: Literal["detached.refund"] = "detached.refund"


class DetachedRefundRequest(TransactionRequest):
    """Refunds a migrated deposit; the body of POST apmTransactions with ``type`` ``detached.refund``."""

    type: Literal["detached.refund"]
    parent_transaction_id: Identifier
    provider_discretionary_data: OptionalText | None = None
    apm_details: ApmDetails


class DetachedRefundResponse(WireModel):
    """What was refunded; ``amount`` may be less than was asked."""

    state: Text
    provider_response_code: OptionalText | None = None
    provider_authorization_id: OptionalText | None = Field(default=None, alias="providerAuthorizationID")
    provider_response_message: OptionalText | None = None
    currency_code: OptionalText | None = None
    client_system_transaction_id: OptionalText | None = None
    response_message: OptionalText | None = None
    amount: Amount | None = None
    apm_details: AnsweredApmDetails | None = None

    is_answer = True

    @property
    def money(self) -> Money | None:
        """What was refunded, or None where the answer does not say; raises InvalidAmount or UnknownCode."""
        if self.amount is None or self.currency_code is None:
            return None
        return Money.parse(self.amount, self.currency_code, allow_zero=True)
