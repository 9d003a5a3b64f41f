"""The columns of a transition: written only to the row as it was read, and what a page's first end needs."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.operations.conftest import Pay, VirtualClock
from wallet_gateway.domain.lifecycle import LifecycleEvent, TransactionState
from wallet_gateway.domain.outcomes import INCONCLUSIVE
from wallet_gateway.models import GatewayTransaction, TransactionEventKind
from wallet_gateway.models.settlement_writes import SettlementRows, write_settlement
from wallet_gateway.operations.settlement.counters import NOTHING
from wallet_gateway.operations.settlement.status_updates import StatusUpdate
from wallet_gateway.operations.settlement.transaction_columns import provider_id_columns, transaction_change

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState
REFUSED = StatusUpdate(kind=TransactionEventKind.RECORDS, event=LifecycleEvent.REJECTED)


def write(transaction: GatewayTransaction, update: StatusUpdate, clock: VirtualClock) -> bool:
    """Write the columns of an open page's update; return whether the page was still open."""
    change = transaction_change(
        transaction, update, before=S.OPEN, booking=NOTHING, now=clock.now(), jitter=0
    )
    return write_settlement(SettlementRows(transaction=change))


def test_a_new_state_is_written_with_its_first_query_and_not_over_anothers(
    open_page: Pay, clock: VirtualClock
) -> None:
    transaction = open_page().opening
    transaction.state = S.REJECTED
    assert write(transaction, REFUSED, clock)
    stored = GatewayTransaction.objects.get()
    assert (stored.state, stored.state_changed_at) == (S.REJECTED, clock.now())
    assert stored.next_query_at == clock.now() + timedelta(minutes=5)
    assert not write(transaction, REFUSED, clock)
    GatewayTransaction.objects.update(state=S.OPEN)


def test_the_gateways_wish_to_be_asked_later_is_kept(open_page: Pay, clock: VirtualClock) -> None:
    transaction = open_page().opening
    transaction.state = S.PENDING
    later = clock.now() + timedelta(minutes=7)
    held = replace(REFUSED, event=LifecycleEvent.HELD, query_not_before=later)
    assert write(transaction, held, clock)
    assert GatewayTransaction.objects.get().next_query_at == later
    GatewayTransaction.objects.update(state=S.OPEN)


def test_a_providers_id_is_cut_to_its_column() -> None:
    assert provider_id_columns(INCONCLUSIVE) == {}
    found = replace(INCONCLUSIVE, provider_transaction_id="P" * 200)
    assert provider_id_columns(found) == {"provider_transaction_id": "P" * 128}
