"""Which status updates need no transaction, because they write nothing but the settlement's own rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from django.db.models import F

from tests.operations.conftest import VirtualClock
from tests.operations.records import record
from tests.operations.settlement.rows import WHY, a_page, approval, update
from tests.tables import every
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import LifecycleEvent, TransactionKind, TransactionState
from wallet_gateway.domain.outcomes import FoundDiscrepancy
from wallet_gateway.models import GatewayTransaction, MigratedDeposit, Payment, PaymentOrder
from wallet_gateway.models.checkout_writes import PreparedWrite
from wallet_gateway.models.settlement_writes import SettlementRows, write_settlement
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.settlement import settle as settlement
from wallet_gateway.operations.settlement.settle import settle
from wallet_gateway.operations.settlement.status_updates import StatusUpdate
from wallet_gateway.protocol.status import StatusRecord, UnreadableRecord

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S, E, K = TransactionState, LifecycleEvent, TransactionKind
QUERIED = {S.OPEN, S.AWAITING_3DS, S.PENDING, S.UNKNOWN, S.APPROVED, S.EXPIRED}
STATUS = replace(approval(2000), queried_in=S.OPEN)


def a_checkout(order: PaymentOrder | None = None, **columns: Any) -> GatewayTransaction:
    """A page over 20.00 that is not stored."""
    payment = Payment(order=order or PaymentOrder(), type="sale", amount_minor=2000)
    given = {"kind": K.CHECKOUT, "state": S.OPEN, "amount_minor": 2000, "payment": payment}
    return GatewayTransaction(**given | {"currency": "EUR", "reference": "REF-1"} | columns)


def finding(**given: Any) -> StatusUpdate:
    return replace(STATUS, finding=replace(STATUS.finding, **given))


OTHER = StatusRecord.from_wire(record(a_checkout(), "5.00", id="g9", type="ecom.refund"))
UNREADABLE = UnreadableRecord(
    id="g9", type=None, client_system_transaction_id=None, complaint="odd", fingerprint="f"
)


@every("state", sorted(S))
def test_only_from_the_states_that_are_queried_can_no_discrepancy_come(state: TransactionState) -> None:
    assert settlement.is_plain(a_checkout(state=state), STATUS) is (state in QUERIED)


@every(
    ("told", "is_plain"),
    [
        (STATUS, True),
        (replace(STATUS, event=None), True),
        (finding(amount=None), True),
        (finding(amount=2000), True),
        (finding(amount=2001), True),
        (finding(amount=1999), False),
        (replace(STATUS, queried_in=None), False),
        (replace(STATUS, also=lambda: None), False),
        (
            finding(discrepancies=(FoundDiscrepancy(kind=DiscrepancyKind.EXECUTED_TWICE, explanation=WHY),)),
            False,
        ),
        (finding(unreadable=(UNREADABLE,)), False),
        (finding(elsewhere=(OTHER,)), False),
        (finding(unknown_types=(OTHER,)), False),
    ],
)
def test_what_may_be_a_discrepancy_or_writes_something_else_needs_a_transaction(
    told: StatusUpdate, is_plain: bool
) -> None:
    assert bool(settlement.is_plain(a_checkout(), told)) is is_plain


def test_follow_ups_deposits_and_cancelled_orders_need_a_transaction(clock: VirtualClock) -> None:
    assert settlement.is_plain(a_checkout(kind=K.AUTHORIZATION), STATUS)
    cancelled = PaymentOrder(cancelled_at=clock.now())
    for row in (
        a_checkout(kind=K.CAPTURE),
        a_checkout(payment=None, deposit=MigratedDeposit()),
        a_checkout(order=cancelled),
    ):
        assert not settlement.is_plain(row, STATUS)


# Which way is taken


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> list[SettlementRows]:
    """The settlements that were written by one statement, as if every database could do it."""
    written: list[SettlementRows] = []

    def prepare(settlements: Sequence[SettlementRows]) -> Iterator[PreparedWrite[Collection[int]]]:
        (rows,) = settlements

        def write() -> Collection[int]:
            written.append(rows)
            return [1] if write_settlement(rows) else []

        yield PreparedWrite(run=write, is_one_statement=False)

    monkeypatch.setattr(settlement, "settles_at_once", lambda: True)
    monkeypatch.setattr(settlement, "settlements_at_once", prepare)
    return written


def queried(page: GatewayTransaction, told: StatusUpdate) -> StatusUpdate:
    return replace(told, queried_in=S(page.state), queried_since=page.state_changed_at)


def test_a_plain_status_is_written_at_once_and_any_other_in_a_transaction(
    at_once: list[SettlementRows], context: GatewayContext
) -> None:
    page = a_page()
    page = settle(page, queried(page, approval(2000)), context=context)
    assert len(at_once) == 1
    settle(page, update(), context=context)
    assert len(at_once) == 1
    assert Payment.objects.get().captured == 2000


def test_a_status_that_meets_a_changed_order_is_written_again_under_its_lock(
    at_once: list[SettlementRows], context: GatewayContext
) -> None:
    page = a_page()
    PaymentOrder.objects.update(version=F("version") + 1)
    settled = settle(page, queried(page, approval(2000)), context=context)
    assert (len(at_once), settled.state, Payment.objects.get().captured) == (1, S.APPROVED, 2000)


def test_a_database_without_such_a_statement_gets_a_transaction(
    at_once: list[SettlementRows], context: GatewayContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settlement, "settles_at_once", lambda: False)
    page = a_page()
    settle(page, queried(page, approval(2000)), context=context)
    assert at_once == []
