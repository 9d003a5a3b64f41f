"""Whom the plugin's mails go to: the customer's address, and who was told to wait for the outcome."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.models import PaymentOrder, TransactionEvent

_OPENING = (TransactionKind.CHECKOUT, TransactionKind.AUTHORIZATION)
"""What a customer waits for; a capture or a refund without an outcome is the shop's affair."""
_NO_OUTCOME = (TransactionState.UNKNOWN, TransactionState.PENDING)


def address_of(order: PaymentOrder) -> str:
    """Return the customer's e-mail address as the order has it; empty where it has none that can be one."""
    address: str = order.content.get("checkoutDetails", {}).get("cardholderEmail") or ""
    try:
        validate_email(address)
    except ValidationError:
        # Nobody has checked what the shop was told: it may be several, or the beginning of a header.
        return ""
    return address


def had_unknown_outcome(order: PaymentOrder) -> bool:
    """Say whether the outcome of an attempt to pay was not known for a while."""
    rows = TransactionEvent.objects.filter(transaction__payment__order=order, transaction__kind__in=_OPENING)
    return rows.filter(state_after__in=_NO_OUTCOME).exists()
