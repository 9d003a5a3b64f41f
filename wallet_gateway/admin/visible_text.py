"""Message bodies as the admin can safely show them: formatted, with invisible characters escaped."""

from __future__ import annotations

import re

from django.core.exceptions import ImproperlyConfigured

from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.models import Payment
from wallet_gateway.payments import follow_ups
from wallet_gateway.payments.errors import OperationRefused
from wallet_gateway.protocol.cart import ShoppingCart
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import visible

MAX_BODY_LENGTH = 20_000
"""Maximum number of characters shown of one message body."""

_JSON_PART = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\],:]|[^\s"{}\[\],:]++')
_INDENT = "  "


def visible_body(text: str) -> str:
    """Return a message body formatted in lines, with invisible characters escaped."""
    shown = visible(text, max_length=MAX_BODY_LENGTH)
    return _indented(shown) if shown[:1] in {"{", "["} else shown


def visible_request(
    payment: Payment, kind: TransactionKind, amount: Money, *, cart: ShoppingCart | None = None
) -> str:
    """Return the request body that an operation would send; empty if it could not be sent as things are."""
    try:
        return visible_body(follow_ups.preview(payment, kind, amount, cart=cart))
    except (ImproperlyConfigured, OperationRefused):
        return ""


def _indented(text: str) -> str:
    """Break JSON into lines without parsing it: apart from whitespace, the text shown is the text sent."""
    written: list[str] = []
    depth = 0
    for part in _JSON_PART.findall(text):
        if part in "}]":
            depth = max(depth - 1, 0)
            written.append("\n" + _INDENT * depth)
        written.append(part)
        if part in "{[":
            depth += 1
        if part in "{[,":
            written.append("\n" + _INDENT * depth)
        elif part == ":":
            written.append(" ")
    return "".join(written)
