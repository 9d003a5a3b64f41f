"""Who waits for a mail: only who was told to wait for an attempt to pay, and has an address."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import mail

from tests.models.rows import NOW, a_payment, a_transaction, an_order
from tests.support.tables import every
from wallet_gateway import signals
from wallet_gateway.contrib.mails.apps import MailsConfig
from wallet_gateway.models import TransactionEvent
from wallet_gateway.protocol.money import Money

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def recipients(
    *, email: object = "ada@example.com", kind: str = "CHECKOUT", state: str = "UNKNOWN"
) -> list[str]:
    """Return who is told that an order failed one of whose transactions was in a state."""
    MailsConfig.create("wallet_gateway.contrib.mails.apps.MailsConfig").ready()
    order = an_order(content={"checkoutDetails": {"cardholderEmail": email}} if email else {})
    transaction = a_transaction(a_payment(order), kind=kind)
    TransactionEvent.objects.create(transaction=transaction, kind="FAULT", state_after=state, occurred_at=NOW)
    told: dict[str, Any] = {"event_id": "1", "amount": Money.parse("20.00", "EUR"), "occurred_at": NOW}
    signals.order_failed.send(None, reference=order.reference, order=order, **told)
    sent = [address for message in mail.outbox for address in message.recipients()]
    mail.outbox.clear()
    return sent


@every(
    ("kind", "state", "waited"),
    [
        *((kind, state, True) for kind in ("CHECKOUT", "AUTHORIZATION") for state in ("UNKNOWN", "PENDING")),
        *((kind, state, False) for kind in ("CAPTURE", "REFUND") for state in ("UNKNOWN", "PENDING")),
        *(("CHECKOUT", state, False) for state in ("OPEN", "APPROVED")),
    ],
)
def test_customers_wait_for_attempts_to_pay_alone(kind: str, state: str, waited: bool) -> None:
    assert recipients(kind=kind, state=state) == ["ada@example.com"] * waited


@every(
    "email",
    [None, "", "@", "a@b.example, c@d.example", "a@b.example\nBcc: c@d.example", "a b@c.example"],
)
def test_what_is_no_address_is_sent_nothing(email: object) -> None:
    assert recipients(email=email) == []
