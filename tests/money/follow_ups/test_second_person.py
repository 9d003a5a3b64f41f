"""A second person agrees: it is done once, with everything checked again, or not at all and waits on."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection

from tests.money.approvals.people import asked, person
from tests.support.database_faults import WRITING, meddling, raising
from tests.support.gateway import Killed, losing
from tests.support.refusals import refuses
from tests.support.shop import Shop, of, order_of, reloaded
from wallet_gateway import payments
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import Approval, Discrepancy, GatewayTransaction, Payment, TransactionEvent
from wallet_gateway.payments.errors import (
    IdempotencyConflict,
    InvalidState,
    OperationOutstanding,
    SendingStopped,
)

pytestmark = pytest.mark.django_db
EIGHT = Decimal("8.00")


@pytest.fixture
def payment(shop: Shop) -> Payment:
    return shop.pay()


@pytest.fixture
def request_of_anna(shop: Shop, payment: Payment) -> Approval:
    """A refund of 8.00 of the 30.00 EUR, where above 5.00 two are needed."""
    shop.configure(APPROVALS={"LIMITS": {"EUR": "5.00"}})
    why: dict[str, Any] = {"reason_code": "returned", "comment": "box 7"}
    return asked(
        lambda: payments.refund(order_of(payment), EIGHT, idempotency_key="click", by=person("anna"), **why)
    )


@pytest.mark.every_database
def test_it_is_sent_once_and_both_names_are_kept(
    request_of_anna: Approval, payment: Payment, shop: Shop
) -> None:
    transaction = payments.approvals.approve(request_of_anna, by=person("bert"), reason="seen the parcel")

    assert (transaction.state, transaction.created_by) == ("APPROVED", "anna")
    assert (transaction.reason_code, transaction.comment) == ("returned", "box 7")
    witness = TransactionEvent.objects.filter(transaction=transaction).earliest("pk")
    assert (witness.kind, witness.created_by, witness.explanation) == ("APPROVAL", "bert", "seen the parcel")
    assert (reloaded(request_of_anna).state, request_of_anna.decided_by) == ("AGREED", "bert")
    assert payments.refund(order_of(payment), EIGHT, idempotency_key="click", by="anna") == transaction
    with pytest.raises(InvalidState):
        payments.approvals.approve(request_of_anna, by=person("carla"))
    assert len(shop.gateway.sent) == 1


def test_a_key_that_another_request_takes_at_the_same_moment_is_not_this_ones(
    payment: Payment, shop: Shop
) -> None:
    shop.configure(APPROVALS={"LIMITS": {"EUR": "5.00"}})
    others, looked, anna = [shop.pay()], list[str](), person("anna")

    def ask(subject: Payment) -> Approval:
        return asked(lambda: payments.refund(order_of(subject), EIGHT, idempotency_key="click", by=anna))

    def meet(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:  # noqa: ANN401 - Django's
        looked.extend([sql] if sql.startswith("SELECT") and "wallet_gateway_approval" in sql else [])
        if sql.startswith(WRITING) and len(looked) == 2 and others:
            # After the second look for the key, before the request is stored
            ask(others.pop())
        return execute(sql, *rest)

    with connection.execute_wrapper(meet), refuses(IdempotencyConflict, ErrorCode.KEY_TAKEN, key="click"):
        ask(payment)
    assert Approval.objects.get().payment != payment


def take_what_is_left(shop: Shop, payment: Payment) -> None:
    shop.configure(APPROVALS={"LIMITS": {}})
    payments.refund(order_of(payment), Decimal("25.00"))
    shop.configure(APPROVALS={"LIMITS": {"EUR": "5.00"}})


def lose_another(shop: Shop, payment: Payment) -> None:
    shop.lose_answer(payments.refund, order_of(payment), Decimal("1.00"))


def stop(shop: Shop, _: Payment) -> None:
    payments.maintenance.stop_sending("default", by="anna", reason="drill")


@pytest.mark.parametrize(
    ("meanwhile", "error", "code"),
    [
        (take_what_is_left, InvalidState, ErrorCode.AMOUNT_TOO_HIGH),
        (lose_another, OperationOutstanding, ErrorCode.OPERATION_OUTSTANDING),
        (stop, SendingStopped, ErrorCode.SENDING_STOPPED),
    ],
)
def test_what_cannot_be_done_now_is_said_and_it_goes_on_waiting(
    meanwhile: Callable[[Shop, Payment], None],
    error: type[payments.errors.OperationError],
    code: ErrorCode,
    request_of_anna: Approval,
    payment: Payment,
    shop: Shop,
) -> None:
    meanwhile(shop, payment)
    sent = len(shop.gateway.sent)
    with refuses(error, code):
        payments.approvals.approve(request_of_anna, by=person("bert"))
    assert (reloaded(request_of_anna).state, request_of_anna.decided_by, len(shop.gateway.sent)) == (
        "WAITING",
        "",
        sent,
    )
    assert not TransactionEvent.objects.filter(kind="APPROVAL").exists()
    if meanwhile is stop:
        payments.maintenance.resume_sending("default", by="anna", reason="over")
        assert payments.approvals.approve(request_of_anna, by=person("bert")).state == "APPROVED"


def test_a_limit_that_was_lifted_meanwhile_does_not_make_it_two_refunds(
    request_of_anna: Approval, payment: Payment, shop: Shop
) -> None:
    shop.configure(APPROVALS={"LIMITS": {}})
    asked(lambda: payments.refund(order_of(payment), EIGHT, idempotency_key="click", by="anna"))
    payments.approvals.approve(request_of_anna, by=person("bert"))
    assert len(shop.gateway.sent) == 1


def test_a_detached_refund_takes_two_as_well(shop: Shop) -> None:
    shop.configure(APPROVALS={"LIMITS": {"EUR": "5.00"}})
    parent = shop.deposit().parent_transaction_id

    def give() -> GatewayTransaction:
        return payments.refund_migrated(parent, Decimal("3.00"), "EUR", by="anna", order_number="A-7")

    assert give().state == "APPROVED"
    assert payments.approvals.approve(asked(give), by=person("bert")).state == "APPROVED"
    assert [sent["providerDiscretionaryData"] for sent in shop.gateway.sent] == ["A-7", "A-7"]


# Decisions


@pytest.fixture
def stuck(shop: Shop, payment: Payment) -> GatewayTransaction:
    """A refund of 8.00 EUR that nobody could learn the outcome of."""
    shop.gateway.answers.append(losing)
    transaction = payments.refund(order_of(payment), EIGHT, by="anna")
    while not transaction.needs_operator:
        shop.sweep_when_due(transaction)
    shop.configure(APPROVALS={"LIMITS": {"EUR": "5.00"}})
    return transaction


def give_up(stuck: GatewayTransaction) -> GatewayTransaction:
    return payments.approvals.resolve(stuck, decision="DID_NOT_HAPPEN", reason="ticket 4711", by="anna")


def test_what_has_become_a_contradiction_since_is_not_decided_on(
    stuck: GatewayTransaction, payment: Payment, shop: Shop
) -> None:
    request = asked(lambda: give_up(stuck))
    shop.report(stuck, of(stuck, id="g1"), of(stuck, id="g2"))
    shop.sweep_when_due(stuck)
    with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE):
        payments.approvals.approve(request, by=person("bert"))
    stuck.refresh_from_db()
    assert (stuck.state, reloaded(payment).is_frozen, payment.refund_reserved) == ("ANOMALY", True, 800)
    assert not Discrepancy.objects.filter(closed_at__isnull=False).exists()
    assert reloaded(request).state == "WAITING"


def test_a_difference_that_nobody_had_seen_is_not_closed_by_an_earlier_request(
    stuck: GatewayTransaction, payment: Payment, shop: Shop
) -> None:
    shop.report(stuck, of(stuck, id="g1"), of(stuck, id="g2"))
    shop.sweep_when_due(stuck)
    request = asked(lambda: give_up(stuck))
    shop.report(stuck, *(of(stuck, id=f"g{number}") for number in (1, 2, 3)))
    shop.ask(payment)
    with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE):
        payments.approvals.approve(request, by=person("bert"))
    assert Discrepancy.objects.filter(transaction=stuck, closed_at__isnull=True).count() == 2


def test_a_decision_and_the_word_of_who_agreed_are_written_together_or_not_at_all(
    stuck: GatewayTransaction,
) -> None:
    request = asked(lambda: give_up(stuck))
    with meddling("INSERT INTO", "transactionevent", act=raising(Killed())), pytest.raises(Killed):
        payments.approvals.approve(request, by=person("bert"))
    assert (reloaded(request).state, reloaded(stuck).state) == ("WAITING", "UNKNOWN")
    assert payments.approvals.approve(request, by=person("bert")).state == "ABANDONED"
