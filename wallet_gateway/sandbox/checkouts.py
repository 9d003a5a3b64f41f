"""The hosted checkout: create one for a merchant, and apply the customer's decision.

Also the ``apmDetails`` of a status record, derived from the merchant's data about the payer. The record of
a pre-authorization has every field of the interface. Fields missing in the checkout are filled from the
wallet's customer, because a wallet knows its customer better than the shop does.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import Any, Final

from wallet_gateway.protocol.authorizations import AuthorizationType
from wallet_gateway.protocol.checkout import BillingAddress, CheckoutRequest, CheckoutResponse, CheckoutType
from wallet_gateway.protocol.text import quote
from wallet_gateway.protocol.wire import MISSING
from wallet_gateway.sandbox.models import BillingAddressRule, Checkout, FaultKind, Outcome, RecordOrigin
from wallet_gateway.sandbox.records import (
    QUARANTINED,
    ProviderDecision,
    answer_once,
    decision_for_outcome,
    outcome_of_amount,
    write_record,
)
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.state import RequestContext, current_conditions, write_lock

CUSTOMER: Final = {
    "cardholderFirstName": "Sam",
    "cardholderLastName": "Sample",
    "cardholderEmail": "sam.sample@example.com",
    "cardholderMobilePhone": "49-1700000000",
    "cardholderId": "EW-CUSTOMER-1783",
}
HOME: Final = {
    "houseNumber": "12",
    "street": "Sample Street",
    "city": "Sampletown",
    "zipPostalCode": "10115",
    "state": "DE-BE",
    "countryCode": "DEU",
}


def payment_details(request: dict[str, Any], *, provider: str) -> dict[str, Any]:
    """Return the payer's details for a checkout, from its request in wire form."""
    cardholder = CUSTOMER | request["checkoutDetails"]
    details = follow_up_details(provider=provider, email=cardholder["cardholderEmail"])
    if request["type"] == CheckoutType.PREAUTHORIZATION:
        details |= _full_details(cardholder, request.get("addressDetails", {}))
    return details


def authorization_details(record_type: str, *, provider: str, account_number: str) -> dict[str, Any]:
    """Return the payer's details for an authorization; ``account_number`` is masked."""
    details = follow_up_details(provider=provider) | {"apmPayerAccountNumber": account_number}
    if record_type == AuthorizationType.PREAUTHORIZATION:
        details |= _full_details(CUSTOMER, {})
    return details


def follow_up_details(*, provider: str, email: str = CUSTOMER["cardholderEmail"]) -> dict[str, Any]:
    """Return the payer's details for a transaction without addresses."""
    return {
        "apmName": provider,
        "apmPayerAccountNumber": "EW-5520-1783",
        "apmPayerEmailAddress": email,
        "apmProviderTransactionId": f"EW{secrets.token_hex(8).upper()}",
    }


def _full_details(cardholder: dict[str, Any], addresses: dict[str, Any]) -> dict[str, Any]:
    name = {"firstName": cardholder["cardholderFirstName"], "lastName": cardholder["cardholderLastName"]}
    contact = {
        "telephoneNumber": cardholder["cardholderMobilePhone"],
        "email": cardholder["cardholderEmail"],
    }
    billing = HOME | addresses.get("billingAddress", {})
    # Without a shipping address the order is shipped to the billing address.
    shipping = (
        name | contact | (HOME | addresses["shippingAddress"] if "shippingAddress" in addresses else billing)
    )
    full_name = " ".join(name.values())
    return {
        "apmPayerID": cardholder["cardholderId"],
        "apmPayerFirstname": name["firstName"],
        "apmPayerLastname": name["lastName"],
        "apmPayerCountryCode": billing["countryCode"],
        "apmPayerStateOrProvince": billing["state"],
        "apmPayerBillingName": full_name,
        "apmPayerBillingStreet1": _street(billing),
        "apmPayerBillingCityName": billing["city"],
        "apmPayerBillingPostalCode": billing["zipPostalCode"],
        "apmPayerBillingCountry": billing["countryCode"],
        "apmPayerBillingPhone": contact["telephoneNumber"],
        "apmPayerShippingName": f"{shipping['firstName']} {shipping['lastName']}",
        "apmPayerShippingStreet1": _street(shipping),
        "apmPayerShippingCityName": shipping["city"],
        "apmPayerShippingPostalCode": shipping["zipPostalCode"],
        "apmPayerShippingCountry": shipping["countryCode"],
        "apmPayerShippingPhone": shipping["telephoneNumber"],
        "billingAddress": billing,
        "shippingAddress": shipping,
    }


def _street(address: dict[str, Any]) -> str:
    return f"{address['street']} {address['houseNumber']}"


DEFAULT_TIMEOUT_SECONDS: Final = 900
"""Default lifetime of a link: the maximum, because the interface names no default ("0 to 900 seconds")."""

_CARD_FAILED: Final = frozenset({Outcome.REFUSED, Outcome.ERROR})
URL_NAMES: Final = {
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
        if context.fault is FaultKind.ERRORED:
            _decide(checkout, Outcome.ERROR, decision_for_outcome(checkout.type, Outcome.ERROR), now=now)
        elif context.fault is FaultKind.UNDOCUMENTED_STATE:
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
            outcome = outcome_of_amount(checkout.amount)
        if outcome != Outcome.RETURN:
            stays_open = outcome in _CARD_FAILED and conditions.behaviour.another_card
            decision = decision_for_outcome(checkout.type, outcome)
            _decide(checkout, "" if stays_open else outcome, decision, now=conditions.now)
    location: str = checkout.request["redirectDetails"][URL_NAMES[outcome]]
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
        checkout.merchant,
        checkout.reference,
        checkout.type,
        checkout.amount,
        decision,
        now=now,
        origin=RecordOrigin.PAGE,
        details=payment_details(checkout.request, provider=checkout.merchant.provider),
        checkout=checkout,
    )
