"""What needs attention: the states that are polled are those that nothing else ends."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.models.rows import NOW, a_transaction
from wallet_gateway.domain.lifecycle import FINAL_STATES, TransactionKind, TransactionState
from wallet_gateway.domain.polling_schedule import QueryPriority, query_priority
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.queries.attention import NOT_FINAL_STATES, POLLED_STATES, left_to_person, unattended

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
K, S = TransactionKind, TransactionState


def found() -> bool:
    return GatewayTransaction.objects.filter(unattended(NOW)).exists()


@pytest.mark.parametrize("state", sorted(TransactionState))
def test_what_is_queried_for_ever_is_what_is_missed_without_a_next_query(state: TransactionState) -> None:
    row = a_transaction(state=state)
    is_urgent = query_priority(row.poll_state) is QueryPriority.UNFINISHED
    assert (state in POLLED_STATES) == is_urgent
    GatewayTransaction.objects.update(next_query_at=None)
    assert found() == is_urgent


@pytest.mark.parametrize("state", sorted({*FINAL_STATES, S.ANOMALY}))
def test_what_has_ended_or_is_shown_as_a_contradiction_may_wait_without_an_instant(
    state: TransactionState,
) -> None:
    a_transaction(state=state, state_changed_at=NOW - timedelta(days=9), next_query_at=None)
    assert not found()


@pytest.mark.parametrize(
    ("kind", "column"), [(K.CHECKOUT, "expires_at"), (K.REFUND, "next_send_at"), (K.CAPTURE, "next_send_at")]
)
def test_what_never_left_is_missed_by_the_instant_of_its_kind(kind: TransactionKind, column: str) -> None:
    a_transaction(kind=kind, state=S.NOT_SENT)
    assert not found()
    GatewayTransaction.objects.update(**{column: None})
    assert found()
    GatewayTransaction.objects.update(needs_operator=True)
    assert not found(), "a person is asked"


def test_a_card_that_never_left_and_a_row_that_nobody_claims_are_missed_after_an_hour() -> None:
    for kind, state in ((K.AUTHORIZATION, S.NOT_SENT), (K.CAPTURE, S.CREATED)):
        GatewayTransaction.objects.all().delete()
        row = a_transaction(kind=kind, state=state, next_send_at=None, expires_at=None)
        assert not found()
        row.state_changed_at = NOW - timedelta(minutes=61)
        row.save()
        assert found()


@pytest.mark.parametrize("state", sorted(TransactionState))
def test_only_what_has_not_ended_is_left_to_a_person(state: TransactionState) -> None:
    a_transaction(state=state, needs_operator=True)
    assert GatewayTransaction.objects.filter(left_to_person()).exists() == (state not in FINAL_STATES)
    assert (state in NOT_FINAL_STATES) == (state not in FINAL_STATES)
