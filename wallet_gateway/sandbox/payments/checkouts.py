"""The hosted checkout: create one for a merchant, and apply the customer's decision."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from wallet_gateway.protocol.checkout import BillingAddress, CheckoutRequest, CheckoutResponse
from wallet_gateway.protocol.text import quote
from wallet_gateway.protocol.wire import MISSING
from wallet_gateway.sandbox.db_transactions import write_lock
from wallet_gateway.sandbox.models import BillingAddressRule, Checkout, Outcome, RecordOrigin
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
    now, behaviour = context.conditions.now, context.conditions.behaviour
    addresses = request.address_details
    has_address = addresses is not None and addresses.billing_address is not None
    if behaviour.billing_address == BillingAddressRule.REQUIRED and not has_address:
        # Refused as by the field table; an address that is given is complete.
        fields, wire_names = BillingAddress.model_fields.items(), BillingAddress.wire_names
        names = (wire_names[name] for name, field in fields if field.is_required())
        text = "; ".join(f"addressDetails.billingAddress.{name}: {MISSING}" for name in names)
        raise Refusal("SchemaValidationError", text)
    details = request.checkout_details
    timeout = details.redirect_url_timeout
    seconds = DEFAULT_TIMEOUT_SECONDS if timeout is None else timeout

    def execute() -> dict[str, Any]:
        checkout = Checkout.objects.create(
            merchant=context.merchant,
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
        if context.fault_mode is FaultMode.ERRORED:
            _decide(checkout, Outcome.ERROR, decision_for_outcome(checkout.type, Outcome.ERROR), now=now)
        elif context.fault_mode is FaultMode.UNDOCUMENTED:
            _decide(checkout, Outcome.PENDING, QUARANTINED, now=now)
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
        check_checkout_open(checkout, now=conditions.now)
        if by_hand and outcome == Outcome.SUCCESS:
            outcome = _BY_SPECIAL_AMOUNT.get(special_amount(checkout.amount), outcome)
        if outcome != Outcome.RETURN:
            stays_open = outcome in _CARD_FAILED and conditions.behaviour.another_card
            decision = decision_for_outcome(checkout.type, outcome)
            _decide(checkout, "" if stays_open else outcome, decision, now=conditions.now)
    location: str = checkout.request["redirectDetails"][_URL_NAMES[outcome]]
    return location


def check_checkout_open(checkout: Checkout, *, now: datetime) -> None:
    """Check that the checkout is still open; raises ``CheckoutUsedUp`` or ``CheckoutExpired``."""
    name = f"checkout {quote(checkout.reference)}"
    if checkout.decided_outcome:
        raise Refusal("CheckoutUsedUp", f"The {name} was decided: {checkout.decided_outcome}.")
    if checkout.expires_at is not None and checkout.expires_at <= now:
        text = f"The time of the {name} ended at {checkout.expires_at.isoformat()}."
        raise Refusal("CheckoutExpired", text)


def _decide(checkout: Checkout, outcome: str, decision: ProviderDecision, *, now: datetime) -> None:
    """Record the provider's decision; an empty outcome leaves the checkout open."""
    if outcome:
        checkout.decided_outcome, checkout.decided_at = outcome, now
        checkout.save(update_fields=["decided_outcome", "decided_at"])
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
