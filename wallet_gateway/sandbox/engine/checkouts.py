"""The hosted checkout: opening one for a merchant, and what becomes of it when its customer decides."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from wallet_gateway.protocol.checkout import CheckoutRequest, CheckoutResponse
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.engine.calls import Call, Twist
from wallet_gateway.sandbox.engine.payer import payment_details
from wallet_gateway.sandbox.engine.provider_decision import QUARANTINED, Verdict, verdict_of_outcome
from wallet_gateway.sandbox.engine.records import write_record
from wallet_gateway.sandbox.engine.references import answer_once
from wallet_gateway.sandbox.engine.refusals import CheckoutExpired, CheckoutUsedUp
from wallet_gateway.sandbox.engine.special_amounts import SpecialAmount, special_amount
from wallet_gateway.sandbox.models import Checkout, Outcome, RecordOrigin
from wallet_gateway.sandbox.state import current_conditions
from wallet_gateway.sandbox.write_lock import one_writer

DEFAULT_TIMEOUT_SECONDS: Final = 900
"""How long a link works when the request does not say: the maximum, as the interface names no default."""

_OF_SPECIAL_AMOUNT: Final[dict[SpecialAmount | None, Outcome]] = {
    SpecialAmount.REFUSED: Outcome.REFUSED,
    SpecialAmount.PENDING: Outcome.PENDING,
    SpecialAmount.ERRORED: Outcome.ERROR,
}
_CARD_FAILED: Final = frozenset({Outcome.REFUSED, Outcome.ERROR})
_URL_NAMES: Final = {
    Outcome.SUCCESS: "successUrl",
    Outcome.PENDING: "pendingUrl",
    Outcome.REFUSED: "refusedUrl",
    Outcome.CANCELLED: "cancelUrl",
    Outcome.ERROR: "errorUrl",
    Outcome.RETURN: "returnUrl",
}


def open_checkout(call: Call, request: CheckoutRequest) -> dict[str, Any]:
    """Open a checkout page and give the checkout response; raises ``ReferenceAlreadyUsed``."""

    def execute() -> dict[str, Any]:
        checkout = _create(call, request)
        _twist(checkout, call)
        return CheckoutResponse(redirect_url=call.base_url + checkout.get_absolute_url()).to_wire()

    return answer_once(call, request, execute)


def decide_checkout(checkout: Checkout, outcome: Outcome | str, *, by_hand: bool = True) -> str:
    """Let the customer leave the checkout page and give the URL of the shop the browser is sent to.

    Going back to the shop decides nothing; every other outcome uses the link up, unless the behaviour in
    force lets another card be tried. ``by_hand`` says that a person pressed a button: paying a special amount
    then does what the amount always does. Raises ``CheckoutUsedUp`` or ``CheckoutExpired``.
    """
    outcome = Outcome(outcome)
    with one_writer():
        checkout.refresh_from_db()
        conditions = current_conditions()
        now = conditions.now
        check_open(checkout, now=now)
        if by_hand and outcome == Outcome.SUCCESS:
            special = special_amount(checkout.amount)
            outcome = _OF_SPECIAL_AMOUNT.get(special, outcome)
        verdict = verdict_of_outcome(checkout.type, outcome)
        if outcome in _CARD_FAILED and conditions.behaviour.another_card:
            _record(checkout, verdict, now=now)
        elif outcome != Outcome.RETURN:
            _decide(checkout, outcome, verdict, now=now)
    location: str = checkout.request["redirectDetails"][_URL_NAMES[outcome]]
    return location


def check_open(checkout: Checkout, *, now: datetime) -> None:
    """Make sure the customer can still decide; raises ``CheckoutUsedUp`` or ``CheckoutExpired``."""
    name = f"checkout {quote(checkout.reference)}"
    if checkout.decided_outcome:
        raise CheckoutUsedUp(f"The {name} was decided: {checkout.decided_outcome}.")
    if checkout.expires_at is not None and checkout.expires_at <= now:
        raise CheckoutExpired(f"The time of the {name} ended at {checkout.expires_at.isoformat()}.")


def _create(call: Call, request: CheckoutRequest) -> Checkout:
    now = call.conditions.now
    details = request.checkout_details
    timeout = details.redirect_url_timeout
    seconds = DEFAULT_TIMEOUT_SECONDS if timeout is None else timeout
    return Checkout.objects.create(
        merchant=call.merchant,
        reference=request.client_system_transaction_id,
        type=request.type,
        amount_minor=request.money.minor_units,
        currency=request.money.currency,
        request=request.to_wire(),
        skin_id=details.skin_id or "",
        language=details.language or "",
        created_at=now,
        expires_at=now + timedelta(seconds=seconds) if seconds else None,
    )


def _decide(checkout: Checkout, outcome: Outcome, verdict: Verdict, *, now: datetime) -> None:
    checkout.decided_outcome = outcome
    checkout.decided_at = now
    checkout.save(update_fields=["decided_outcome", "decided_at"])
    _record(checkout, verdict, now=now)


def _record(checkout: Checkout, verdict: Verdict, *, now: datetime) -> None:
    write_record(
        merchant=checkout.merchant,
        reference=checkout.reference,
        record_type=checkout.type,
        money=checkout.amount,
        verdict=verdict,
        now=now,
        origin=RecordOrigin.PAGE,
        details=payment_details(checkout.request, provider=checkout.merchant.provider),
        checkout=checkout,
    )


def _twist(checkout: Checkout, call: Call) -> None:
    """Decide the checkout before its customer sees it, where the request is to go wrong."""
    match call.twist:
        case Twist.ERRORED:
            verdict = verdict_of_outcome(checkout.type, Outcome.ERROR)
            _decide(checkout, Outcome.ERROR, verdict, now=call.conditions.now)
        case Twist.UNDOCUMENTED:
            _decide(checkout, Outcome.PENDING, QUARANTINED, now=call.conditions.now)
