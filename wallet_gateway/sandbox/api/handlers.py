"""Call the function that handles a message, and turn refusals into answers."""

from __future__ import annotations

from typing import Any, Final

from wallet_gateway.protocol.accounts import PaymentAccountQuery, PaymentAccountRequest, PublicKeyRequest
from wallet_gateway.protocol.authorizations import AuthorizationRequest
from wallet_gateway.protocol.checkout import CheckoutRequest
from wallet_gateway.protocol.follow_ups import DetachedRefundRequest, FollowUpRequest
from wallet_gateway.protocol.status import StatusQuery
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.api.cors import check_origin
from wallet_gateway.sandbox.api.request_parser import Message, ParsedRequest
from wallet_gateway.sandbox.merchants import merchant_of
from wallet_gateway.sandbox.models import Merchant
from wallet_gateway.sandbox.payments.checkouts import open_checkout
from wallet_gateway.sandbox.payments.detached_refunds import execute_detached_refund
from wallet_gateway.sandbox.payments.follow_ups import execute_follow_up
from wallet_gateway.sandbox.payments.status import status_records
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.state import Conditions, FaultMode, RequestContext
from wallet_gateway.sandbox.wallet.authorizations import authorize
from wallet_gateway.sandbox.wallet.payment_accounts import create_payment_account, describe_payment_account
from wallet_gateway.sandbox.wallet.public_keys import check_api_key, issue_public_key

_WITH_API_KEY: Final = (PaymentAccountRequest, PaymentAccountQuery, AuthorizationRequest)


def process(
    parsed: ParsedRequest, conditions: Conditions, *, base_url: str, fault_mode: FaultMode = FaultMode.NONE
) -> tuple[int, Any]:
    """Execute a request or refuse it; return the HTTP status and the answer in canonical wire form."""
    try:
        if isinstance(parsed.message, Refusal):
            raise parsed.message
        merchant = merchant_of(parsed.message)
        context = RequestContext(
            merchant=merchant, conditions=conditions, base_url=base_url, fault_mode=fault_mode
        )
        _check_caller(context, parsed)
        return 200, _execute(context, parsed.message)
    except Refusal as refusal:
        return refusal.status, refusal.to_wire()


def _check_caller(context: RequestContext, parsed: ParsedRequest) -> None:
    if isinstance(parsed.message, PaymentAccountRequest):
        check_origin(context.merchant, parsed.origin)
    if isinstance(parsed.message, _WITH_API_KEY):
        check_api_key(context.merchant, parsed.api_key, now=context.conditions.now)


def _execute(context: RequestContext, message: Message) -> dict[str, Any] | list[dict[str, Any]]:
    match message:
        case CheckoutRequest():
            _check_provider(
                context.merchant, message.checkout_details.payment_method, "checkoutDetails.paymentMethod"
            )
            return open_checkout(context, message)
        case FollowUpRequest():
            _check_provider(context.merchant, message.apm_details.apm_provider, "apmDetails.apmProvider")
            return execute_follow_up(context, message)
        case DetachedRefundRequest():
            _check_provider(context.merchant, message.apm_details.apm_provider, "apmDetails.apmProvider")
            return execute_detached_refund(context, message)
        case StatusQuery():
            return status_records(context, message.client_system_transaction_id)
        case PublicKeyRequest():
            return issue_public_key(context)
        case PaymentAccountRequest():
            return create_payment_account(context, message)
        case PaymentAccountQuery():
            return describe_payment_account(context, message)
        case AuthorizationRequest():
            return authorize(context, message)


def _check_provider(merchant: Merchant, given: str, path: str) -> None:
    if given.casefold() != merchant.provider.casefold():
        raise Refusal(
            "SchemaValidationError", f"{path}: must be {quote(merchant.provider)}, not {quote(given)}"
        )
