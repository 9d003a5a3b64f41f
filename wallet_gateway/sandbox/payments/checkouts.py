"""The hosted checkout: create one for a merchant, and apply the customer's decision."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from wallet_gateway.protocol.checkout import BillingAddress, CheckoutRequest, CheckoutResponse
from wallet_gateway.protocol.text import quote
from wallet_gateway.protocol.wire import MISSING
from wallet_gateway.sandbox.db_transactions import write_lock
from wallet_gateway.sandbox.models import BillingAddressRule, Checkout, Outcome, RecordOrigin
from wallet_gateway.sandbox.models.prepared_sql import insert_row
from wallet_gateway.sandbox.payments.payer import payment_details
from wallet_gateway.sandbox.payments.provider_decision import (
    QUARANTINED,
    ProviderDecision,
    SpecialAmount,
    decision_for_outcome,
    special_amount,
)
from wallet_gateway.sandbox.payments.records import write_record
from wallet_gateway.sandbox.payments.references import answer_once
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.state import FaultMode, RequestContext, current_conditions

DEFAULT_TIMEOUT_SECONDS: Final = 900
"""Default lifetime of a link: the maximum, because the interface names no default ("0 to 900 seconds")."""

_BY_SPECIAL_AMOUNT: Final[dict[SpecialAmount | None, Outcome]] = {
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


def open_checkout(context: RequestContext, request: CheckoutRequest) -> dict[str, Any]:
    """Create a checkout and return the checkout response; raises a ``Refusal``."""
    if context.conditions.behaviour.billing_address == BillingAddressRule.REQUIRED:
        _check_billing_address(request)

    def execute() -> dict[str, Any]:
        checkout = _create(context, request)
        _apply_fault_mode(checkout, context)
        return CheckoutResponse(redirect_url=context.base_url + checkout.get_absolute_url()).to_wire()

    return answer_once(context, request, execute)


def decide_checkout(checkout: Checkout, outcome: Outcome | str, *, by_hand: bool = True) -> str:
    """Apply the customer's decision and return the URL of the shop to which the browser is redirected.

    Returning to the shop decides nothing; every other outcome uses up the link, unless the behaviour allows
    another card. With ``by_hand`` a person pressed the button, and a special amount determines the outcome.
    Raises ``CheckoutUsedUp`` or ``CheckoutExpired``.
    """
    outcome = Outcome(outcome)
    with write_lock():
        checkout.refresh_from_db()
        conditions = current_conditions()
        now = conditions.now
        check_checkout_open(checkout, now=now)
        if by_hand and outcome == Outcome.SUCCESS:
            special = special_amount(checkout.amount)
            outcome = _BY_SPECIAL_AMOUNT.get(special, outcome)
        decision = decision_for_outcome(checkout.type, outcome)
        if outcome in _CARD_FAILED and conditions.behaviour.another_card:
            _record(checkout, decision, now=now)
        elif outcome != Outcome.RETURN:
            _decide(checkout, outcome, decision, now=now)
    location: str = checkout.request["redirectDetails"][_URL_NAMES[outcome]]
    return location


def check_checkout_open(checkout: Checkout, *, now: datetime) -> None:
    """Check that the checkout is still open; raises ``CheckoutUsedUp`` or ``CheckoutExpired``."""
    name = f"checkout {quote(checkout.reference)}"
    if checkout.decided_outcome:
        raise Refusal("CheckoutUsedUp", f"The {name} was decided: {checkout.decided_outcome}.")
    if checkout.expires_at is not None and checkout.expires_at <= now:
        raise Refusal(
            "CheckoutExpired", f"The time of the {name} ended at {checkout.expires_at.isoformat()}."
        )


def _check_billing_address(request: CheckoutRequest) -> None:
    """Refuse a checkout without an address as the field table does; one that is given is complete."""
    if request.address_details is None or request.address_details.billing_address is None:
        fields, wire_names = BillingAddress.model_fields.items(), BillingAddress.wire_names
        names = (wire_names[name] for name, field in fields if field.is_required())
        text = "; ".join(f"addressDetails.billingAddress.{name}: {MISSING}" for name in names)
        raise Refusal("SchemaValidationError", text)


def _create(context: RequestContext, request: CheckoutRequest) -> Checkout:
    now = context.conditions.now
    details, money = request.checkout_details, request.money
    timeout = details.redirect_url_timeout
    seconds = DEFAULT_TIMEOUT_SECONDS if timeout is None else timeout
    checkout = Checkout(
        merchant=context.merchant,
        reference=request.client_system_transaction_id,
        type=request.type,
        amount_minor=money.minor_units,
        currency=money.currency,
        request=request.to_wire(),
        skin_id=details.skin_id or "",
        language=details.language or "",
        created_at=now,
        expires_at=now + timedelta(seconds=seconds) if seconds else None,
    )
    insert_row(checkout)
    return checkout


def _decide(checkout: Checkout, outcome: Outcome, decision: ProviderDecision, *, now: datetime) -> None:
    checkout.decided_outcome = outcome
    checkout.decided_at = now
    checkout.save(update_fields=["decided_outcome", "decided_at"])
    _record(checkout, decision, now=now)


def _record(checkout: Checkout, decision: ProviderDecision, *, now: datetime) -> None:
    write_record(
        merchant=checkout.merchant,
        reference=checkout.reference,
        record_type=checkout.type,
        money=checkout.amount,
        decision=decision,
        now=now,
        origin=RecordOrigin.PAGE,
        details=payment_details(checkout.request, provider=checkout.merchant.provider),
        checkout=checkout,
    )


def _apply_fault_mode(checkout: Checkout, context: RequestContext) -> None:
    """Decide the checkout at once if the request has a fault mode."""
    match context.fault_mode:
        case FaultMode.ERRORED:
            decision = decision_for_outcome(checkout.type, Outcome.ERROR)
            _decide(checkout, Outcome.ERROR, decision, now=context.conditions.now)
        case FaultMode.UNDOCUMENTED:
            _decide(checkout, Outcome.PENDING, QUARANTINED, now=context.conditions.now)
