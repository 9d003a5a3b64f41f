"""The one-time token of a confirm page: signed, bound to who sees what, and the key of its transaction.

However often a page is submitted there is one operation: the key is in the token, and the database holds a
key once. A page that was opened before something changed says so instead of acting.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.core import signing
from django.utils.translation import gettext as _

_SALT = "wallet_gateway.admin.confirm"
LIVES_SECONDS = 3600


class StalePage(Exception):
    """The page is not one that this person may act on now; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """What a confirm page was made for."""

    key: str
    """The idempotency key of the transaction."""
    available: int
    """Minor units that were left when the page was made."""


def issue(*made_for: object, person: str, available: int) -> str:
    """Return the token of a new page, made for one thing, one person and what is left now."""
    return signing.dumps(
        [f"page-{secrets.token_urlsafe(16)}", person, *map(str, made_for), available], salt=_SALT
    )


def read(token: str, *made_for: object, person: str) -> Ticket:
    """Return what a token says; raises `StalePage` for one of another page, person or time."""
    try:
        key, *found, available = signing.loads(token, salt=_SALT, max_age=LIVES_SECONDS)
    except (signing.BadSignature, TypeError, ValueError) as error:
        raise StalePage(_("This page is too old or was changed on its way. Look at it again.")) from error
    if found != [person, *map(str, made_for)]:
        raise StalePage(_("This page was made for somebody or something else. Look at it again."))
    return Ticket(key=key, available=available)
