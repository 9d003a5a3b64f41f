"""Authorizations: paying with a payment account, each kind of card with the proof that belongs to it."""

from __future__ import annotations

from typing import Any

from wallet_gateway.protocol.accounts import CardType
from wallet_gateway.protocol.authorizations import (
    AUTHENTICATED,
    AuthorizationRequest,
    AuthorizationResponse,
)
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.engine.accounts import find_account
from wallet_gateway.sandbox.engine.calls import Call, Twist
from wallet_gateway.sandbox.engine.payer import authorization_details, display_name
from wallet_gateway.sandbox.engine.provider_decision import PENDING, Verdict, verdict_on_request
from wallet_gateway.sandbox.engine.records import write_record
from wallet_gateway.sandbox.engine.references import answer_once
from wallet_gateway.sandbox.engine.three_d_secure import open_authentication
from wallet_gateway.sandbox.engine.wallet_refusals import (
    AccountUsedUp,
    CryptogramDiffers,
    CryptogramNotAllowed,
    CryptogramRequired,
    ThreeDSecureNotAllowed,
    ThreeDSecureNotPassed,
    ThreeDSecureRequired,
)
from wallet_gateway.sandbox.hashing import matches
from wallet_gateway.sandbox.models import PaymentAccount, RecordOrigin, RecordState, TransactionRecord


def authorize(call: Call, request: AuthorizationRequest) -> dict[str, Any]:
    """Pay, or have the customer authenticated first, and give the response; raises a ``Refusal``."""

    def execute() -> dict[str, Any]:
        account = find_account(call.merchant, request.transaction_account_id)
        _check_proof(account, request)
        _check_unused(account)
        # What is to fail fails at once, whoever would have had to be authenticated.
        waits = _goes_to_the_page(account, request) and call.twist is Twist.NONE
        verdict = PENDING if waits else verdict_on_request(request.type, request.money, call.twist)
        record = _write(call, account, request, verdict)
        page = open_authentication(record, request, now=call.conditions.now) if waits else None
        return _response(record, redirect_url=call.base_url + page.get_absolute_url() if page else None)

    return answer_once(call, request, execute)


def _check_proof(account: PaymentAccount, request: AuthorizationRequest) -> None:
    if account.card_type == CardType.TOKEN:
        _check_cryptogram(account, request)
    else:
        _check_three_d_secure(request)


def _check_cryptogram(account: PaymentAccount, request: AuthorizationRequest) -> None:
    if request.three_d_secure is not None:
        raise ThreeDSecureNotAllowed("The account is a Token: send its cryptogram, and no threeDSecure.")
    if request.cryptogram is None:
        raise CryptogramRequired("The account is a Token: send the cryptogram of the wallet result.")
    if not matches(request.cryptogram, account.cryptogram_hash):
        raise CryptogramDiffers("cryptogram is not the one of this account.")
    if account.eci_indicator and request.eci_indicator is None:
        raise CryptogramRequired("The account is a Token: send the eciIndicator of the wallet result.")
    if _two_digits(request.eci_indicator) != _two_digits(account.eci_indicator):
        raise CryptogramDiffers("eciIndicator is not the one of this account.")


def _check_three_d_secure(request: AuthorizationRequest) -> None:
    if request.cryptogram is not None or request.eci_indicator is not None:
        raise CryptogramNotAllowed("The account is a Card: send no cryptogram and no eciIndicator.")
    proof = request.three_d_secure
    if proof is None and request.redirect_details is None:
        raise ThreeDSecureRequired("The account is a Card: send threeDSecure, or redirectDetails.")
    if proof is not None and proof.transaction_status not in AUTHENTICATED:
        raise ThreeDSecureNotPassed(
            f"threeDSecure.transactionStatus is {proof.transaction_status}; only Y and A are paid."
        )


def _goes_to_the_page(account: PaymentAccount, request: AuthorizationRequest) -> bool:
    return account.card_type == CardType.CARD and request.three_d_secure is None


def _check_unused(account: PaymentAccount) -> None:
    # A state nobody has heard of is not known to have failed, so it counts as used.
    used = account.authorizations.exclude(state=RecordState.ERRORED).first()
    if used is not None:
        raise AccountUsedUp(f"The account was used for {quote(used.reference)}, which is {used.state}.")


def _write(
    call: Call, account: PaymentAccount, request: AuthorizationRequest, verdict: Verdict
) -> TransactionRecord:
    return write_record(
        merchant=call.merchant,
        reference=request.client_system_transaction_id,
        record_type=request.type,
        money=request.money,
        verdict=verdict,
        now=call.conditions.now,
        origin=RecordOrigin.API,
        details=authorization_details(
            request.type, provider=call.merchant.provider, account_number=account.masked_number
        ),
        account=account,
    )


def _response(record: TransactionRecord, *, redirect_url: str | None) -> dict[str, Any]:
    return AuthorizationResponse.build(
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


def _two_digits(indicator: str | None) -> str:
    return indicator.zfill(2) if indicator else ""
