"""Check what a template passes to a tag or filter, and say which tag it was and what to pass.

A tag that gets something else raises: a page without its button would be noticed late. A filter follows
Django's convention: None and an undefined variable become nothing, the latter with a line in the log.
"""

from __future__ import annotations

import logging
from datetime import date, datetime

from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import quote

logger = logging.getLogger("wallet_gateway.templates")


class WrongArgument(TypeError):
    """A tag or filter was given a value of a wrong type; the message names it and says what to pass."""


def check_order(tag: str, value: object) -> None:
    """Raise `WrongArgument` for anything that is no `PaymentOrder`."""
    if isinstance(value, PaymentOrder):
        return
    if isinstance(value, Payment):
        cure = "Pass `payment.order`."
    elif value == "" or value is None:
        cure = "Pass what `payments.create_order` returned to the template's context, by this name."
    else:
        cure = "Pass what `payments.create_order` or `payments.get_order(reference)` returns."
    raise WrongArgument(f"{{% {tag} %}} needs a PaymentOrder, but {_given(value)}. {cure}")


def check_name(tag: str, name: object, known: tuple[str, ...]) -> None:
    """Raise `WrongArgument` for a name that no file of the plugin has."""
    if name not in known:
        choices = " or ".join(f'"{choice}"' for choice in known)
        raise WrongArgument(f"{{% {tag} %}} needs {choices}, but {_given(name)}.")


_CURES: dict[type, str] = {
    Money: 'Pass `order.amount`, or `Money(amount, "EUR")`: it has a currency',
    date: "Pass a date or a datetime",
    datetime: "Pass a datetime, or write a day with `wallet_date`",
}


def is_given(name: str, value: object, kind: type) -> bool:
    """Return whether a filter has a value of a type to write; raise `WrongArgument` for another type."""
    if isinstance(value, kind):
        return True
    if value == "":
        logger.warning("{{ …|%s }} wrote nothing: its variable is undefined or empty", name)
    elif value is not None:
        needed = f"needs a {kind.__name__}, but {_given(value)}. {_CURES[kind]}."
        raise WrongArgument(f"{{{{ …|{name} }}}} {needed}")
    return False


def _given(value: object) -> str:
    if value == "":
        return "its variable is undefined or empty"
    if value is None or isinstance(value, str):
        return f"it was given {quote(value)}"
    return f"it was given a value of type {type(value).__name__}"
