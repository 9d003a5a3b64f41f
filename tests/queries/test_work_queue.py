"""What waits for a person: each kind of work apart, the oldest first, in eleven statements."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.models.rows import NOW, a_deposit, a_payment, a_transaction, an_order
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import OrderState, PaymentState, TransactionState
from wallet_gateway.models import Discrepancy
from wallet_gateway.queries.work_queue import MOST_SHOWN, waiting

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
EXPIRES_FROM = {"default": NOW}


def a_difference(kind: str, **columns: Any) -> Discrepancy:
    given: dict[str, Any] = {"gateway": "default", "found_at": NOW, "fingerprint": kind}
    return Discrepancy.objects.create(kind=kind, **given | columns)


def test_outcomes_that_nobody_knows_come_the_oldest_first() -> None:
    late = a_transaction(state=TransactionState.UNKNOWN, state_changed_at=NOW)
    early = a_transaction(state=TransactionState.UNKNOWN, state_changed_at=NOW - timedelta(hours=1))
    found = waiting(EXPIRES_FROM, now=NOW)
    assert found.unknown == (early, late)
    assert not found.is_empty


def test_contradictions_and_what_is_stuck_are_told_apart() -> None:
    anomaly = a_transaction(state=TransactionState.ANOMALY, needs_operator=True)
    unsent = a_transaction(state=TransactionState.NOT_SENT, needs_operator=True)
    pending = a_transaction(state=TransactionState.PENDING, needs_operator=True)
    page = a_transaction(state=TransactionState.OPEN, needs_operator=True)
    a_transaction(state=TransactionState.NOT_SENT)
    a_transaction(state=TransactionState.OPEN)
    found = waiting(EXPIRES_FROM, now=NOW)
    assert found.anomalies == (anomaly,)
    assert found.stuck == (unsent, pending, page)
    assert found.unknown == ()


def test_an_order_that_was_paid_more_than_once_waits_for_a_person() -> None:
    order = an_order(state=OrderState.OVERPAID)
    an_order(state=OrderState.PAID)
    found = waiting(EXPIRES_FROM, now=NOW)
    assert found.overpaid == (order,)
    assert not found.is_empty


def test_a_refund_approved_short_is_a_task_of_its_own() -> None:
    short = a_difference(DiscrepancyKind.REFUND_SHORT, deposit=a_deposit())
    other = a_difference(DiscrepancyKind.MADE_ELSEWHERE)
    found = waiting(EXPIRES_FROM, now=NOW)
    assert (found.shortfalls, found.discrepancies) == ((short,), (other,))


def test_however_many_differences_there_are_those_of_the_other_kind_are_seen() -> None:
    for number in range(MOST_SHOWN + 5):
        a_difference(DiscrepancyKind.MADE_ELSEWHERE, fingerprint=str(number))
    short = a_difference(DiscrepancyKind.REFUND_SHORT, deposit=a_deposit())
    found = waiting(EXPIRES_FROM, now=NOW)
    assert (len(found.discrepancies), found.shortfalls) == (MOST_SHOWN + 1, (short,))


def test_authorizations_lapse_by_the_window_of_their_gateway() -> None:
    held: dict[str, Any] = {
        "type": "preauthorization",
        "state": PaymentState.AUTHORIZED,
        "authorized": 2000,
    }
    old = a_payment(an_order(), **held, created_at=NOW - timedelta(days=6))
    a_payment(an_order(), **held, created_at=NOW - timedelta(days=4))
    a_payment(an_order(gateway="patient"), **held, created_at=NOW - timedelta(days=6))
    a_payment(an_order(), state=PaymentState.PAID, created_at=NOW - timedelta(days=6))
    days = {"default": NOW - timedelta(days=5), "patient": NOW - timedelta(days=20)}
    assert waiting(days, now=NOW).expiring == (old,)
    assert waiting({}, now=NOW).expiring == ()


def test_a_closed_wallet_button_waits_for_a_week_while_its_order_may_be_paid() -> None:
    closed = {"wallet_closed_at": NOW, "wallet_limit": "RESULTS"}
    order = an_order(**closed)
    an_order(state=OrderState.PAID, **closed)
    found = waiting(EXPIRES_FROM, now=NOW)
    assert (found.closed_buttons, found.is_empty) == ((order,), False)
    assert waiting(EXPIRES_FROM, now=NOW + timedelta(days=7)).is_empty
