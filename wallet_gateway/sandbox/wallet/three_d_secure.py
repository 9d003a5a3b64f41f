"""3-D Secure on the gateway's page: open the page, and apply its outcome to the payment."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db.models import QuerySet

from wallet_gateway.protocol.authorizations import AuthorizationRequest
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.db_transactions import write_lock
from wallet_gateway.sandbox.models import (
    Authentication,
    AuthenticationOutcome,
    RecordState,
    TransactionRecord,
)
from wallet_gateway.sandbox.payments.provider_decision import (
    ABANDONED,
    FAILED,
    NOT_AUTHENTICATED,
    PENDING,
    REFUSED,
    ProviderDecision,
    SpecialAmount,
    approval_of,
    special_amount,
)
from wallet_gateway.sandbox.payments.records import change_state
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.state import current_conditions, note_due

LIFETIME: Final = timedelta(minutes=15)
"""Lifetime of the page; a customer who does not return in time has abandoned it."""

_AFTER_SUCCESS: Final[dict[SpecialAmount | None, tuple[ProviderDecision, str]]] = {
    SpecialAmount.REFUSED: (REFUSED, "refusedUrl"),
    SpecialAmount.PENDING: (PENDING, "pendingUrl"),
    SpecialAmount.ERRORED: (FAILED, "errorUrl"),
}
_UNDECIDED: Final = ("", AuthenticationOutcome.ABANDONED)


def open_authentication(
    record: TransactionRecord, request: AuthorizationRequest, *, now: datetime
) -> Authentication:
    """Create the page of a pending authorization."""
    details = request.redirect_details
    note_due(now + LIFETIME)
    return Authentication.objects.create(
        record=record,
        redirect_details=details.to_wire() if details else {},
        expires_at=now + LIFETIME,
    )


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
        decision, url_name = _decision_and_url_name(authentication.record, outcome, by_hand=by_hand)
        authentication.decided_outcome = outcome
        authentication.save(update_fields=["decided_outcome"])
        if decision is not PENDING:
            change_state(authentication.record, decision, now=now)
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


def _decision_and_url_name(
    record: TransactionRecord, outcome: AuthenticationOutcome, *, by_hand: bool
) -> tuple[ProviderDecision, str]:
    if outcome is AuthenticationOutcome.ABANDONED:
        return PENDING, "cancelUrl"
    if outcome is AuthenticationOutcome.FAILED:
        return NOT_AUTHENTICATED, "refusedUrl"
    special = special_amount(record.amount) if by_hand else None
    return _AFTER_SUCCESS.get(special) or (approval_of(record.type), "successUrl")
