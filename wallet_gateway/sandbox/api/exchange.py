"""One request with its answer when no fault intervenes, and how an answer is formatted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.accounts import PaymentAccountQuery, PaymentAccountRequest, PublicKeyRequest
from wallet_gateway.protocol.authorizations import AuthorizationRequest
from wallet_gateway.protocol.checkout import CheckoutRequest
from wallet_gateway.protocol.follow_ups import DetachedRefundRequest, FollowUpRequest
from wallet_gateway.protocol.status import StatusQuery
from wallet_gateway.protocol.strict_json import NumberText
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.api.cors import check_origin
from wallet_gateway.sandbox.api.request_parser import Message, ParsedRequest, RawRequest, allowed_methods
from wallet_gateway.sandbox.merchants import merchant_of
from wallet_gateway.sandbox.models import LetterCase, Merchant, SandboxState
from wallet_gateway.sandbox.payments.checkouts import open_checkout
from wallet_gateway.sandbox.payments.detached_refunds import execute_detached_refund
from wallet_gateway.sandbox.payments.follow_ups import execute_follow_up
from wallet_gateway.sandbox.payments.provider_decision import SpecialAmount, special_amount
from wallet_gateway.sandbox.payments.status import status_records
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.server.delivery import DRIP_SECONDS, DeliveryMode, cancellable_sleep
from wallet_gateway.sandbox.state import Conditions, FaultMode, RequestContext
from wallet_gateway.sandbox.wallet.authorizations import authorize
from wallet_gateway.sandbox.wallet.payment_accounts import create_payment_account, describe_payment_account
from wallet_gateway.sandbox.wallet.public_keys import check_api_key, issue_public_key

SLOW_SECONDS: Final = 5.0
"""Delay of the answer to the special amount ``SLOW``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An HTTP answer, and how it is to be delivered."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    mode: DeliveryMode = DeliveryMode.WHOLE
    drip_seconds: float = DRIP_SECONDS


DROPPED: Final = Reply(mode=DeliveryMode.DROPPED)
"""No answer: the connection is closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A parsed request with the conditions under which it is answered."""

    raw: RawRequest
    parsed: ParsedRequest
    conditions: Conditions

    def reply(self, fault_mode: FaultMode = FaultMode.NONE) -> Reply:
        """Process the request and return the formatted answer."""
        status, value = self.process(fault_mode)
        money = getattr(self.parsed.message, "money", None)
        if status == 200 and money is not None and special_amount(money) is SpecialAmount.SLOW:
            cancellable_sleep(SLOW_SECONDS)
        return self.write(value, status=status)

    def process(self, fault_mode: FaultMode = FaultMode.NONE) -> tuple[int, Any]:
        """Execute the request or refuse it; return the HTTP status and the answer in canonical wire form."""
        message = self.parsed.message
        try:
            if isinstance(message, Refusal):
                raise message
            merchant = merchant_of(message)
            if isinstance(message, PaymentAccountRequest):
                check_origin(merchant, self.raw.origin)
            if isinstance(message, PaymentAccountRequest | PaymentAccountQuery | AuthorizationRequest):
                check_api_key(merchant, self.raw.api_key, now=self.conditions.now)
            context = RequestContext(
                merchant=merchant,
                conditions=self.conditions,
                base_url=self.raw.base_url,
                fault_mode=fault_mode,
            )
            return 200, _execute(context, message)
        except Refusal as refusal:
            return refusal.status, refusal.to_wire()

    def write(self, value: object, *, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Reply:
        """Format an answer according to the configured behaviour."""
        if status == 405:
            headers = (*headers, ("Allow", ", ".join(allowed_methods(self.raw.path))))
        body = strict_json.dumps(_format_value(value, self.conditions.behaviour))
        return Reply(status=status, body=body, headers=headers)


def _execute(context: RequestContext, message: Message) -> dict[str, Any] | list[dict[str, Any]]:
    match message:
        case CheckoutRequest():
            given = message.checkout_details.payment_method
            _check_provider(context.merchant, given, "checkoutDetails.paymentMethod")
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
        text = f"{path}: must be {quote(merchant.provider)}, not {quote(given)}"
        raise Refusal("SchemaValidationError", text)


def _format_value(value: object, behaviour: SandboxState) -> object:
    """Return an answer in canonical wire form with the configured letter case and amounts."""
    if isinstance(value, list):
        return [_format_value(part, behaviour) for part in value]
    if not isinstance(value, dict):
        return value
    formatted = {}
    for name, part in value.items():
        written = _format_value(part, behaviour)
        # Amounts in status records have another name and are numbers in any case.
        if behaviour.numeric_amounts and name == "amount" and isinstance(part, str):
            written = NumberText(part)
        if behaviour.letter_case == LetterCase.PASCAL:
            name = name[:1].upper() + name[1:]
        elif behaviour.letter_case == LetterCase.LOWER:
            name = name.lower()
        formatted[name] = written
    return formatted
