"""Keyed hashes of e-mail addresses, by which orders are found without a readable address in an index.

The key is derived from the project's `FERNET_KEYS`, or from `SECRET_KEY` without any. A search tries all of
them; `manage.py wallet_rotate_keys` computes the stored hashes again with the first one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Model, Q, QuerySet
from django.utils.crypto import salted_hmac

from wallet_gateway import conf
from wallet_gateway.domain.people import folded_email

Columns = Callable[[Mapping[str, Any]], dict[str, str | None]]
"""A function that returns the hashes of a row by the names of their columns."""

SALT = "wallet_gateway.email"


def hashes_of(address: str) -> list[str]:
    """Return the hash of an address under each key, the newest first; none if nothing is left of it."""
    folded = folded_email(address)
    keys = conf.settings().email_keys if folded else ()
    return [
        (_mark(key) + salted_hmac(SALT, folded, secret=key, algorithm="sha256").hexdigest())[:_LENGTH]
        for key in keys
    ]


def hashed_before(model: type[Model], columns: Columns) -> QuerySet[Any]:
    """Return the rows of a model in which one of the columns has a hash under another key than the newest."""
    mark = _mark(conf.settings().email_keys[0])
    # Two ranges of each index; a hexadecimal digit sorts before "g".
    outside = (Q(**{f"{name}__lt": mark}) | Q(**{f"{name}__gt": f"{mark}g"}) for name in columns({}))
    return model._default_manager.filter(reduce(or_, outside))


_LENGTH = 64


def _mark(key: str | bytes) -> str:
    """Return the beginning of all hashes under a key; it says nothing of the key."""
    return salted_hmac(SALT, "", secret=key, algorithm="sha256").hexdigest()[:8]


def columns_of_order(content: Mapping[str, Any]) -> dict[str, str | None]:
    """Return the hashes of the addresses of an order's customer and of its recipient."""
    details, addresses = content.get("checkoutDetails") or {}, content.get("addressDetails") or {}
    recipient = addresses.get("shippingAddress") or {}
    return {
        "email_hash": _newest(details.get("cardholderEmail")),
        "recipient_email_hash": _newest(recipient.get("email")),
    }


def columns_of_wallet(given: Mapping[str, Any]) -> dict[str, str | None]:
    """Return the hash of the address that a wallet gave."""
    return {"email_hash": _newest(given.get("email"))}


def _newest(address: object) -> str | None:
    return next(iter(hashes_of(str(address or ""))), None)
