"""Sends a mail once, however often the event that it reports is delivered."""

from __future__ import annotations

import logging
from collections.abc import Callable
from smtplib import SMTPDataError, SMTPRecipientsRefused

from wallet_gateway import gateways
from wallet_gateway.models import PaymentOrder, SentMail

logger = logging.getLogger("wallet_gateway.mails")

_PERMANENT = 500
"""SMTP codes from here on are permanent errors: trying again is useless."""


def send_once(
    order: PaymentOrder | None, template: str, send: Callable[[], object], *, event_id: str = ""
) -> None:
    """Call `send` unless it was called before for this event, or for the order where `event_id` is empty.

    `order` is None for an event that belongs to no order.
    """
    once = {"order": order, "template": template, "event_id": event_id}
    if SentMail.objects.filter(**once).exists():
        return
    try:
        send()
    except (SMTPRecipientsRefused, SMTPDataError) as refused:
        if not _is_for_good(refused):
            raise
        # A retry would keep the event overdue for ever and deliver it to all other receivers each time.
        kind = type(refused).__name__
        about = f"order {order.reference}" if order is not None else event_id
        logger.warning("the mail server takes no mail %r about %s: %s", template, about, kind)
    # Recorded after sending: a mail that is sent twice is better than one that is never sent.
    SentMail.objects.get_or_create(**once, defaults={"sent_at": gateways.clock().now()})


def _is_for_good(refused: SMTPRecipientsRefused | SMTPDataError) -> bool:
    """Return whether a server never takes this mail, for its address or for its content.

    What it refuses before, such as the connection, the log-in or the sender, is the shop's own to mend, and
    then the mail can be sent.
    """
    if isinstance(refused, SMTPDataError):
        return refused.smtp_code >= _PERMANENT
    return all(code >= _PERMANENT for code, _said in refused.recipients.values())
