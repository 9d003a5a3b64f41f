"""Show a request body without its secrets: before it is sent, and while it waits to be sent."""

from __future__ import annotations

from wallet_gateway.client.redaction import redact_text
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.models import Payment
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.capture_refund_reverse import request_of
from wallet_gateway.protocol.cart import ShoppingCart

NOT_YET = "made-when-it-is-sent"
"""Placeholder for the reference, which is created together with the transaction."""


def preview(
    payment: Payment,
    kind: TransactionKind,
    minor: int,
    *,
    context: GatewayContext,
    cart: ShoppingCart | None = None,
) -> str:
    """Return the body that a capture, refund or reversal of `minor` units would send, redacted."""
    message = request_of(payment, kind, minor, reference=NOT_YET, context=context, cart=cart)
    return redact_text(message.to_json())


@sensitive_variables()
def shown_body(body: str) -> str:
    """Return a stored body redacted for display: one that may still be sent is stored unredacted.

    :param body: JSON as text, such as `transaction.request_body`; may be empty.
    :returns: the same without its secrets.
    """
    return redact_text(body) if body else ""
