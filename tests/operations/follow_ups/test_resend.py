"""What never left and is tried no longer: a person is asked, and sends it once more or gives it up."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from tests.client.certificates import Certificate
from tests.client.servers import RawServer, unused_port
from tests.operations.conftest import MakeContext, MakeOrder, Resolve, VirtualClock
from tests.operations.subjects import Subject
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import GatewayTransaction, MigratedDeposit, Payment, TransactionEvent
from wallet_gateway.operations.approvals.resolve import Decision
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import (
    GatewayUnreachable,
    InvalidState,
    OperationOutstanding,
)
from wallet_gateway.operations.follow_ups.execute import Initiator, resend_unsent
from wallet_gateway.operations.follow_ups.resend import send_again
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.settlement.settle import reread
from wallet_gateway.queries.attention import unattended

pytestmark = pytest.mark.django_db
S = TransactionState
ANNA = Initiator(by="anna", comment="the gateway is back")


@pytest.fixture
def unreachable(make_context: MakeContext) -> GatewayContext:
    return make_context(f"http://127.0.0.1:{unused_port()}")


@pytest.fixture
def left_to_a_person(
    subject: Subject, unreachable: GatewayContext, clock: VirtualClock
) -> GatewayTransaction:
    """What never left although the sweep has tried as often as it does."""
    transaction = subject.execute(unreachable)
    waits: list[timedelta] = []
    while transaction.next_send_at is not None:
        assert not transaction.needs_operator
        waits.append(transaction.next_send_at - clock.now())
        clock.advance_to(transaction.next_send_at)
        sweep(context=unreachable)
        transaction.refresh_from_db()
    assert waits == [timedelta(seconds=1), timedelta(seconds=4), timedelta(seconds=16)]
    return transaction


one = pytest.mark.parametrize("subject", ["refund"], indirect=True)


def test_what_is_tried_no_longer_asks_for_a_person(
    subject: Subject, left_to_a_person: GatewayTransaction
) -> None:
    assert (left_to_a_person.state, left_to_a_person.needs_operator) == (S.NOT_SENT, True)
    assert subject.reserved() == subject.amount


@one
def test_a_refused_handshake_is_tried_once_more_and_then_asks_for_a_person(
    subject: Subject, make_context: MakeContext, certificate: Certificate, clock: VirtualClock
) -> None:
    with RawServer(lambda *_: False, tls=certificate.server_context()) as gateway:
        distrustful = make_context(gateway.base_url)
        transaction = subject.execute(distrustful)
        assert not transaction.needs_operator
        clock.advance_to(transaction.next_send_at)
        sweep(context=distrustful)
    transaction.refresh_from_db()
    assert (transaction.next_send_at, transaction.needs_operator, transaction.attempt_no) == (None, True, 2)


def test_it_is_sent_once_more_with_the_same_reference_and_bytes(
    subject: Subject, left_to_a_person: GatewayTransaction, context: GatewayContext
) -> None:
    sent = send_again(left_to_a_person, context=context, who=ANNA)

    assert (sent.state, sent.needs_operator) == (S.APPROVED, False)
    assert (sent.pk, sent.reference) == (left_to_a_person.pk, left_to_a_person.reference)
    assert (subject.requests(), subject.booked(), subject.reserved()) == (1, subject.amount, 0)
    assert subject.executed(sent) == subject.amount
    asked = TransactionEvent.objects.get(kind="DECISION")
    assert (asked.created_by, asked.explanation) == ("anna", "To be sent again: the gateway is back")


@one
def test_it_may_be_sent_before_the_sweep_is_through(
    subject: Subject, unreachable: GatewayContext, context: GatewayContext, clock: VirtualClock
) -> None:
    assert send_again(subject.execute(unreachable), context=context).state == S.APPROVED
    clock.advance(minutes=1)
    assert sweep(context=context).sent_again == 0
    assert subject.requests() == 1


@one
def test_what_does_not_leave_again_asks_for_a_person_again(
    left_to_a_person: GatewayTransaction, unreachable: GatewayContext, context: GatewayContext
) -> None:
    again = send_again(left_to_a_person, context=unreachable, who=ANNA)
    assert (again.state, again.needs_operator, again.next_send_at) == (S.NOT_SENT, True, None)
    assert send_again(again, context=context).state == S.APPROVED


# Refusals


@one
def test_what_has_left_is_never_sent_again(
    subject: Subject, context: GatewayContext, left_to_a_person: GatewayTransaction
) -> None:
    stale = GatewayTransaction.objects.get(pk=left_to_a_person.pk)
    subject.control.fault("refund", "drop_after")
    assert send_again(left_to_a_person, context=context).state == S.UNKNOWN
    with refuses(InvalidState, ErrorCode.WRONG_STATE, says="never sent", state=TransactionState.UNKNOWN):
        send_again(stale, context=context)
    assert subject.requests() == 1


def freeze(subject: Subject) -> None:
    (Payment if subject.payment else MigratedDeposit).objects.update(is_frozen=True)


def release_freezes(subject: Subject) -> None:
    (Payment if subject.payment else MigratedDeposit).objects.update(is_frozen=False)


@pytest.mark.parametrize("subject", ["refund", "detached_refund"], indirect=True)
def test_nothing_is_sent_while_it_is_frozen(
    subject: Subject, left_to_a_person: GatewayTransaction, context: GatewayContext
) -> None:
    freeze(subject)
    with refuses(InvalidState, ErrorCode.PAYMENT_FROZEN):
        send_again(left_to_a_person, context=context)
    assert subject.requests() == 0
    release_freezes(subject)


@one
def test_it_waits_for_another_operation_without_an_outcome(
    subject: Subject, left_to_a_person: GatewayTransaction, context: GatewayContext
) -> None:
    subject.control.fault("refund", "drop_after")
    assert subject.execute().state == S.UNKNOWN
    with pytest.raises(OperationOutstanding):
        send_again(left_to_a_person, context=context)


@pytest.mark.parametrize("subject", ["refund", "detached_refund"], indirect=True)
def test_one_that_another_operation_keeps_from_being_sent_for_an_hour_is_left_to_a_person(
    subject: Subject, unreachable: GatewayContext, context: GatewayContext, clock: VirtualClock
) -> None:
    """Found by the simulation: one refund is not sent, and the sender of the next one dies."""
    unsent = subject.execute(unreachable)
    subject.control.fault("*", "drop_after")
    assert subject.execute().state == S.UNKNOWN
    subject.control.fault("status", "status_before", times=0)

    clock.advance(minutes=59)
    sweep(context=context)
    unsent.refresh_from_db()
    assert (unsent.state, unsent.needs_operator) == (S.NOT_SENT, False)

    clock.advance(minutes=2)
    assert sweep(context=context).sent_again == 0
    unsent.refresh_from_db()
    assert (unsent.state, unsent.needs_operator) == (S.NOT_SENT, True)
    assert not GatewayTransaction.objects.filter(unattended(clock.now())).exists()

    subject.control.clear_faults()
    clock.advance(hours=1)
    sweep(context=context)
    clock.advance(hours=1)
    sweep(context=context)
    unsent.refresh_from_db()
    assert (unsent.state, unsent.needs_operator) == (S.APPROVED, False), "a later sweep sends it all the same"


@one
def test_whoever_is_second_is_told_so(
    left_to_a_person: GatewayTransaction, context: GatewayContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wallet_gateway.operations.follow_ups import execute as execution

    claim: Callable[..., bool] = execution._claim

    def be_second(transaction: GatewayTransaction, context: GatewayContext, also: object) -> bool:
        claim(transaction, context, None)
        return claim(transaction, context, also)

    monkeypatch.setattr(execution, "_claim", be_second)
    with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE, says="already being sent"):
        send_again(left_to_a_person, context=context)
    assert not TransactionEvent.objects.filter(kind="DECISION").exists()


@one
def test_a_claim_made_on_an_older_try_is_refused(
    left_to_a_person: GatewayTransaction, subject: Subject, context: GatewayContext
) -> None:
    """Otherwise two senders would have the same number, and one could speak for the other."""
    stale = reread(left_to_a_person)
    stale.attempt_no -= 1
    assert resend_unsent(stale, context=context) is None
    left_to_a_person.refresh_from_db()
    assert (left_to_a_person.state, left_to_a_person.attempt_no) == (S.NOT_SENT, stale.attempt_no + 1)
    assert subject.requests() == 0


# A stored request that cannot be read any more

UNREADABLE = {
    "erased": "",
    "cut short": '{"merchantId":"shop-1","amount":"5.0',
    "not an object": "[1]",
    "a field is missing": '{"merchantId":"shop-1"}',
    "a number for a text": '{"merchantId":17}',
}


@pytest.mark.parametrize("body", UNREADABLE.values(), ids=list(UNREADABLE))
def test_a_request_that_cannot_be_read_any_more_stays_unsent_and_asks_for_a_person(
    body: str,
    subject: Subject,
    unreachable: GatewayContext,
    context: GatewayContext,
    clock: VirtualClock,
    resolve: Resolve,
) -> None:
    transaction = subject.execute(unreachable)
    GatewayTransaction.objects.filter(pk=transaction.pk).update(request_body=body)

    clock.advance_to(transaction.next_send_at)
    for _ in range(2):
        sweep(context=context)
        row = reread(transaction)
        assert (row.state, row.attempt_no, row.needs_operator) == (S.NOT_SENT, 1, True)
        assert row.next_send_at is None
        clock.advance(hours=1)
    with refuses(InvalidState, ErrorCode.REQUEST_UNREADABLE, reference=transaction.reference):
        send_again(reread(transaction), context=context, who=ANNA)

    assert subject.requests() == 0
    assert resolve(reread(transaction), Decision.DID_NOT_HAPPEN).state == S.ABANDONED
    assert subject.reserved() == 0
    assert subject.execute().state == S.APPROVED


@pytest.mark.parametrize("body", UNREADABLE.values(), ids=list(UNREADABLE))
def test_a_checkout_that_cannot_be_read_any_more_is_begun_anew(
    body: str,
    make_order: MakeOrder,
    unreachable: GatewayContext,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    order = make_order()
    with pytest.raises(GatewayUnreachable):
        start_checkout(order=order, context=unreachable, return_urls=return_urls)
    first = GatewayTransaction.objects.get()
    GatewayTransaction.objects.filter(pk=first.pk).update(request_body=body)

    second = start_checkout(order=order, context=context, return_urls=return_urls)

    assert second.reference != first.reference
    assert (reread(first).state, reread(first).attempt_no) == (S.NOT_SENT, 1)
    clock.advance(hours=1)
    sweep(context=context)
    assert reread(first).state == S.ABANDONED
