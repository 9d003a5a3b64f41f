"""The permissions that more than one package checks, and whether a person has one now.

The models declare them; this is the one place where they are named in full, as Django's `has_perm` expects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth import get_user_model

from wallet_gateway.domain.lifecycle import TransactionKind

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractUser

CAPTURE = "wallet_gateway.capture_payment"
REFUND = "wallet_gateway.refund_payment"
REVERSE = "wallet_gateway.reverse_payment"
DETACHED_REFUND = "wallet_gateway.detached_refund"
VIEW_HEALTH = "wallet_gateway.view_health"

OF_KIND = {
    TransactionKind.CAPTURE: CAPTURE,
    TransactionKind.REFUND: REFUND,
    TransactionKind.REVERSAL: REVERSE,
    TransactionKind.DETACHED_REFUND: DETACHED_REFUND,
}
"""The permission that an operation requires, and sending it again."""


def account_named(name: str) -> AbstractUser | None:
    """Return the account with a user name; None if no account has it."""
    model = get_user_model()
    return model._default_manager.filter(**{model.USERNAME_FIELD: name}).first()


def user_still_has(name: str, permission: str) -> bool | None:
    """Return whether the account with a user name has a permission now; None if there is no such account."""
    account = account_named(name)
    return None if account is None else bool(account.is_active and account.has_perm(permission))
