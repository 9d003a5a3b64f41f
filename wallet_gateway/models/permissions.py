"""The permissions that more than one package checks, and whether an account has one now.

The models declare them; this is the one place where they are named in full, as Django's `has_perm` expects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError

from wallet_gateway.domain.actors import Actor
from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.models import Approval

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractUser

CAPTURE = "wallet_gateway.capture_payment"
REFUND = "wallet_gateway.refund_payment"
REVERSE = "wallet_gateway.reverse_payment"
DETACHED_REFUND = "wallet_gateway.detached_refund"
VIEW_HEALTH = "wallet_gateway.view_health"
VIEW_CUSTOMER = "wallet_gateway.view_customer"
"""Required, beside seeing the order, to see its customer and their addresses, and to search for them."""
RESOLVE = "wallet_gateway.resolve_unknown"
APPROVE = "wallet_gateway.approve_operation"
"""Required in addition to the permission of the operation itself."""

OF_KIND = {
    TransactionKind.CAPTURE: CAPTURE,
    TransactionKind.REFUND: REFUND,
    TransactionKind.REVERSAL: REVERSE,
    TransactionKind.DETACHED_REFUND: DETACHED_REFUND,
}
"""The permission that an operation requires, and sending it again."""


def permission_of(approval: Approval) -> str:
    """Return the permission needed to request something and, together with `APPROVE`, to approve it."""
    return RESOLVE if approval.decision else OF_KIND.get(TransactionKind(approval.kind), RESOLVE)


def account_of(actor: Actor) -> AbstractUser | None:
    """Return the account of an actor; None if it no longer exists.

    An actor without a key is a program's word: the account with that name, if there is one.
    """
    model = get_user_model()
    if actor.is_program:
        return model._default_manager.filter(**{model.USERNAME_FIELD: actor.name}).first()
    try:
        return model._default_manager.filter(pk=actor.account).first()
    except (ValueError, ValidationError):
        # A key of another user model, such as a UUID where the keys are numbers.
        return None


def account_has(actor: Actor, *permissions: str) -> bool | None:
    """Return whether an actor's account is active and has permissions now; None if there is no account."""
    account = account_of(actor)
    return None if account is None else bool(account.is_active and account.has_perms(permissions))
