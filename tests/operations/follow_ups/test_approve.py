"""A second person agrees: it is done once, with everything checked again, or not at all and waits on."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from tests.operations.conftest import Pay, VirtualClock, sweep_until
from tests.operations.dying import Killed, kill, scripted
from tests.operations.journal import times_sent
from tests.operations.records import answer_of, record
from tests.operations.second_person import asked, needs_two, person
from tests.operations.subjects import DEPOSIT, MIGRATION_FILE
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import (
    Approval,
    ApprovalState,
    Discrepancy,
    GatewayTransaction,
    Payment,
    TransactionEvent,
    TransactionEventKind,
    settlement_writes,
)
from wallet_gateway.operations.approvals.resolve import Decision, resolve
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import (
    InvalidState,
    OperationOutstanding,
    SendingStopped,
)
from wallet_gateway.operations.follow_ups.approve import approve
from wallet_gateway.operations.follow_ups.capture_refund_reverse import refund
from wallet_gateway.operations.follow_ups.detached_refunds import refund_migrated
from wallet_gateway.operations.follow_ups.execute import Initiator
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import reconcile_order
from wallet_gateway.operations.sending.emergency_stop import resume_sending, stop_sending
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


@pytest.fixture
def two(context: GatewayContext) -> GatewayContext:
    return needs_two(context)


@pytest.fixture
def payment(pay: Pay) -> Payment:
    return pay()


@pytest.fixture
def request_of_anna(two: GatewayContext, payment: Payment) -> Approval:
    """A refund of 8.00 of the 20.00 EUR."""
    who = Initiator(idempotency_key="click", by=person("anna"), reason_code="returned", comment="box 7")
    return asked(lambda: refund(payment=payment, context=two, amount=Decimal("8.00"), who=who))


def test_it_is_sent_once_and_both_names_are_kept(
    request_of_anna: Approval, two: GatewayContext, payment: Payment, wallet_sandbox: SandboxControl
) -> None:
    transaction = approve(request_of_anna, by=person("bert"), reason="seen the parcel", context=two)

    assert (transaction.state, transaction.created_by) == ("APPROVED", "anna")
    assert (transaction.reason_code, transaction.comment) == ("returned", "box 7")
    witness = TransactionEvent.objects.filter(transaction=transaction).order_by("pk")[0]
    assert (witness.kind, witness.created_by, witness.explanation) == (
        "APPROVAL",
        "bert",
        "seen the parcel",
    )
    request_of_anna.refresh_from_db()
    assert (request_of_anna.state, request_of_anna.decided_by) == (ApprovalState.AGREED, "bert")
    again = Initiator(idempotency_key="click", by="anna")
    assert refund(payment=payment, context=two, amount=Decimal("8.00"), who=again) == transaction
    with pytest.raises(InvalidState):
        approve(request_of_anna, by=person("carla"), context=two)
    assert times_sent(wallet_sandbox, "refund") == 1


def test_what_is_no_longer_there_is_said_nothing_is_sent_and_it_goes_on_waiting(
    request_of_anna: Approval, payment: Payment, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    refund(payment=payment, context=context, amount=Decimal("15.00"))

    with refuses(InvalidState, ErrorCode.AMOUNT_TOO_HIGH):
        approve(request_of_anna, by=person("bert"), context=needs_two(context))

    request_of_anna.refresh_from_db()
    assert (request_of_anna.state, request_of_anna.decided_by) == (ApprovalState.WAITING, "")
    assert times_sent(wallet_sandbox, "refund") == 1
    assert not TransactionEvent.objects.filter(kind=TransactionEventKind.APPROVAL).exists()


def test_while_sending_is_stopped_it_goes_on_waiting(request_of_anna: Approval, two: GatewayContext) -> None:
    stop_sending(context=two, by="anna", reason="drill")
    with pytest.raises(SendingStopped):
        approve(request_of_anna, by=person("bert"), context=two)
    resume_sending(context=two, by="anna", reason="over")
    assert approve(request_of_anna, by=person("bert"), context=two).state == "APPROVED"


def test_while_another_refund_has_no_outcome_it_goes_on_waiting(
    request_of_anna: Approval, two: GatewayContext, payment: Payment, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.fault("refund", "drop_before")
    refund(payment=payment, context=two, amount=Decimal("1.00"))
    with refuses(OperationOutstanding, ErrorCode.OPERATION_OUTSTANDING):
        approve(request_of_anna, by=person("bert"), context=two)
    request_of_anna.refresh_from_db()
    assert request_of_anna.state == ApprovalState.WAITING


def test_a_limit_that_was_lifted_meanwhile_does_not_make_it_two_refunds(
    request_of_anna: Approval, payment: Payment, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    who = Initiator(idempotency_key="click", by="anna")
    asked(lambda: refund(payment=payment, context=context, amount=Decimal("8.00"), who=who))
    approve(request_of_anna, by=person("bert"), context=context)
    assert times_sent(wallet_sandbox, "refund") == 1


def test_a_detached_refund_takes_two_as_well(two: GatewayContext, wallet_sandbox: SandboxControl) -> None:
    wallet_sandbox.migration_file(MIGRATION_FILE)

    def give(amount: str, number: str = "A-7") -> GatewayTransaction:
        return refund_migrated(
            parent_transaction_id=DEPOSIT,
            amount=Decimal(amount),
            currency="EUR",
            context=two,
            who=Initiator(by="anna"),
            order_number=number,
        )

    assert give("3.00").state == "APPROVED"
    request = asked(lambda: give("3.00"))
    assert approve(request, by=person("bert"), context=two).state == "APPROVED"
    bodies = [entry["body"] for entry in wallet_sandbox.journal() if entry["operation"] == "detached_refund"]
    assert [body["providerDiscretionaryData"] for body in bodies] == ["A-7", "A-7"]


# Decisions


@pytest.fixture
def stuck(
    two: GatewayContext,
    context: GatewayContext,
    clock: VirtualClock,
    payment: Payment,
    wallet_sandbox: SandboxControl,
) -> GatewayTransaction:
    """A refund of 8.00 EUR that nobody could learn the outcome of."""
    wallet_sandbox.fault("refund", "drop_before")
    transaction = refund(payment=payment, context=context, amount=Decimal("8.00"), who=Initiator(by="anna"))
    sweep_until(transaction, lambda row: row.needs_operator, context=two, clock=clock)
    return transaction


@pytest.fixture
def give_up(stuck: GatewayTransaction, two: GatewayContext) -> Callable[[], GatewayTransaction]:
    return lambda: resolve(
        stuck, decision=Decision.DID_NOT_HAPPEN, reason="ticket 4711", by="anna", context=two
    )


def test_what_has_become_a_contradiction_since_is_not_decided_on(
    stuck: GatewayTransaction,
    give_up: Callable[[], GatewayTransaction],
    two: GatewayContext,
    clock: VirtualClock,
    payment: Payment,
) -> None:
    request = asked(give_up)
    clock.advance_to(stuck.next_query_at)
    twice = answer_of(*(record(stuck, "8.00", id=f"g{n}") for n in range(2)))
    sweep(context=scripted(two, twice))

    with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE):
        approve(request, by=person("bert"), context=two)

    stuck.refresh_from_db()
    payment.refresh_from_db()
    assert (stuck.state, payment.is_frozen, payment.refund_reserved) == (TransactionState.ANOMALY, True, 800)
    assert not Discrepancy.objects.filter(closed_at__isnull=False).exists()
    request.refresh_from_db()
    assert request.state == ApprovalState.WAITING


def test_a_difference_that_nobody_had_seen_is_not_closed_by_an_earlier_request(
    stuck: GatewayTransaction,
    give_up: Callable[[], GatewayTransaction],
    two: GatewayContext,
    clock: VirtualClock,
    payment: Payment,
) -> None:
    clock.advance_to(stuck.next_query_at)
    sweep(context=scripted(two, answer_of(*(record(stuck, "8.00", id=f"g{n}") for n in range(2)))))
    stuck.refresh_from_db()
    request = asked(give_up)
    clock.advance(minutes=1)
    third = answer_of(*(record(stuck, "8.00", id=f"g{n}") for n in range(3)))
    reconcile_order(order=payment.order, context=scripted(two, third), everything=True)

    with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE):
        approve(request, by=person("bert"), context=two)
    assert Discrepancy.objects.filter(transaction=stuck, closed_at__isnull=True).count() == 2


def test_a_decision_and_the_word_of_who_agreed_are_written_together_or_not_at_all(
    stuck: GatewayTransaction,
    give_up: Callable[[], GatewayTransaction],
    two: GatewayContext,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    request = asked(give_up)
    with monkeypatch.context() as patch:
        patch.setattr(settlement_writes, "TransactionEvent", lambda **_: kill())
        with pytest.raises(Killed):
            approve(request, by=person("bert"), context=two)

    request.refresh_from_db()
    stuck.refresh_from_db()
    assert (request.state, stuck.state) == (ApprovalState.WAITING, TransactionState.UNKNOWN)
    assert approve(request, by=person("bert"), context=two).state == TransactionState.ABANDONED
