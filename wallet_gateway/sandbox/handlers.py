"""From what is asked to its answer: the one place that knows which verb serves which message."""

from __future__ import annotations

from typing import Any, Final

from wallet_gateway.protocol.accounts import PaymentAccountQuery, PaymentAccountRequest, PublicKeyRequest
from wallet_gateway.protocol.authorizations import AuthorizationRequest
from wallet_gateway.protocol.checkout import CheckoutRequest
from wallet_gateway.protocol.follow_ups import DetachedRefundRequest, FollowUpRequest
from wallet_gateway.protocol.status import StatusQuery
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox import engine
from wallet_gateway.sandbox.cors import check_origin
from wallet_gateway.sandbox.engine.calls import Call, Twist
from wallet_gateway.sandbox.engine.public_keys import check_api_key
from wallet_gateway.sandbox.engine.refusals import Refusal, SchemaValidationError
from wallet_gateway.sandbox.merchants import merchant_of
from wallet_gateway.sandbox.models import Merchant
from wallet_gateway.sandbox.request_parser import Asked, Message
from wallet_gateway.sandbox.state import Conditions

_WITH_API_KEY: Final = (PaymentAccountRequest, PaymentAccountQuery, AuthorizationRequest)


def process(
    asked: Asked, conditions: Conditions, *, base_url: str, twist: Twist = Twist.NONE
) -> tuple[int, Any]:
    """Do what is asked, or refuse it; give the HTTP status and the answer in canonical wire form."""
    try:
        if isinstance(asked.message, Refusal):
            raise asked.message
        merchant = merchant_of(asked.message)
        call = Call(merchant=merchant, conditions=conditions, base_url=base_url, twist=twist)
        _check_caller(call, asked)
        return 200, _carry_out(call, asked.message)
    except Refusal as refusal:
        return refusal.status, refusal.to_wire()


def _check_caller(call: Call, asked: Asked) -> None:
    if isinstance(asked.message, PaymentAccountRequest):
        check_origin(call.merchant, asked.origin)
    if isinstance(asked.message, _WITH_API_KEY):
        check_api_key(call.merchant, asked.api_key, now=call.conditions.now)


def _carry_out(call: Call, message: Message) -> dict[str, Any] | list[dict[str, Any]]:
    match message:
        case CheckoutRequest():
            _check_provider(
                call.merchant, message.checkout_details.payment_method, "checkoutDetails.paymentMethod"
            )
            return engine.open_checkout(call, message)
        case FollowUpRequest():
            _check_provider(call.merchant, message.apm_details.apm_provider, "apmDetails.apmProvider")
            return engine.carry_out_follow_up(call, message)
        case DetachedRefundRequest():
            _check_provider(call.merchant, message.apm_details.apm_provider, "apmDetails.apmProvider")
            return engine.carry_out_detached_refund(call, message)
        case StatusQuery():
            return engine.status_records(call, message.client_system_transaction_id)
        case PublicKeyRequest():
            return engine.issue_public_key(call)
        case PaymentAccountRequest():
            return engine.create_payment_account(call, message)
        case PaymentAccountQuery():
            return engine.describe_payment_account(call, message)
        case AuthorizationRequest():
            return engine.authorize(call, message)


def _check_provider(merchant: Merchant, given: str, path: str) -> None:
    if given.casefold() != merchant.provider.casefold():
        raise SchemaValidationError(f"{path}: must be {quote(merchant.provider)}, not {quote(given)}")
