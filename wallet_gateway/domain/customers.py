"""Whether two orders are of two customers, as far as the shop's rows can tell. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

_IDENTIFYING_FIELDS = {
    "cardholderId": "customer",
    "cardholderEmail": "email",
    "cardholderMobilePhone": "phone",
    "cardholderHomePhone": "phone",
    "cardholderWorkPhone": "phone",
    "cardholderNationalIdentificationNumber": "national id",
}
"""Fields of checkout details that tell one customer from another. Names do not: they are shared."""
_COSTLESS = frozenset({"session", "account"})
"""What costs nothing to have twice: a browser drops its cookie, or creates a second payment account."""

Identifiers = frozenset[tuple[str, str]]
"""What is known of an order's customer: pairs of a kind and a value in one spelling."""


def identifiers_of(
    details: Mapping[str, Any],
    *,
    emails: Iterable[str] = (),
    sessions: Iterable[str] = (),
    accounts: Iterable[str] = (),
) -> Identifiers:
    """Return what identifies a customer in an order's checkout details and in its wallet attempts."""
    fields = _IDENTIFYING_FIELDS.items()
    given = [(kind, _plain(kind, str(details.get(name) or ""))) for name, kind in fields]
    given += [("email", _plain("email", email)) for email in emails]
    given += [("session", session) for session in sessions]
    given += [("account", account) for account in accounts]
    return frozenset((kind, value) for kind, value in given if value)


def is_same_email(one: object, other: object) -> bool:
    """Return whether two values are one e-mail address, in any letter case and any composition of accents.

    An address of ASCII is never the same as another one: a few letters beyond it have such small letters.
    """
    ours, theirs = str(one), str(other)
    return ours.isascii() == theirs.isascii() and _folded(ours) == _folded(theirs)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower()


def are_two_customers(one: Identifiers, other: Identifiers) -> bool:
    """Return whether two orders are known to be of different customers.

    Both must be known by more than a session, and share nothing. A customer of whom the shop knows nothing
    may be any other.
    """
    return _is_known(one) and _is_known(other) and not one & other


def _is_known(identifiers: Identifiers) -> bool:
    return any(kind not in _COSTLESS for kind, _value in identifiers)


def _plain(kind: str, text: str) -> str:
    """Return a value in one spelling: an address without its `+tag`, a phone number by its digits."""
    text = text.strip().casefold()
    if kind == "phone":
        return "".join(filter(str.isdigit, text))
    if kind != "email":
        return text
    name, at, host = text.rpartition("@")
    return f"{name.partition('+')[0]}{at}{host}"
