"""Receivers of the plugin's signals: an event becomes one mail. If sending fails, it is retried later.

Customers get four mails: paid after all, not paid and cancelled, if they were asked to wait, and refunded.
The waiting page promises these mails (see `web.pages.mails_result`), so every end of a wait is reported. The
shop's managers (Django's `MANAGERS`) get a mail about an order that waits for their decision, about
authorizations that expire, about an operation that was refused after the call that made it had returned, and
when sending to a gateway is paused or resumed.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.core.mail import mail_managers, send_mail
from django.db.models import Model
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _

from wallet_gateway import gateways, signals
from wallet_gateway.contrib.mails.once import send_once
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.states import OrderState, TransactionKind, TransactionState
from wallet_gateway.formats import format_datetime, format_money
from wallet_gateway.models import Discrepancy, GatewayTransaction, PauseCode, Payment, PaymentOrder, SentMail
from wallet_gateway.models.fields import label_of
from wallet_gateway.models.maintenance import is_test_row
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import header_line, visible
from wallet_gateway.reports.attempts import unknown_outcomes
from wallet_gateway.reports.receipts import address_of


def connect() -> None:
    """Connect the receivers to the plugin's signals; repeated calls still send each mail once."""
    for name, signal, receiver in (
        ("authorized", signals.order_authorized, tell_paid_after_all),
        ("paid", signals.order_paid, tell_paid_after_all),
        ("failed", signals.order_failed, tell_not_paid),
        ("expired", signals.order_expired, tell_not_paid),
        ("released", signals.order_released, tell_cancelled),
        ("refunded", signals.order_refunded, tell_refunded),
        ("anomaly", signals.order_anomaly, tell_managers_of_anomaly),
        ("operation_refused", signals.operation_refused, tell_managers_of_refusal),
        ("authorization_expiring", signals.authorization_expiring, tell_managers),
        ("sending_paused", signals.sending_paused, tell_managers_of_pause),
        ("sending_resumed", signals.sending_resumed, tell_managers_of_resumption),
    ):
        signal.connect(receiver, dispatch_uid=f"wallet_gateway.contrib.mails.{name}", weak=False)


def tell_paid_after_all(order: PaymentOrder, amount: Money | None, **_kwargs: Any) -> None:
    """Write to a customer who was asked to wait that the payment went through.

    Sent once per order: a capture after the authorization is no news to the customer.
    """
    if unknown_outcomes(order):
        _write("paid", order, "", amount)


def tell_not_paid(order: PaymentOrder, event_id: str, amount: Money | None, **_kwargs: Any) -> None:
    """Write to a customer who was asked to wait that nothing was charged, once for each such attempt."""
    if unknown_outcomes(order) > SentMail.objects.filter(order=order, template="not_paid").count():
        _write("not_paid", order, event_id, amount)


def tell_cancelled(order: PaymentOrder, **_kwargs: Any) -> None:
    """Write to a customer who was asked to wait, and heard nothing since, that the order is not paid."""
    is_told = SentMail.objects.filter(order=order, template__in=_RESULTS).exists()
    if unknown_outcomes(order) and not is_told:
        _write("cancelled", order, "", None)


_RESULTS = ("paid", "not_paid")
"""The mails that say what became of a payment."""


def tell_refunded(order: PaymentOrder, event_id: str, amount: Money | None, **_kwargs: Any) -> None:
    """Write to a customer which amount was refunded."""
    _write("refunded", order, event_id, amount)


def tell_managers(
    reference: str, payment: Payment, amount: Money, expires_at: datetime, **_kwargs: Any
) -> None:
    """Write to the shop's managers that an authorization expires soon."""
    words = {"reference": reference, "ends": format_datetime(expires_at)}
    subject = _("Order %(reference)s: an authorization ends on %(ends)s") % words
    text = _("%(amount)s of it can be captured until then, and not afterwards.")
    mail_managers(*_mail(payment, subject, text % {"amount": format_money(amount)}))


