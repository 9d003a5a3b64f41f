"""What pages show of an order: its money added up and its story in order of time, in few statements."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.db import IntegrityError
from django.db import transaction as db_transaction

from tests.explanations import commented
from wallet_gateway import payments
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import PaymentOrder, TransactionEvent
from wallet_gateway.protocol.money import Money
from wallet_gateway.queries.orders import TimelineKind, order_summary, order_timeline
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def order_of(amount: str, sandbox: SandboxControl, *, outcome: str = "success") -> PaymentOrder:
    order = payments.create_order(
        reference=f"SUM-{amount}", currency="EUR", amount=Decimal(amount), type="preauthorization"
    )
    attempt = payments.start_checkout(order)
    sandbox.complete_checkout(attempt.reference, outcome)
    return payments.reconcile(attempt)


def euros(text: str) -> Money:
    return Money.parse(text, "EUR")


def test_an_order_is_added_up_to_the_cent(wallet_sandbox: SandboxControl) -> None:
    order = order_of("30.00", wallet_sandbox)
    payments.capture(order, Decimal("20.00"))
    payments.refund(order, Decimal("7.50"))

    summary = order_summary(PaymentOrder.objects.get(pk=order.pk))

    assert summary.state is OrderState.PART_REFUNDED
    assert summary.amount == euros("30.00")
    assert summary.authorized == euros("30.00")
    assert summary.captured == euros("20.00")
    assert summary.refunded == euros("7.50")
    assert summary.reserved.minor_units == 0
    assert summary.open_attempt is None


def test_what_is_under_way_is_shown_apart(wallet_sandbox: SandboxControl) -> None:
    order = order_of("30.00", wallet_sandbox)
    wallet_sandbox.fault("capture", "status_before", status=500)
    payments.capture(order, Decimal("20.00"))

    summary = order_summary(PaymentOrder.objects.get(pk=order.pk))

    assert summary.captured.minor_units == 0
    assert summary.reserved == euros("20.00")


def test_the_story_is_told_from_the_order_to_the_refund(wallet_sandbox: SandboxControl) -> None:
    order = order_of("30.00", wallet_sandbox)
    payments.capture(order, Decimal("20.00"))
    payments.refund(order, Decimal("7.50"), reason_code="damaged", comment="a chip in the rim")

    story = order_timeline(order)

    assert [str(entry.text) for entry in story] == [
        "Order created",
        "Payment page requested",
        "Payment page opened",
        "Payment approved",
        "Capture requested",
        "Capture approved",
        "Refund requested",
        "Refund approved",
    ]
    assert story[0].kind is TimelineKind.ORDERED
    assert story[-1].amount == euros("7.50")
    assert (story[-2].reason_code, story[-2].detail) == ("damaged", "a chip in the rim")
    assert story[-1].reason_code == ""
    assert [entry.occurred_at for entry in story] == sorted(entry.occurred_at for entry in story)


def test_staff_are_told_also_what_moved_nothing_who_did_it_and_by_which_row(
    wallet_sandbox: SandboxControl,
) -> None:
    order = order_of("30.00", wallet_sandbox)
    transaction = payments.capture(order, Decimal("20.00"), by="anna")
    row = TransactionEvent.objects.create(
        transaction=transaction, kind="RECORDS", state_after="APPROVED", occurred_at=transaction.created_at
    )

    story = order_timeline(order, everything=True)

    assert "Gateway asked, nothing new" in [str(entry.text) for entry in story]
    assert row in [entry.subject for entry in story]
    assert row not in [entry.subject for entry in order_timeline(order)]
    assert [entry.by for entry in story if entry.text == "Capture requested"] == ["anna"]


def test_no_words_of_one_person_read_like_the_consent_of_a_second(wallet_sandbox: SandboxControl) -> None:
    order = order_of("30.00", wallet_sandbox)
    transaction = payments.capture(order, Decimal("20.00"), by="anna")
    words = "agreed to by a second person: looks fine"
    TransactionEvent.objects.create(
        transaction=transaction,
        kind="DECISION",
        lifecycle_event="ABANDONED",
        state_after="ABANDONED",
        **commented(words),
        created_by="anna",
        occurred_at=transaction.created_at,
    )

    (told,) = [entry for entry in order_timeline(order) if entry.detail == words]

    assert "second person" not in str(told.text)
    with pytest.raises(IntegrityError), db_transaction.atomic():
        TransactionEvent.objects.create(
            transaction=transaction,
            kind="APPROVAL",
            state_after="APPROVED",
            occurred_at=transaction.created_at,
        )
