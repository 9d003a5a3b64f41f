"""3-D Secure on the gateway's page: opening it, and what becomes of the payment once it is left."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Min

from wallet_gateway.protocol.authorizations import AuthorizationRequest
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.cache import Remembered
from wallet_gateway.sandbox.engine.provider_decision import (
    ABANDONED,
    FAILED,
    NOT_AUTHENTICATED,
    PENDING,
    REFUSED,
    Verdict,
    success_of,
)
from wallet_gateway.sandbox.engine.records import change_state
from wallet_gateway.sandbox.engine.special_amounts import SpecialAmount, special_amount
from wallet_gateway.sandbox.engine.wallet_refusals import AuthenticationExpired, AuthenticationUsedUp
from wallet_gateway.sandbox.models import (
    Authentication,
    AuthenticationOutcome,
    RecordState,
    TransactionRecord,
)
from wallet_gateway.sandbox.state import current_conditions
from wallet_gateway.sandbox.write_lock import one_writer

LIFETIME: Final = timedelta(minutes=15)
"""How long the page works; whoever has not come back by then has abandoned it."""

_AFTER_SUCCESS: Final[dict[SpecialAmount | None, tuple[Verdict, str]]] = {
    SpecialAmount.REFUSED: (REFUSED, "refusedUrl"),
    SpecialAmount.PENDING: (PENDING, "pendingUrl"),
    SpecialAmount.ERRORED: (FAILED, "errorUrl"),
}


def _earliest() -> datetime | None:
    waiting = Authentication.objects.filter(record__state=RecordState.PENDING, decided_outcome__in=_UNDECIDED)
    earliest: datetime | None = waiting.aggregate(earliest=Min("expires_at"))["earliest"]
    return earliest


_UNDECIDED: Final = ("", AuthenticationOutcome.ABANDONED)
remembered_expiry = Remembered(_earliest)
"""When the next customer has abandoned the page, as long as none comes or goes."""


def open_authentication(
    record: TransactionRecord, request: AuthorizationRequest, *, now: datetime
) -> Authentication:
    """Open the page for a pending authorization that named where its customer is to go back to."""
    details = request.redirect_details
    authentication = Authentication.objects.create(
        record=record,
        redirect_details=details.to_wire() if details else {},
        expires_at=now + LIFETIME,
    )
    remembered_expiry.forget()
    return authentication


def decide_authentication(
    authentication: Authentication, outcome: AuthenticationOutcome | str, *, by_hand: bool = True
) -> str:
    """Let the customer leave the page and give the URL of the shop the browser is sent to.

    Who abandons it leaves the payment pending until the page expires. ``by_hand`` says that a person pressed
    a button: a special amount then does what it always does. Raises ``AuthenticationUsedUp`` or
    ``AuthenticationExpired``.
    """
    outcome = AuthenticationOutcome(outcome)
    with one_writer():
        authentication.refresh_from_db()
        now = current_conditions().now
        check_open(authentication, now=now)
        verdict, url_name = _verdict(authentication.record, outcome, by_hand=by_hand)
        authentication.decided_outcome = outcome
        authentication.save(update_fields=["decided_outcome"])
        if verdict is not PENDING:
            change_state(authentication.record, verdict, now=now)
        remembered_expiry.forget()
    location: str = authentication.redirect_details[url_name]
    return location


def check_open(authentication: Authentication, *, now: datetime) -> None:
    """Make sure the page still decides; raises ``AuthenticationUsedUp`` or ``AuthenticationExpired``."""
    record = authentication.record
    name = f"3-D Secure page of {quote(record.reference)}"
    if authentication.expires_at <= now:
        raise AuthenticationExpired(f"The {name} ended at {authentication.expires_at.isoformat()}.")
    if authentication.decided_outcome or record.state != RecordState.PENDING:
        raise AuthenticationUsedUp(f"The {name} was left: the payment is {record.state}.")


def expire_authentications() -> None:
    """End the payments whose customers did not come back in time."""
    due_at = remembered_expiry.get()
    if due_at is None or due_at > current_conditions().now:
        return
    with one_writer():
        now = current_conditions().now
        waiting = Authentication.objects.filter(
            record__state=RecordState.PENDING, decided_outcome__in=_UNDECIDED, expires_at__lte=now
        )
        for authentication in waiting.select_related("record").order_by("expires_at", "pk"):
            change_state(authentication.record, ABANDONED, now=authentication.expires_at)
        remembered_expiry.forget()


def _verdict(
    record: TransactionRecord, outcome: AuthenticationOutcome, *, by_hand: bool
) -> tuple[Verdict, str]:
    if outcome is AuthenticationOutcome.ABANDONED:
        return PENDING, "cancelUrl"
    if outcome is AuthenticationOutcome.FAILED:
        return NOT_AUTHENTICATED, "refusedUrl"
    special = special_amount(record.amount) if by_hand else None
    return _AFTER_SUCCESS.get(special) or (success_of(record.type), "successUrl")
