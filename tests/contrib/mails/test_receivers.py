"""Mails from facts: to whom, in which language, once, and told again when the mail server is away."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from importlib import import_module
from typing import Any

import django
import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.dispatch import Signal
from pytest_django import Settings

from tests.models.rows import NOW, a_deposit, a_payment, a_transaction, an_order
from tests.support.tables import every
from wallet_gateway import signals
from wallet_gateway.contrib.mails.apps import MailsConfig
from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.models import (
    Discrepancy,
    GatewayPause,
    GatewayTransaction,
    PauseCode,
    PaymentOrder,
    TransactionEvent,
)
from wallet_gateway.protocol.money import Money

pytestmark = pytest.mark.django_db
ANNA = "anna@shop.example"


@pytest.fixture(autouse=True)
def _listening(settings: Settings) -> None:
    # Names went out of this setting with Django 6.
    settings.MANAGERS = [ANNA if django.VERSION >= (6, 0) else ("Anna", ANNA)]
    MailsConfig("wallet_gateway.contrib.mails", import_module("wallet_gateway.contrib.mails.apps")).ready()


def wait_for(order: PaymentOrder, kind: str) -> None:
    """Let a customer have waited for the outcome of an attempt."""
    transaction = a_transaction(a_payment(order), kind=kind)
    TransactionEvent.objects.create(
        transaction=transaction, kind="FAULT", state_after="UNKNOWN", occurred_at=NOW
    )


def ordered(**columns: Any) -> PaymentOrder:
    content = {"checkoutDetails": {"cardholderEmail": "ada@example.com"}}
    order = an_order(**{"order_number": "A-1001", "language": "en", "content": content} | columns)
    wait_for(order, "CHECKOUT")
    return order


def tell(signal: Signal, order: PaymentOrder | None, event_id: str = "event-1", **more: Any) -> list[Any]:
    """Tell a fact as the outbox does; return the failures of the receivers."""
    told = {"reference": order.reference if order else "", "amount": Money(Decimal("20.00"), "EUR")}
    told |= {"event_id": event_id, "order": order, "occurred_at": NOW} | more
    return [answer for _, answer in signal.send_robust(PaymentOrder, **told) if answer is not None]


EVENTS = [
    (signals.order_paid, "Your order A-1001 is paid after all", "20.00"),
    (signals.order_authorized, "Your order A-1001 is paid after all", "20.00"),
    (signals.order_failed, "Your order A-1001 is not paid", "nothing was charged"),
    (signals.order_expired, "Your order A-1001 is not paid", "nothing was charged"),
    (signals.order_released, "Your order A-1001 is not paid", "can no longer be paid"),
    (signals.order_refunded, "Refund for your order A-1001", "20.00"),
]


@pytest.mark.parametrize(("signal", "subject", "words"), EVENTS)
def test_each_event_becomes_one_mail_to_the_customer(signal: Signal, subject: str, words: str) -> None:
    order = ordered()
    for _ in range(2):
        assert tell(signal, order) == []
    (message,) = mail.outbox
    assert (message.to, message.subject) == (["ada@example.com"], f"TEST: {subject}")
    assert words in message.body
    assert "This is a test. No real money moves." in message.body


def test_a_mail_about_real_money_says_nothing_of_a_test(settings: Settings) -> None:
    given = settings.WALLET_GATEWAY
    account = {key: value for key, value in given["GATEWAYS"]["default"].items() if key != "WALLET"}
    live = account | {"PROFILE": "prod", "BASE_URL": "https://gateway.example"}
    live |= {"MERCHANT_ID": "M-1", "STORE_ID": "S-1"}
    public = {"PUBLIC_ORIGIN": "https://shop.example", "GATEWAYS": {"default": live}}
    settings.WALLET_GATEWAY = given | public
    tell(signals.order_refunded, ordered())
    (message,) = mail.outbox
    assert "test" not in f"{message.subject} {message.body}".lower()


TOLD_ONCE = [
    (signals.order_authorized, signals.order_paid),  # captured after it was authorized
    (signals.order_failed, signals.order_released),  # who was not charged hears no more of a cancelled order
    (signals.order_failed, signals.order_expired),  # a button that ends unused after an attempt
]


@pytest.mark.parametrize(("first", "second"), TOLD_ONCE, ids=["captured", "cancelled", "unused"])
def test_what_follows_from_a_fact_is_no_second_mail(first: Signal, second: Signal) -> None:
    order = ordered()
    tell(first, order)
    tell(second, order, "event-2")
    assert len(mail.outbox) == 1
    wait_for(order, "AUTHORIZATION")
    tell(signals.order_failed, order, "event-3")
    assert len(mail.outbox) == 2, "another attempt that was waited for"


LANGUAGES = {"de": "Erstattung", "de-AT": "Erstattung", "fr": "Remboursement", "es": "Reembolso"}


@every(("language", "words"), [*LANGUAGES.items(), ("ar", "استرداد"), ("tlh", "Refund"), ("", "Refund")])
def test_the_mail_is_in_the_customers_language(language: str, words: str) -> None:
    tell(signals.order_refunded, ordered(language=language))
    assert words in mail.outbox[-1].subject


def test_what_a_customer_may_have_written_is_no_header_and_no_entity() -> None:
    tell(signals.order_refunded, ordered(order_number="A & B\nBcc: all@example.com"))
    assert mail.outbox[0].subject == "TEST: Refund for your order A & B Bcc: all@example.com"
    assert mail.outbox[0].recipients() == ["ada@example.com"]


def test_a_mail_server_that_is_away_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise ConnectionRefusedError

    order = ordered()
    with monkeypatch.context() as patched:
        patched.setattr(EmailBackend, "send_messages", away)
        assert [type(error) for error in tell(signals.order_refunded, order)] == [ConnectionRefusedError]
    assert tell(signals.order_refunded, order) == []
    assert len(mail.outbox) == 1


# What managers hear


NOON = datetime(2026, 5, 11, 12, 0, tzinfo=UTC)
PAUSED = {"gateway": "default", "reason": "looks odd"}
TO_MANAGERS: list[tuple[Signal, dict[str, object], str, str]] = [
    (
        signals.authorization_expiring,
        {"order": None, "payment": None, "reference": "SHOP-1", "expires_at": NOON, "policy": "ask"},
        "SHOP-1",
        "€20.00",
    ),
    (
        signals.sending_paused,
        PAUSED | {"until": NOON, "code": PauseCode.UNIT_MIX_UP, "by": ""},
        "Nothing is sent to default until May 11, 2026, 12:00 PM",
        "amounts are mixed up by a factor of ten or more: looks odd",
    ),
    (
        signals.sending_paused,
        PAUSED | {"until": None, "code": None, "by": "anna"},
        "Nothing is sent to default until somebody resumes sending",
        "Stopped by anna: looks odd",
    ),
]


@pytest.mark.parametrize(("signal", "given", "subject", "words"), TO_MANAGERS)
def test_managers_hear_of_an_authorization_that_lapses_and_of_a_pause(
    signal: Signal, given: dict[str, object], subject: str, words: str, settings: Settings
) -> None:
    settings.TIME_ZONE = "UTC"
    if "order" in given:
        given = given | {"order": an_order()}
    amount = Money(Decimal("20.00"), "EUR")
    assert [failure for _, failure in signal.send_robust(GatewayPause, **{"amount": amount} | given)] == [
        None
    ]
    (message,) = mail.outbox
    assert (message.to, subject in message.subject) == ([ANNA], True)
    assert words in message.body


def test_managers_read_once_of_each_order_that_waits_for_their_decision() -> None:
    order = an_order(reference="SHOP-7", state="FROZEN")
    payment = a_payment(order)
    why = {"explanation_code": "executed_twice", "explanation_params": {"ids": "G-1, G-2"}}
    Discrepancy.objects.create(
        kind="EXECUTED_TWICE", fingerprint="one", gateway="default", payment=payment, found_at=NOW, **why
    )
    for event_id in ("event-1", "event-1", "event-2"):
        assert tell(signals.order_anomaly, order, event_id) == []
    message, _second = mail.outbox
    assert (message.to, "Order SHOP-7 waits for your decision: Frozen" in message.subject) == ([ANNA], True)
    assert message.body.startswith("Executed twice: Approved records: G-1, G-2")
    assert "before you have looked at the order" in message.body


def refuse(transaction: GatewayTransaction, order: PaymentOrder | None, event_id: str = "event-1") -> None:
    """Tell that an operation was refused afterwards."""
    kind = TransactionKind(transaction.kind)
    told = {"amount": transaction.amount, "kind": kind, "transaction": transaction}
    assert tell(signals.operation_refused, order, event_id, explanation="no funds \u202e", **told) == []


@pytest.mark.parametrize(
    ("state", "kind", "words"),
    [
        ("REJECTED", TransactionKind.REFUND, "The gateway has refused it."),
        ("ABANDONED", TransactionKind.CAPTURE, "It was given up."),
    ],
)
def test_managers_read_once_what_was_refused_afterwards(
    state: str, kind: TransactionKind, words: str
) -> None:
    transaction = a_transaction(kind=kind, state=state)
    order = transaction.payment.order if transaction.payment else None
    for _ in range(2):
        refuse(transaction, order)
    (message,) = mail.outbox
    assert message.to == [ANNA]
    assert f"TEST: {kind.capitalize()} of €5.00 was not carried out: {order}" in message.subject
    for text in (words, "no funds \\u202e", transaction.reference):
        assert text in message.body


def test_managers_read_of_a_detached_refund_by_the_earlier_payment() -> None:
    deposit, kind = a_deposit(), TransactionKind.DETACHED_REFUND
    transaction = a_transaction(kind=kind, state="REJECTED", payment=None, deposit=deposit)
    for event_id in ("event-1", "event-1", "event-2"):
        refuse(transaction, None, event_id)
    assert len(mail.outbox) == 2
    assert str(deposit) in mail.outbox[0].subject
