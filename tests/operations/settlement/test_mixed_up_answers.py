"""A mix-up of units in the answer to our own request: it stops all sending until a person has decided."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal

import pytest

from tests.operations.conftest import MakeOrder, Resolve, Start, VirtualClock
from tests.operations.dying import scripted
from tests.operations.records import answer_of, record
from tests.operations.subjects import DEPOSIT, Subject
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction
from wallet_gateway.operations.approvals import resolve as resolutions
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import SendingStopped
from wallet_gateway.operations.follow_ups.detached_refunds import refund_migrated
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.sending import emergency_stop
from wallet_gateway.queries.pauses import sending_pauses

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hears_the_alarm")]
S = TransactionState
QUARTER = timedelta(minutes=15)


@pytest.fixture
def own_answer(deposit_refund: Subject, context: GatewayContext) -> GatewayTransaction:
    """A refund of 5.00 of an earlier provider's payment, answered as 500.00."""

    def hundredfold(body: bytes) -> bytes:
        asked = json.loads(body)
        echoed = {name: asked[name] for name in ("clientSystemTransactionId", "currencyCode")}
        return json.dumps({"state": "Approved", "amount": "500.00", **echoed}).encode()

    return refund_migrated(
        parent_transaction_id=DEPOSIT,
        amount=Decimal("5.00"),
        currency="EUR",
        context=scripted(context, hundredfold),
    )


def test_one_mix_up_in_the_answer_to_our_own_request_stops_all_sending(
    own_answer: GatewayTransaction,
    deposit_refund: Subject,
    make_order: MakeOrder,
    start: Start,
    clock: VirtualClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert own_answer.state == S.ANOMALY
    assert (deposit_refund.is_frozen(), deposit_refund.reserved()) == (True, deposit_refund.amount)
    (pause,) = sending_pauses(clock.now())
    assert pause.until == clock.now() + QUARTER
    (alarm,) = caplog.get_records("setup")
    assert "sending to default is stopped for 15 minutes: unit mix-up" in alarm.getMessage()
    with pytest.raises(SendingStopped):
        start(make_order())

    clock.advance(minutes=15, seconds=1)
    assert start(make_order()).is_open
    assert deposit_refund.is_frozen()


@pytest.mark.parametrize("way", ["by closing the difference", "by deciding on the transaction"])
def test_a_person_lifts_the_stop_by_deciding_on_the_last_mix_up(
    way: str,
    own_answer: GatewayTransaction,
    resolve: Resolve,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    if way == "by closing the difference":
        resolutions.close_discrepancy(
            Discrepancy.objects.get(), reason="a test of theirs", by="anna", context=context
        )
    else:
        resolve(own_answer, resolutions.Decision.DID_NOT_HAPPEN)
    assert sending_pauses(clock.now()) == ()


def test_a_person_may_stop_it_for_as_long_as_they_say(
    own_answer: GatewayTransaction,
    make_order: MakeOrder,
    start: Start,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    emergency_stop.stop_sending(context=context, by="anna", reason="who is wrong?")
    clock.advance(days=365)
    with pytest.raises(SendingStopped):
        start(make_order())
    resolutions.close_discrepancy(Discrepancy.objects.get(), reason="they were", by="anna", context=context)
    assert len(sending_pauses(clock.now())) == 1, "closing it does not lift a person's stop"
    emergency_stop.resume_sending(context=context, by="anna", reason="mended")
    assert start(make_order()).is_open


def test_a_mix_up_that_a_person_has_denied_stops_sending_again_when_a_record_shows_it(
    own_answer: GatewayTransaction, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    transaction = resolve(own_answer, resolutions.Decision.DID_NOT_HAPPEN)
    clock.advance_to(transaction.next_query_at)
    sweep(context=scripted(context, answer_of(record(transaction, "500.00"))))
    assert len(sending_pauses(clock.now())) == 1
