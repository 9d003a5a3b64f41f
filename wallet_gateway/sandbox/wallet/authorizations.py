"""Authorizations: pay with a payment account, each kind of card with its own proof of authentication.

Interface, section Payment account: "value Card means `PAN_ONLY` (3DS needed), value Token means tokenized."
"""

from __future__ import annotations

from typing import Any

from wallet_gateway.protocol.accounts import CardType
from wallet_gateway.protocol.authorizations import AUTHENTICATED, AuthorizationRequest, AuthorizationResponse
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.models import (
    PaymentAccount,
    RecordOrigin,
    RecordState,
    SandboxState,
    TransactionRecord,
)
from wallet_gateway.sandbox.payments.dialect import written_id, written_state
from wallet_gateway.sandbox.payments.payer import authorization_details, display_name
from wallet_gateway.sandbox.payments.provider_decision import PENDING, ProviderDecision, decide_request
from wallet_gateway.sandbox.payments.records import write_record
from wallet_gateway.sandbox.payments.references import answer_once
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.state import FaultMode, RequestContext
from wallet_gateway.sandbox.wallet.payment_accounts import find_account
from wallet_gateway.sandbox.wallet.three_d_secure import open_authentication


def authorize(context: RequestContext, request: AuthorizationRequest) -> dict[str, Any]:
    """Pay, or start 3-D Secure on the gateway's page, and return the response; raises a ``Refusal``."""

    def execute() -> dict[str, Any]:
        account = find_account(context.merchant, request.transaction_account_id)
        _check_proof(account, request)
        _check_unused(account)
        # A request with a fault mode fails at once, before any 3-D Secure page.
        waits = _goes_to_the_page(account, request) and context.fault_mode is FaultMode.NONE
        decision = PENDING if waits else decide_request(request.type, request.money, context.fault_mode)
        record = _write(context, account, request, decision)
        page = open_authentication(record, request, now=context.conditions.now) if waits else None
        redirect_url = context.base_url + page.get_absolute_url() if page else None
        return _response(record, context.conditions.behaviour, redirect_url=redirect_url)

    return answer_once(context, request, execute)


def _check_proof(account: PaymentAccount, request: AuthorizationRequest) -> None:
    if account.card_type == CardType.TOKEN:
        _check_cryptogram(account, request)
    else:
        _check_three_d_secure(request)


def _check_cryptogram(account: PaymentAccount, request: AuthorizationRequest) -> None:
    if request.three_d_secure is not None:
        raise Refusal(
            "ThreeDSecureNotAllowed", "The account is a Token: send its cryptogram, and no threeDSecure."
        )
    if request.cryptogram is None:
        raise Refusal(
            "CryptogramRequired", "The account is a Token: send the cryptogram of the wallet result."
        )
    if not account.has_cryptogram(request.cryptogram.get_secret_value()):
        raise Refusal("CryptogramDiffers", "cryptogram is not the one of this account.")
    if account.eci_indicator and request.eci_indicator is None:
        raise Refusal(
            "CryptogramRequired", "The account is a Token: send the eciIndicator of the wallet result."
        )
    given = request.eci_indicator.get_secret_value() if request.eci_indicator else None
    if _two_digits(given) != _two_digits(account.eci_indicator):
        raise Refusal("CryptogramDiffers", "eciIndicator is not the one of this account.")


def _check_three_d_secure(request: AuthorizationRequest) -> None:
    if request.cryptogram is not None or request.eci_indicator is not None:
        raise Refusal(
            "CryptogramNotAllowed", "The account is a Card: send no cryptogram and no eciIndicator."
        )
    proof = request.three_d_secure
    if proof is None and request.redirect_details is None:
        raise Refusal("ThreeDSecureRequired", "The account is a Card: send threeDSecure, or redirectDetails.")
    if proof is not None and proof.transaction_status not in AUTHENTICATED:
        raise Refusal(
            "ThreeDSecureNotPassed",
            f"threeDSecure.transactionStatus is {proof.transaction_status}; only Y and A are paid.",
        )


def _goes_to_the_page(account: PaymentAccount, request: AuthorizationRequest) -> bool:
    return account.card_type == CardType.CARD and request.three_d_secure is None


def _check_unused(account: PaymentAccount) -> None:
    # An undocumented state may be a success, so it counts as used.
    used = account.authorizations.exclude(state=RecordState.ERRORED).first()
    if used is not None:
        raise Refusal(
            "AccountUsedUp", f"The account was used for {quote(used.reference)}, which is {used.state}."
        )


def _write(
    context: RequestContext,
    account: PaymentAccount,
    request: AuthorizationRequest,
    decision: ProviderDecision,
) -> TransactionRecord:
    return write_record(
        merchant=context.merchant,
        reference=request.client_system_transaction_id,
        record_type=request.type,
        money=request.money,
        decision=decision,
        now=context.conditions.now,
        origin=RecordOrigin.API,
        details=authorization_details(
            request.type, provider=context.merchant.provider, account_number=account.masked_number
        ),
        account=account,
    )


def _response(
    record: TransactionRecord, behaviour: SandboxState, *, redirect_url: str | None
) -> dict[str, Any]:
    response = AuthorizationResponse.build(
        id=record.record_id,
        state=record.state,
        provider_state_code=record.provider_state_code,
        currency_code=record.currency,
        client_system_transaction_id=record.reference,
        apm_details={
            "apm_provider_name": display_name(record.merchant.provider),
            "apm_payment_method": record.type,
        },
        redirect_url=redirect_url,
    ).to_wire()
    return response | {
        "id": written_id(record, record.state, behaviour),
        "state": written_state(record.state, behaviour),
    }


def _two_digits(indicator: str | None) -> str:
    return indicator.zfill(2) if indicator else ""
