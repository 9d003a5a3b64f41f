"""Django permissions of the admin's pages, checked in one place. Showing a button grants nothing."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from wallet_gateway.domain.people import Account, Actor, is_same_person
from wallet_gateway.models import Approval
from wallet_gateway.models.fields import actor_in

SEE_ORDERS = "wallet_gateway.view_paymentorder"
SEE_TRANSACTIONS = "wallet_gateway.view_gatewaytransaction"
SEE_EVENTS = "wallet_gateway.view_transactionevent"
ROTATE_KEYS = "wallet_gateway.rotate_keys"
STOP_SENDING = "wallet_gateway.stop_sending"
CANCEL_ORDER = "wallet_gateway.cancel_order"
RAISE_LIMITS = "wallet_gateway.raise_wallet_limits"


def require_permission(request: HttpRequest, permission: str) -> None:
    """Raise `PermissionDenied` unless the current user has a permission."""
    if not request.user.has_perm(permission):
        raise PermissionDenied


def person_of(request: HttpRequest) -> Actor:
    """Return the current user as the one whose decisions are recorded, by name and account."""
    user: Account = request.user
    return Actor(name=user.get_username(), account=str(user.pk))


def is_own_request(request: HttpRequest, asked: Approval) -> bool:
    """Return whether the current user may be the person who asked for a second one."""
    return is_same_person(person_of(request), actor_in(asked, "created_by"))
