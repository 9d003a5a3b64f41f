"""Who is written a mail: only who was told to wait for an attempt to pay, and has an address."""

from __future__ import annotations

from decimal import Decimal
from importlib import import_module

import pytest
from django.core import mail

from tests.models.rows import NOW, a_payment, a_transaction, an_order
from wallet_gateway import signals
from wallet_gateway.contrib.mails.apps import MailsConfig
from wallet_gateway.models import PaymentOrder, TransactionEvent
from wallet_gateway.payments import Money

pytestmark = pytest.mark.django_db
ADA = "ada@example.com"
NO_ADDRESSES = (None, "@", "a@b.example, c@d.example", "a@b.example\nBcc: c@d.example", "a b@c.example")


@pytest.mark.parametrize(
    ("kind", "state", "email", "is_written_to"),
    [
        ("CHECKOUT", "UNKNOWN", ADA, True),
        ("CHECKOUT", "PENDING", ADA, True),
        ("AUTHORIZATION", "UNKNOWN", ADA, True),
        ("CHECKOUT", "OPEN", ADA, False),
        ("CHECKOUT", "APPROVED", ADA, False),
        ("CAPTURE", "UNKNOWN", ADA, False),
        ("REFUND", "PENDING", ADA, False),
        *(("CHECKOUT", "UNKNOWN", none, False) for none in NO_ADDRESSES),
    ],
)
def test_a_customer_who_waits_for_an_attempt_to_pay_is_written_to_at_the_orders_own_address(
    kind: str, state: str, email: str | None, is_written_to: bool
) -> None:
    MailsConfig("wallet_gateway.contrib.mails", import_module("wallet_gateway.contrib.mails")).ready()
    order = an_order(content={"checkoutDetails": {"cardholderEmail": email}})
    transaction = a_transaction(a_payment(order), kind=kind)
    TransactionEvent.objects.create(transaction=transaction, kind="FAULT", state_after=state, occurred_at=NOW)
    told = {"event_id": "e", "reference": order.reference, "order": order, "occurred_at": NOW}
    signals.order_failed.send_robust(PaymentOrder, amount=Money(Decimal("20.00"), "EUR"), **told)
    assert [message.to for message in mail.outbox] == [[email]] * is_written_to
