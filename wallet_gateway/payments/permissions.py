"""The permissions that operations take, and whether a person has one now; asked of Django's accounts."""

from __future__ import annotations

from django.contrib.auth import get_user_model

from wallet_gateway.domain.lifecycle import TransactionKind

CAPTURE = "wallet_gateway.capture_payment"
REFUND = "wallet_gateway.refund_payment"
REVERSE = "wallet_gateway.reverse_payment"
DETACHED_REFUND = "wallet_gateway.detached_refund"

OF_KIND = {
    TransactionKind.CAPTURE: CAPTURE,
    TransactionKind.REFUND: REFUND,
    TransactionKind.REVERSAL: REVERSE,
    TransactionKind.DETACHED_REFUND: DETACHED_REFUND,
}
"""What it takes to ask the gateway for something, or to ask for it again."""


def user_still_has(name: str, permission: str) -> bool | None:
    """Return whether the account of a name has a permission now; None where there is no such account."""
    model = get_user_model()
    account = model._default_manager.filter(**{model.USERNAME_FIELD: name}).first()
    return None if account is None else bool(account.is_active and account.has_perm(permission))
