"""Receivers of our own signals: a fact becomes a mail, once. One that cannot be sent is told again later.

Customers hear three things: paid after all and not paid, where they were told to wait, and refunded. The
shop's managers (Django's `MANAGERS`) hear of authorisations that lapse.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.core.mail import mail_managers, send_mail
from django.template.loader import render_to_string
from django.utils import formats, translation
from django.utils.translation import gettext as _

from wallet_gateway import signals, wiring
from wallet_gateway.domain.lifecycle import IntentState
from wallet_gateway.models import Evidence, PaymentOrder, WorkMark
from wallet_gateway.protocol.money import Money
from wallet_gateway.templatetags.money_display import format_money

_MADE_TO_WAIT = (IntentState.UNKNOWN, IntentState.PENDING)


def connect() -> None:
    """Listen to our own signals; however often it is called, each mail is sent once."""
    for name, signal, receiver in (
        ("paid", signals.order_paid, tell_paid_after_all),
        ("failed", signals.order_failed, tell_not_paid),
        ("refunded", signals.order_refunded, tell_refunded),
        ("ending", signals.authorisation_ending, tell_managers),
    ):
        signal.connect(receiver, dispatch_uid=f"wallet_gateway.contrib.mails.{name}", weak=False)


def tell_paid_after_all(order: PaymentOrder, fact_id: str, amount: Money | None, **_kwargs: Any) -> None:
    """Write to a customer who was told to wait that the payment went through."""
    if _was_made_to_wait(order):
        _write("paid", order, fact_id, amount)


def tell_not_paid(order: PaymentOrder, fact_id: str, amount: Money | None, **_kwargs: Any) -> None:
    """Write to a customer who was told to wait that nothing was charged."""
    if _was_made_to_wait(order):
        _write("not_paid", order, fact_id, amount)


def tell_refunded(order: PaymentOrder, fact_id: str, amount: Money | None, **_kwargs: Any) -> None:
    """Write to a customer what was given back."""
    _write("refunded", order, fact_id, amount)


def tell_managers(reference: str, amount: Money, ends_at: datetime, **_kwargs: Any) -> None:
    """Write to the shop's managers that an authorisation lapses soon."""
    ends = formats.date_format(ends_at, "DATETIME_FORMAT")
    subject = _("Order %(reference)s: an authorisation ends on %(ends)s") % {
        "reference": _one_line(reference),
        "ends": ends,
    }
    text = _("%(amount)s of it can be captured until then, and not afterwards.") % {"amount": amount}
    mail_managers(subject, text)


def _was_made_to_wait(order: PaymentOrder) -> bool:
    waited = Evidence.objects.filter(intent__payment__order=order, state_after__in=_MADE_TO_WAIT)
    return waited.exists()


def _write(what: str, order: PaymentOrder, fact_id: str, amount: Money | None) -> None:
    address = order.content.get("checkoutDetails", {}).get("cardholderEmail")
    name = f"mail:{fact_id}"
    if not address or WorkMark.objects.filter(name=name).exists():
        return
    with translation.override(_language(order)):
        money = format_money(amount) if amount else ""
        given = {"number": _one_line(order.order_number or order.reference), "amount": money}
        text = render_to_string(f"wallet_gateway/mails/{what}.txt", given).strip()
    subject, _rest, body = text.partition("\n")
    send_mail(_one_line(subject), body.strip() + "\n", None, [address])
    # Marked afterwards: a mail that comes twice is better than one that never comes.
    WorkMark.set_once(name, now=wiring.clock().now())


def _language(order: PaymentOrder) -> str | None:
    try:
        return translation.get_supported_language_variant(order.language)
    except LookupError:
        # The shop's own.
        return translation.get_language()


def _one_line(text: str) -> str:
    """Return a text as it can stand in a header."""
    return " ".join(text.split())
