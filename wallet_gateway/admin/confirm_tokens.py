"""What a page of the admin was made for, signed; of a confirm page with the key of its transaction.

However often a confirm page is submitted, there is one operation: its token contains the key, and the
database stores a key only once. A page that was opened before something changed reports this instead of
executing.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core import signing
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway.formats import format_money
from wallet_gateway.protocol.money import Money

_SALT = "wallet_gateway.admin.confirm"
LIFETIME_SECONDS = 3600
"""How long a page, or the check of a file, can be submitted."""
TOO_OLD = gettext_lazy("This page is too old or was changed on its way. Look at it again.")


class StalePage(Exception):
    """Report that the user must not act on this page now; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """What a confirm page was created for."""

    key: str
    """The idempotency key of the transaction."""
    available: int
    """Minor units available when the page was created."""


def issue(*made_for: object, person: str, available: int) -> str:
    """Return the token of a new page for one subject, one user and the amount available now."""
    return sign([f"page-{secrets.token_urlsafe(16)}", person, *map(str, made_for), available], salt=_SALT)


def read(token: str, *made_for: object, person: str) -> Ticket:
    """Return the content of a token; raise `StalePage` if it is for another page or user, or expired."""
    try:
        key, *found, available = signed(token, salt=_SALT)
    except (TypeError, ValueError) as error:
        raise StalePage(TOO_OLD) from error
    if found != [person, *map(str, made_for)]:
        raise StalePage(_("This page was made for somebody or something else. Look at it again."))
    return Ticket(key=key, available=available)


def sign(content: Sequence[object], *, salt: str) -> str:
    """Return what a page was made for as a text that it carries; `salt` names the kind of page."""
    return signing.dumps(content, salt=salt)


def signed(token: str, *, salt: str) -> Any:  # noqa: ANN401 - of the shape that was signed
    """Return what was signed for a page of this kind; raise `StalePage` if it is forged or too old."""
    try:
        return signing.loads(token, salt=salt, max_age=LIFETIME_SECONDS)
    except signing.BadSignature as error:
        raise StalePage(TOO_OLD) from error


def changed_since(available: Money) -> str:
    """Return the message for a page that shows another available amount than there is now."""
    words = _("Meanwhile something has changed: there are now %(available)s. Look at it again.")
    return words % {"available": format_money(available)}
