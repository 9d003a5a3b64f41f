"""Whether two orders are of two customers, as far as the shop's rows can tell. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_MARKS = {
    "cardholderId": "customer",
    "cardholderEmail": "email",
    "cardholderMobilePhone": "phone",
    "cardholderHomePhone": "phone",
    "cardholderWorkPhone": "phone",
    "cardholderNationalIdentificationNumber": "national id",
}
"""Fields of checkout details that tell one customer from another. Names do not: they are shared."""
_FREE = frozenset({"session", "account"})
"""Marks that cost nothing to have twice: a browser that drops its cookie, or creates a second account."""

Marks = frozenset[tuple[str, str]]
"""What is known of an order's customer: pairs of a kind and a value in one spelling."""


def marks_of(
    details: Mapping[str, Any],
    *,
    emails: Iterable[str] = (),
    sessions: Iterable[str] = (),
    accounts: Iterable[str] = (),
) -> Marks:
    """Return the marks of a customer: from an order's checkout details, and from its wallet attempts."""
    given = [(kind, _plain(kind, str(details.get(name) or ""))) for name, kind in _MARKS.items()]
    given += [("email", _plain("email", email)) for email in emails]
    given += [("session", session) for session in sessions]
    given += [("account", account) for account in accounts]
    return frozenset(mark for mark in given if mark[1])


def are_two_customers(one: Marks, other: Marks) -> bool:
    """Return whether two orders are known to be of different customers.

    Both must be known by more than a session, and share nothing. A customer of whom the shop knows nothing
    may be any other.
    """
    return _is_known(one) and _is_known(other) and not one & other


def _is_known(marks: Marks) -> bool:
    return any(kind not in _FREE for kind, _value in marks)


def _plain(kind: str, text: str) -> str:
    """Return a value in one spelling: an address without its `+tag`, a phone number by its digits."""
    text = text.strip().casefold()
    if kind == "phone":
        return "".join(filter(str.isdigit, text))
    if kind != "email":
        return text
    name, at, host = text.rpartition("@")
    return f"{name.partition('+')[0]}{at}{host}"
