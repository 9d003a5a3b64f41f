"""The one-time token of a confirm page: signed, bound to who sees what, and the key of the intent it makes.

However often a page is submitted there is one operation: the key is in the token, and the database holds a
key once. A page that was opened before something changed says so instead of acting.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.core import signing
from django.utils.translation import gettext as _

from wallet_gateway.admin.operating import Operation
from wallet_gateway.models import Payment

_SALT = "wallet_gateway.admin.confirm"
LIVES_SECONDS = 3600


class StalePage(Exception):
    """The page is not one that this person may act on now; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """What a confirm page was made for."""

    key: str
    """The idempotency key of the intent."""
    available: int
    """Minor units that were left when the page was made."""


def issue(operation: Operation, payment: Payment, *, person: str) -> str:
    """Return the token of a new page."""
    available = operation.available_of(payment).minor_units
    return signing.dumps(
        [f"page-{secrets.token_urlsafe(16)}", person, payment.pk, operation.slug, available], salt=_SALT
    )


def read(token: str, operation: Operation, payment: Payment, *, person: str) -> Ticket:
    """Return what a token says; raises `StalePage` for one of another page, person or time."""
    try:
        key, *made_for, available = signing.loads(token, salt=_SALT, max_age=LIVES_SECONDS)
    except (signing.BadSignature, TypeError, ValueError) as error:
        raise StalePage(_("This page is too old or was changed on its way. Look at it again.")) from error
    if made_for != [person, payment.pk, operation.slug]:
        raise StalePage(_("This page was made for somebody or something else. Look at it again."))
    return Ticket(key=key, available=available)