def tell_managers_of_anomaly(order: PaymentOrder, event_id: str, **_kwargs: Any) -> None:
    """Write to the shop's managers that an order waits for their decision, with all that contradicts."""
    words = {"reference": order.reference, "state": label_of(OrderState(order.state))}
    subject = _("Order %(reference)s waits for your decision: %(state)s") % words
    open_ones = Discrepancy.objects.filter(payment__order=order, closed_at=None).order_by("pk")
    why = [visible(f"{label_of(DiscrepancyKind(one.kind))}: {one.explanation}") for one in open_ones]
    todo = _("Ship nothing, and give nothing back, before you have looked at the order in the admin.")
    mail = _mail(order, subject, "\n".join([*why, todo]))
    send_once(order, "anomaly", lambda: mail_managers(*mail), event_id=event_id)


def tell_managers_of_refusal(
    event_id: str,
    kind: TransactionKind,
    amount: Money,
    transaction: GatewayTransaction,
    explanation: str,
    **_kwargs: Any,
) -> None:
    """Write to the shop's managers that an operation was refused after the call that made it had returned."""
    payment, deposit = transaction.payment, transaction.deposit
    of = payment.order.reference if payment is not None else str(deposit)
    words = {"kind": label_of(kind), "amount": format_money(amount), "name": of}
    subject = _("%(kind)s of %(amount)s was not carried out: %(name)s") % words
    given_up = transaction.state == TransactionState.ABANDONED
    what = _("It was given up.") if given_up else _("The gateway has refused it.")
    todo = _("It was asked for before: tell who relies on it, and mark it as seen in the admin.")
    why = visible(explanation)
    mail = _mail(transaction, subject, f"{what}\n{why}\n\n{todo}\n{_('Reference')}: {transaction.reference}")
    order = payment.order if payment is not None else None
    send_once(order, "operation_refused", lambda: mail_managers(*mail), event_id=event_id)


def tell_managers_of_pause(
    gateway: str, until: datetime | None, code: PauseCode | None, by: str, reason: str, **_kwargs: Any
) -> None:
    """Write to the shop's managers that nothing new is sent to a gateway, until when and why."""
    ends = format_datetime(until) if until else ""
    end = _("until %(end)s") % {"end": ends} if ends else _("until somebody resumes sending")
    words = {"gateway": gateway, "end": end}
    who = _("Stopped by %(name)s") % {"name": by} if code is None else str(code.label)
    sentence = _("Customers cannot pay, and nothing is captured, refunded or reversed %(end)s.") % words
    subject = _("Nothing is sent to %(gateway)s %(end)s") % words
    why = ": ".join(filter(None, (who, reason)))
    mail_managers(*_mail(gateway, subject, f"{visible(why)}\n\n{sentence}"))


def tell_managers_of_resumption(gateway: str, by: str, reason: str, **_kwargs: Any) -> None:
    """Write to the shop's managers that a person has resumed sending to a gateway."""
    why = ": ".join(filter(None, (by, reason)))
    subject = _("Sending to %(gateway)s goes on") % {"gateway": gateway}
    mail_managers(*_mail(gateway, subject, visible(why)))


def _write(template: str, order: PaymentOrder, event_id: str, amount: Money | None) -> None:
    """Send a mail once for each event; once for the order where `event_id` is empty."""
    if address := address_of(order):
        send_once(order, template, lambda: _send(template, order, address, amount), event_id=event_id)


def _send(template: str, order: PaymentOrder, address: str, amount: Money | None) -> None:
    try:
        language = translation.get_supported_language_variant(order.language)
    except LookupError:
        # The shop's default language.
        language = translation.get_language()
    with translation.override(language):
        money = format_money(amount) if amount else ""
        given = {"number": header_line(order.order_number or order.reference), "amount": money}
        text = render_to_string(f"wallet_gateway/mails/{template}.txt", given).strip()
        subject, _rest, body = text.partition("\n")
        subject, body = _mail(order, subject, body.strip())
    send_mail(subject, body, None, [address])


def _mail(about: Model | str, subject: str, body: str) -> tuple[str, str]:
    """Return subject and body of a mail; one about a test says in both that no real money moves.

    :param about: a row, or the alias of a gateway.
    """
    is_test = gateways.is_test(about) if isinstance(about, str) else is_test_row(about, gateways.is_test)
    if not is_test:
        return header_line(subject), f"{body}\n"
    return f"{_('TEST')}: {header_line(subject)}", f"{body}\n\n{_('This is a test. No real money moves.')}\n"
