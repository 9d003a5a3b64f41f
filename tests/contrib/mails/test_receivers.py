"""Mails from facts: to whom, in which language, once, and told again when the mail server is away."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from smtplib import SMTPRecipientsRefused
from typing import Any

import django
import pytest
from django.core import mail
from django.dispatch import Signal
from pytest_django import Settings

from tests.models.rows import NOW, a_deposit, a_payment, a_transaction, an_order
from wallet_gateway import gateways, signals
from wallet_gateway.contrib.mails import receivers
from wallet_gateway.contrib.mails.apps import MailsConfig
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.models import (
    GatewayPause,
    GatewayTransaction,
    PauseCode,
    PaymentOrder,
    TransactionEvent,
)
from wallet_gateway.protocol.money import Money

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _listening() -> None:
    MailsConfig("wallet_gateway.contrib.mails", __import__("wallet_gateway.contrib.mails.apps")).ready()


def ordered(*, waited: bool = True, language: str = "en", **columns: Any) -> PaymentOrder:
    content = {"checkoutDetails": {"cardholderEmail": "ada@example.com"}}
    order = an_order(**{"order_number": "A-1001", "language": language, "content": content} | columns)
    transaction = a_transaction(a_payment(order), kind="CHECKOUT")
    state = "UNKNOWN" if waited else "OPEN"
    TransactionEvent.objects.create(transaction=transaction, kind="FAULT", state_after=state, occurred_at=NOW)
    return order


def tell(signal: Signal, order: PaymentOrder, event_id: str = "event-1") -> list[Any]:
    answers = signal.send_robust(
        PaymentOrder,
        event_id=event_id,
        reference=order.reference,
        order=order,
        amount=Money(Decimal("20.00"), "EUR"),
        occurred_at=NOW,
    )
    return [answer for _, answer in answers if isinstance(answer, Exception)]


@pytest.mark.parametrize(
    ("signal", "subject", "words"),
    [
        (signals.order_paid, "Your order A-1001 is paid after all", "20.00"),
        (signals.order_authorized, "Your order A-1001 is paid after all", "20.00"),
        (signals.order_failed, "Your order A-1001 is not paid", "nothing was charged"),
        (signals.order_expired, "Your order A-1001 is not paid", "nothing was charged"),
        (signals.order_released, "Your order A-1001 is not paid", "can no longer be paid"),
        (signals.order_refunded, "Refund for your order A-1001", "20.00"),
    ],
)
def test_each_event_becomes_one_mail_to_the_customer(signal: Signal, subject: str, words: str) -> None:
    order = ordered()
    assert tell(signal, order) == []
    assert tell(signal, order) == [], "told twice"
    (message,) = mail.outbox
    assert (message.to, message.subject) == (["ada@example.com"], f"TEST: {subject}")
    assert words in message.body


@pytest.mark.parametrize(("profile", "marked"), [("test", True), ("prod", False)])
def test_a_mail_says_when_no_real_money_moves(
    profile: str, marked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateways, "is_test", lambda alias: alias == "default" and profile == "test")
    tell(signals.order_refunded, ordered())
    (message,) = mail.outbox
    assert message.subject.startswith("TEST: ") is marked
    assert ("This is a test. No real money moves." in message.body) is marked


def test_what_is_authorized_and_then_captured_is_told_once() -> None:
    order = ordered()
    tell(signals.order_authorized, order, "event-1")
    tell(signals.order_paid, order, "event-2")
    assert len(mail.outbox) == 1


def test_who_has_heard_already_that_nothing_was_charged_hears_no_more_of_a_cancelled_order() -> None:
    order = ordered()
    tell(signals.order_failed, order)
    tell(signals.order_released, order, "event-2")
    assert len(mail.outbox) == 1


def test_a_button_that_ends_unused_after_an_attempt_that_was_waited_for_is_no_second_mail() -> None:
    order = ordered()
    tell(signals.order_failed, order)
    tell(signals.order_expired, order, "event-2")
    assert len(mail.outbox) == 1
    second = a_transaction(a_payment(order), kind="AUTHORIZATION")
    TransactionEvent.objects.create(transaction=second, kind="FAULT", state_after="UNKNOWN", occurred_at=NOW)
    tell(signals.order_failed, order, "event-3")
    assert len(mail.outbox) == 2


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", "Erstattung"),
        ("de-AT", "Erstattung"),
        ("fr", "Remboursement"),
        ("es", "Reembolso"),
        ("ar", "استرداد"),
        ("tlh", "Refund"),
        ("", "Refund"),
    ],
)
def test_the_mail_is_in_the_customers_language(language: str, words: str) -> None:
    tell(signals.order_refunded, ordered(language=language))
    assert words in mail.outbox[0].subject


def test_what_a_customer_may_have_written_is_no_header_and_no_entity() -> None:
    tell(signals.order_refunded, ordered(order_number="A & B\nBcc: all@example.com"))
    assert mail.outbox[0].subject == "TEST: Refund for your order A & B Bcc: all@example.com"
    assert mail.outbox[0].recipients() == ["ada@example.com"]


def test_a_mail_server_that_is_away_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    order = ordered()

    def away(*_: object) -> None:
        raise ConnectionRefusedError

    with monkeypatch.context() as patched:
        patched.setattr(receivers, "send_mail", away)
        assert [type(error) for error in tell(signals.order_refunded, order)] == [ConnectionRefusedError]
    assert tell(signals.order_refunded, order) == []
    assert len(mail.outbox) == 1


@pytest.mark.parametrize(("code", "failures"), [(550, 0), (450, 1)])
def test_an_address_that_the_mail_server_refuses_for_good_is_not_tried_again(
    code: int, failures: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise SMTPRecipientsRefused({"ada@example.com": (code, b"no such user")})

    monkeypatch.setattr(receivers, "send_mail", refused)
    assert len(tell(signals.order_refunded, ordered())) == failures


def test_managers_hear_of_an_authorization_that_lapses(settings: Settings) -> None:
    anna = "anna@shop.example"
    # Names went out of this setting with Django 6.
    settings.MANAGERS = [anna if django.VERSION >= (6, 0) else ("Anna", anna)]
    signals.authorization_expiring.send_robust(
        PaymentOrder,
        reference="SHOP-1",
        order=an_order(),
        payment=None,
        amount=Money(Decimal("15.00"), "EUR"),
        expires_at=datetime(2026, 5, 11, 12, 0, tzinfo=UTC),
        policy="ask",
    )
    (message,) = mail.outbox
    assert message.to == ["anna@shop.example"]
    assert "SHOP-1" in message.subject
    assert "€15.00" in message.body


@pytest.mark.parametrize(
    ("until", "code", "by", "subject", "why"),
    [
        (
            datetime(2026, 5, 11, 12, 0, tzinfo=UTC),
            PauseCode.UNIT_MIX_UP,
            "",
            "Nothing is sent to default until May 11, 2026, 12:00 PM",
            "amounts are mixed up by a factor of ten or more: looks odd",
        ),
        (
            None,
            None,
            "anna",
            "Nothing is sent to default until somebody resumes sending",
            "Stopped by anna: looks odd",
        ),
    ],
)
def test_managers_hear_of_a_pause(
    until: datetime | None, code: PauseCode | None, by: str, subject: str, why: str, settings: Settings
) -> None:
    anna = "anna@shop.example"
    settings.MANAGERS, settings.TIME_ZONE = [anna if django.VERSION >= (6, 0) else ("Anna", anna)], "UTC"
    told = {"gateway": "default", "until": until, "code": code, "by": by, "reason": "looks odd"}
    assert [failure for _, failure in signals.sending_paused.send_robust(GatewayPause, **told)] == [None]
    (message,) = mail.outbox
    assert message.subject.endswith(subject)
    assert why in message.body


# An operation that was refused afterwards


@pytest.mark.parametrize(
    ("state", "kind", "words"),
    [
        ("REJECTED", TransactionKind.REFUND, "The gateway has refused it."),
        ("ABANDONED", TransactionKind.CAPTURE, "It was given up."),
    ],
)
def test_managers_read_once_what_was_refused_afterwards(
    state: str, kind: TransactionKind, words: str, settings: Settings
) -> None:
    settings.MANAGERS = [("Anna", "anna@shop.example")] if django.VERSION < (6, 0) else ["anna@shop.example"]
    transaction = a_transaction(kind=kind, state=state)
    order = transaction.payment.order if transaction.payment else None
    for _ in range(2):
        refuse(transaction, order)
    (message,) = mail.outbox
    assert message.to == ["anna@shop.example"]
    assert f"TEST: {kind.capitalize()} of €5.00 was not carried out: {order}" in message.subject
    for text in (words, "no funds \\u202e", transaction.reference):
        assert text in message.body


def test_managers_read_of_a_detached_refund_by_the_earlier_payment(settings: Settings) -> None:
    settings.MANAGERS = [("Anna", "anna@shop.example")] if django.VERSION < (6, 0) else ["anna@shop.example"]
    deposit = a_deposit()
    transaction = a_transaction(
        kind=TransactionKind.DETACHED_REFUND, state="REJECTED", payment=None, deposit=deposit
    )
    for event_id in ("event-1", "event-1", "event-2"):
        refuse(transaction, None, event_id)
    assert len(mail.outbox) == 2
    assert str(deposit) in mail.outbox[0].subject


def refuse(transaction: GatewayTransaction, order: PaymentOrder | None, event_id: str = "event-1") -> None:
    answers = signals.operation_refused.send_robust(
        PaymentOrder,
        event_id=event_id,
        reference=order.reference if order else "",
        order=order,
        amount=transaction.amount,
        kind=TransactionKind(transaction.kind),
        transaction=transaction,
        explanation="no funds \u202e",
    )
    assert [answer for _, answer in answers if isinstance(answer, Exception)] == []
