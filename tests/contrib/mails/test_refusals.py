"""Mails that a mail server refuses: given up if it is about the mail, tried again if the shop can mend it."""

from __future__ import annotations

import smtplib

import pytest

from tests.contrib.mails.mail_server import mail_server
from tests.models.rows import an_order
from wallet_gateway.contrib.mails.once import send_once
from wallet_gateway.models import PaymentOrder, SentMail

pytestmark = pytest.mark.django_db
ADDRESS = "ada@example.com"


def send(port: int) -> None:
    """Send a mail as Django's backend does: connect, log in, hand it over."""
    with smtplib.SMTP("127.0.0.1", port, local_hostname="shop.example", timeout=30) as connection:
        connection.login("shop", "secret")
        connection.sendmail("shop@example.com", [ADDRESS], b"Subject: Refund\r\n\r\n20.00 EUR\r\n")


def send_over(order: PaymentOrder, **refusals: str) -> None:
    """Send the mail of an event through a server that refuses at these steps."""
    with mail_server(**refusals) as server:
        send_once(order, "refunded", lambda: send(server.port), event_id="event-1")


@pytest.mark.parametrize(
    "refusals",
    [
        {"RCPT": "550 5.1.1 no such user"},
        {"content": "554 5.7.1 looks like spam"},
        {"DATA": "554 5.5.1 no valid recipients"},
    ],
    ids=["address", "content", "before the content"],
)
def test_a_mail_that_is_refused_for_good_is_not_tried_again(
    refusals: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    order = an_order()
    send_over(order, **refusals)
    assert SentMail.objects.filter(order=order).exists()
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("wallet_gateway.mails", "WARNING")
    assert f"about order {order.reference}" in record.getMessage()
    assert ADDRESS not in caplog.text


@pytest.mark.parametrize(
    "refusals",
    [
        {"RCPT": "450 4.2.1 try later"},
        {"content": "451 4.3.0 try later"},
        {"DATA": "421 4.3.2 going down"},
        {"AUTH": "535 5.7.8 wrong password"},
        {"MAIL": "550 5.7.1 no such sender"},
        {"welcome": "554 5.7.1 your address is blocked"},
        {"EHLO": "550 no", "HELO": "550 no"},
    ],
    ids=["address", "content", "closing", "log-in", "sender", "connection", "greeting"],
)
def test_what_passes_or_is_the_shops_own_fault_is_loud_and_tried_again(refusals: dict[str, str]) -> None:
    order = an_order()
    with pytest.raises(smtplib.SMTPException):
        send_over(order, **refusals)
    assert not SentMail.objects.exists()
    send_over(order)
    assert SentMail.objects.get().order == order
