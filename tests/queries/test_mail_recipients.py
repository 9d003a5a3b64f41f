"""Who waits for a mail: only who was told to wait for an attempt to pay, and has an address."""

from __future__ import annotations

import pytest

from tests.models.rows import NOW, a_payment, a_transaction, an_order
from wallet_gateway.models import TransactionEvent
from wallet_gateway.queries.mail_recipients import address_of, unknown_outcomes

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


@pytest.mark.parametrize(
    ("kind", "state", "waited"),
    [
        ("CHECKOUT", "UNKNOWN", True),
        ("CHECKOUT", "PENDING", True),
        ("AUTHORIZATION", "UNKNOWN", True),
        ("CHECKOUT", "OPEN", False),
        ("CHECKOUT", "APPROVED", False),
        ("CAPTURE", "UNKNOWN", False),
        ("REFUND", "PENDING", False),
    ],
)
def test_customers_wait_for_attempts_to_pay_alone(kind: str, state: str, waited: bool) -> None:
    order = an_order()
    transaction = a_transaction(a_payment(order), kind=kind)
    TransactionEvent.objects.create(transaction=transaction, kind="FAULT", state_after=state, occurred_at=NOW)
    assert unknown_outcomes(order) == waited


@pytest.mark.parametrize(
    ("content", "address"),
    [
        ({"checkoutDetails": {"cardholderEmail": "ada@example.com"}}, "ada@example.com"),
        ({"checkoutDetails": {"cardholderEmail": None}}, ""),
        ({"checkoutDetails": {}}, ""),
        ({}, ""),
        *(
            ({"checkoutDetails": {"cardholderEmail": none}}, "")
            for none in ("@", "a@b.example, c@d.example", "a@b.example\nBcc: c@d.example", "a b@c.example")
        ),
    ],
)
def test_the_address_is_the_orders_own(content: dict[str, object], address: str) -> None:
    assert address_of(an_order(content=content)) == address
