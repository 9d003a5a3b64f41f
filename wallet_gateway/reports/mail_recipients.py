"""Recipients of the plugin's mails: customers' addresses, and who was asked to wait for an outcome."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from wallet_gateway.domain.lifecycle import OPENING_KINDS, TransactionState
from wallet_gateway.models import PaymentOrder, TransactionEvent

_NO_OUTCOME = (TransactionState.UNKNOWN, TransactionState.PENDING)


def address_of(order: PaymentOrder) -> str:
    """Return the customer's e-mail address from the order; empty if it has no valid one."""
    address: str = order.content.get("checkoutDetails", {}).get("cardholderEmail") or ""
    try:
        validate_email(address)
    except ValidationError:
        # The shop's input is unchecked: it may contain several addresses, or the beginning of a header.
        return ""
    return address


def unknown_outcomes(order: PaymentOrder) -> int:
    """Return for how many attempts to pay the outcome was unknown for some time.

    Only the shop follows captures and refunds.
    """
    rows = TransactionEvent.objects.filter(
        transaction__payment__order=order, transaction__kind__in=OPENING_KINDS
    )
    return rows.filter(state_after__in=_NO_OUTCOME).values("transaction").distinct().count()
