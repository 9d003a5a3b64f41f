"""Authorizations with a payment account, and 3-D Secure on the gateway's page.

Each kind of card has its own proof of authentication. Interface, section Payment account: "value Card means
`PAN_ONLY` (3DS needed), value Token means tokenized."
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import QuerySet

from wallet_gateway.protocol.accounts import CardType
from wallet_gateway.protocol.authorizations import AUTHENTICATED, AuthorizationRequest
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.checkouts import URL_NAMES, authorization_details
from wallet_gateway.sandbox.models import (
    Authentication,
    AuthenticationOutcome,
    Outcome,
    PaymentAccount,
    RecordState,
)
from wallet_gateway.sandbox.payment_accounts import find_account
from wallet_gateway.sandbox.records import (
    ABANDONED,
    NOT_AUTHENTICATED,
    PENDING,
    answer_once,
    change_state,
    decide_request,
    decision_for_outcome,
    outcome_of_amount,
    response_to_request,
    write_record,
)
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.state import FaultMode, RequestContext, current_conditions, note_due, write_lock

LIFETIME: Final = timedelta(minutes=15)
"""Lifetime of the page; a customer who does not return in time has abandoned it."""
_UNDECIDED: Final = ("", AuthenticationOutcome.ABANDONED)


def authorize(context: RequestContext, request: AuthorizationRequest) -> dict[str, Any]:
    """Pay, or start 3-D Secure on the gateway's page, and return the response; raises a ``Refusal``."""
    merchant, now = context.merchant, context.conditions.now

    def execute() -> dict[str, Any]:
        account = find_account(merchant, request.transaction_account_id)
        if account.card_type == CardType.TOKEN:
            _check_cryptogram(account, request)
        else:
            _check_three_d_secure(request)
        # An undocumented state may be a success, so it counts as used.
        used = account.authorizations.exclude(state=RecordState.ERRORED).first()
        if used is not None:
            text = f"The account was used for {quote(used.reference)}, which is {used.state}."
            raise Refusal("AccountUsedUp", text)
        needs_page = account.card_type == CardType.CARD and request.three_d_secure is None
        # A request with a fault mode fails at once, before any 3-D Secure page.
        waits = needs_page and context.fault_mode is FaultMode.NONE
        record = write_record(
            merchant,
            request.client_system_transaction_id,
            request.type,
            request.money,
            PENDING if waits else decide_request(request.type, request.money, context.fault_mode),
            now=now,
            details=authorization_details(
                request.type, provider=merchant.provider, account_number=account.masked_number
            ),
            account=account,
        )
        response = response_to_request(record, context.conditions.behaviour)
        if waits:
            note_due(now + LIFETIME)
            page = Authentication.objects.create(
                record=record,
                redirect_details=request.redirect_details.to_wire() if request.redirect_details else {},
                expires_at=now + LIFETIME,
            )
            response["redirectUrl"] = context.base_url + page.get_absolute_url()
        return response

    return answer_once(context, request, execute)


def _check_cryptogram(account: PaymentAccount, request: AuthorizationRequest) -> None:
    if request.three_d_secure is not None:
        text = "The account is a Token: send its cryptogram, and no threeDSecure."
        raise Refusal("ThreeDSecureNotAllowed", text)
    required = "The account is a Token: send the {} of the wallet result."
    if request.cryptogram is None:
        raise Refusal("CryptogramRequired", required.format("cryptogram"))
    if not account.has_cryptogram(request.cryptogram.get_secret_value()):
        raise Refusal("CryptogramDiffers", "cryptogram is not the one of this account.")
    if account.eci_indicator and request.eci_indicator is None:
        raise Refusal("CryptogramRequired", required.format("eciIndicator"))
    given = request.eci_indicator.get_secret_value() if request.eci_indicator else ""
    if bool(given) != bool(account.eci_indicator) or given.zfill(2) != account.eci_indicator.zfill(2):
        raise Refusal("CryptogramDiffers", "eciIndicator is not the one of this account.")


def _check_three_d_secure(request: AuthorizationRequest) -> None:
    if request.cryptogram is not None or request.eci_indicator is not None:
        text = "The account is a Card: send no cryptogram and no eciIndicator."
        raise Refusal("CryptogramNotAllowed", text)
    proof = request.three_d_secure
    if proof is None and request.redirect_details is None:
        raise Refusal("ThreeDSecureRequired", "The account is a Card: send threeDSecure, or redirectDetails.")
    if proof is not None and proof.transaction_status not in AUTHENTICATED:
        text = f"threeDSecure.transactionStatus is {proof.transaction_status}; only Y and A are paid."
        raise Refusal("ThreeDSecureNotPassed", text)


def decide_authentication(
    authentication: Authentication, outcome: AuthenticationOutcome | str, *, by_hand: bool = True
) -> str:
    """Apply the customer's decision and return the URL of the shop to which the browser is redirected.

    An abandoned page leaves the payment pending until it expires. With ``by_hand`` a person pressed the
    button, and a special amount determines the outcome. Raises ``AuthenticationUsedUp`` or
    ``AuthenticationExpired``.
    """
    outcome = AuthenticationOutcome(outcome)
    with write_lock():
        authentication.refresh_from_db()
        now = current_conditions().now
        check_authentication_open(authentication, now=now)
        record = authentication.record
        if outcome is AuthenticationOutcome.SUCCESS:
            paid = outcome_of_amount(record.amount) if by_hand else Outcome.SUCCESS
            decision, url_name = decision_for_outcome(record.type, paid), URL_NAMES[paid]
        elif outcome is AuthenticationOutcome.FAILED:
            decision, url_name = NOT_AUTHENTICATED, "refusedUrl"
        else:
            decision, url_name = PENDING, "cancelUrl"
        authentication.decided_outcome = outcome
        authentication.save(update_fields=["decided_outcome"])
        if decision is not PENDING:
            change_state(record, decision, now=now)
    location: str = authentication.redirect_details[url_name]
    return location


def check_authentication_open(authentication: Authentication, *, now: datetime) -> None:
    """Check that the page is still open; raises ``AuthenticationUsedUp`` or ``AuthenticationExpired``."""
    record = authentication.record
    name = f"3-D Secure page of {quote(record.reference)}"
    if authentication.expires_at <= now:
        raise Refusal(
            "AuthenticationExpired", f"The {name} ended at {authentication.expires_at.isoformat()}."
        )
    if authentication.decided_outcome or record.state != RecordState.PENDING:
        raise Refusal("AuthenticationUsedUp", f"The {name} was left: the payment is {record.state}.")


def waiting_authentications() -> QuerySet[Authentication]:
    """Return the pages whose payment waits for the customer, in the order in which they expire."""
    waiting = Authentication.objects.filter(record__state=RecordState.PENDING, decided_outcome__in=_UNDECIDED)
    return waiting.select_related("record").order_by("expires_at", "pk")


def expire_authentications(now: datetime) -> None:
    """End all payments whose page has expired; the caller holds the lock of writers."""
    for authentication in waiting_authentications().filter(expires_at__lte=now):
        change_state(authentication.record, ABANDONED, now=authentication.expires_at)
