"""Buttons that a page showed and nobody used: said once, however often the page was loaded."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.models.rows import NOW, a_payment, a_transaction, a_wallet_attempt, an_order
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.models import GatewayTransaction, PaymentOrder, TransactionEvent, TransactionEventKind
from wallet_gateway.queries.orders import TimelineEntry, order_timeline
from wallet_gateway.queries.unused_sessions import is_idle, is_unused

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def a_button(
    order: PaymentOrder, *events: str, minutes: int = 0, results_count: int = 0, **columns: Any
) -> GatewayTransaction:
    at = NOW + timedelta(minutes=minutes)
    given = {"kind": TransactionKind.AUTHORIZATION, "state": TransactionState.AWAITING_RESULT} | columns
    number = order.payments.count() + 1
    transaction = a_transaction(a_payment(order, number=number), created_at=at, **given)
    reports = [{"at": at.isoformat(), "event": event, "detail": ""} for event in events]
    a_wallet_attempt(transaction, events=reports, results_count=results_count)
    return transaction


def expired(transaction: GatewayTransaction) -> None:
    TransactionEvent.objects.create(
        transaction=transaction,
        kind=TransactionEventKind.LEASE_ENDED,
        lifecycle_event="EXPIRED",
        state_after=TransactionState.EXPIRED,
        occurred_at=NOW + timedelta(hours=2),
    )


def told(entries: tuple[TimelineEntry, ...]) -> list[tuple[str, str]]:
    return [(str(entry.text), entry.detail) for entry in entries[1:]]


def test_a_page_that_was_loaded_three_times_is_one_entry_at_the_last_of_them() -> None:
    order = an_order()
    for minutes, event in enumerate(("READY", "UNAVAILABLE", "READY")):
        button = a_button(order, event, minutes=minutes, state=TransactionState.EXPIRED)
        expired(button)

    entries = order_timeline(order, everything=True)

    words = "Wallet button shown (3 times, this is the last)"
    counted = "Wallet button ready: 2, Wallet not available in the browser: 1"
    assert told(entries) == [(words, counted)]
    assert (entries[1].occurred_at, entries[1].reference) == (NOW + timedelta(minutes=2), button.reference)
    assert told(order_timeline(order)) == [(words, "")]


def test_what_a_customer_did_with_a_button_is_told_beside_those_that_were_left_alone() -> None:
    order = an_order()
    a_button(order, "READY")
    a_button(order, "READY", "CLOSED", minutes=1)
    a_button(order, "READY", minutes=2)

    assert [words for words, _ in told(order_timeline(order))] == [
        "Wallet button shown",
        "Wallet sheet closed",
        "Wallet button shown (2 times, this is the last)",
    ]


@pytest.mark.parametrize(
    ("columns", "unused", "idle"),
    [
        ({}, True, True),
        ({"state": TransactionState.EXPIRED}, True, True),
        ({"state": TransactionState.ANOMALY}, False, False),
        ({"state": TransactionState.SENDING}, False, False),
        ({"state": TransactionState.REJECTED}, False, False),
        ({"results_count": 1}, False, False),
    ],
    ids=["waiting", "expired", "anomaly", "sending", "declined", "with a card"],
)
def test_only_a_button_that_nothing_came_of_is_left_out(
    columns: dict[str, Any], unused: bool, idle: bool
) -> None:
    button = a_button(an_order(), "READY", **columns)
    assert (is_unused(button), is_idle(button)) == (unused, idle)


def test_a_button_whose_sheet_was_closed_is_unused_and_not_idle() -> None:
    button = a_button(an_order(), "CLOSED")
    assert (is_unused(button), is_idle(button)) == (True, False)
