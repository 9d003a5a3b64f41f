"""The messages of the interface by name: what ``python -m wallet_gateway.protocol`` lists."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from wallet_gateway.protocol.accounts import (
    PaymentAccount,
    PaymentAccountQuery,
    PaymentAccountRequest,
    PaymentAccountResponse,
    PublicKeyRequest,
    PublicKeyResponse,
)
from wallet_gateway.protocol.authorizations import AuthorizationRequest, AuthorizationResponse
from wallet_gateway.protocol.checkout import CheckoutRequest, CheckoutResponse
from wallet_gateway.protocol.detached_refunds import DetachedRefundRequest, DetachedRefundResponse
from wallet_gateway.protocol.faults import ErrorBody
from wallet_gateway.protocol.follow_ups import FollowUpRequest, FollowUpResponse
from wallet_gateway.protocol.migration_file import MigrationRow
from wallet_gateway.protocol.status import StatusQuery, StatusRecord

MESSAGES: Final = MappingProxyType(
    {
        message.__name__: message
        for message in (
            CheckoutRequest,
            CheckoutResponse,
            FollowUpRequest,
            FollowUpResponse,
            DetachedRefundRequest,
            DetachedRefundResponse,
            StatusQuery,
            StatusRecord,
            PublicKeyRequest,
            PublicKeyResponse,
            PaymentAccountRequest,
            PaymentAccountResponse,
            PaymentAccountQuery,
            PaymentAccount,
            AuthorizationRequest,
            AuthorizationResponse,
            ErrorBody,
            MigrationRow,
        )
    }
)
"""Every message that stands alone, by class name, in the order of the interface."""
