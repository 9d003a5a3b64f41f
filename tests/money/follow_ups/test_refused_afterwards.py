"""Operations that are refused after the call that made them: the shop and its people are told, once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.money.approvals.people import asked, person
from tests.money.sending.movers import Mover, mover
from tests.support.gateway import answering, losing, record, refusing
from tests.support.shop import Shop, of, order_of, reloaded
from tests.support.shop_fixtures import Connect
from wallet_gateway import payments, signals
from wallet_gateway.models import BatchKind, GatewayTransaction, OutboxEvent, PaymentOrder

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
PENDING, ERRORED, APPROVED = (answering(state=state) for state in ("Pending", "Errored", "Approved"))
NOT_HAPPENED: dict[str, Any] = {"decision": "DID_NOT_HAPPEN", "reason": "ticket 4711", "by": "anna"}


def test_what_another_worker_sees_pending_meanwhile_is_not_called_refused(shop: Shop) -> None:
    payment = shop.pay()

    def slow(reference: str) -> tuple[int, object]:
        refund = GatewayTransaction.objects.get(reference=reference)
        shop.report(refund, of(refund, state="Pending"))
        payments.reconcile(order_of(payment), everything=True)
        return 200, []

    shop.gateway.answers.append(refusing(400))
    shop.gateway.queries.append(slow)
    assert payments.refund(order_of(payment)).state == "PENDING"
    assert reloaded(payment).refund_reserved == 3000


@pytest.fixture
def told(shop: Shop, connect: Connect) -> list[dict[str, Any]]:
    """What the shop's receiver heard of refused operations."""
    heard: list[dict[str, Any]] = connect(signals.operation_refused).told
    return heard


def unseen() -> int:
    """How many refusals health counts that no person has seen."""
    return payments.maintenance.health().refused_afterwards


def over(operation: Mover, transaction: GatewayTransaction) -> GatewayTransaction:
    """Let the gateway have refused it, and the sweep find out."""
    operation.shop.report(transaction, of(transaction, state="Errored"))
    operation.shop.sweep_when_due(transaction, times=3)
    payments.maintenance.deliver_events()
    return transaction


@pytest.mark.parametrize(
    ("answer", "name"),
    [(PENDING, "capture"), (losing, "refund"), (PENDING, "reversal"), (losing, "detached_refund")],
    ids=["pending capture", "lost refund", "pending reversal", "lost detached refund"],
)
def test_what_is_refused_after_its_call_is_told_once_and_waits_until_it_is_seen(
    answer: Any,  # noqa: ANN401 - an answer of the gateway
    name: str,
    shop: Shop,
    told: list[dict[str, Any]],
) -> None:
    operation = mover(name, shop)
    operation.will(answer)
    transaction = operation.execute()
    assert (told, unseen()) == ([], 0)

    assert over(operation, transaction).state == "REJECTED"
    (heard,) = told
    event = OutboxEvent.objects.get(kind="OPERATION_REFUSED")
    order = transaction.payment.order if transaction.payment else None
    assert (heard["sender"], heard["event_id"]) == (PaymentOrder, str(event.event_id))
    assert (heard["kind"], heard["amount"], heard["transaction"]) == (
        transaction.kind,
        transaction.amount,
        transaction,
    )
    assert (heard["order"], heard["reference"]) == (order, order.reference if order else "")
    assert heard["metadata"] == {}
    assert heard["explanation"] == transaction.explanation != ""
    assert heard["occurred_at"] == transaction.refusal_unseen_since == transaction.state_changed_at
    assert (event.delivered_at is not None, unseen()) == (True, 1)

    seen = payments.follow_ups.mark_refusal_seen(transaction, by=person("bert"))
    shop.clock.by += timedelta(hours=1)
    again = payments.follow_ups.mark_refusal_seen(transaction, by="carla")
    assert unseen() == 0
    for row in (seen, again):
        assert (row.refusal_seen_by, row.refusal_seen_by_account) == ("bert", str(person("bert").pk))
        assert row.refusal_seen_at == seen.refusal_seen_at
    decision = transaction.events.latest("pk")
    assert (decision.kind, decision.created_by, decision.state_after, decision.explanation) == (
        "DECISION",
        "bert",
        "REJECTED",
        "The refusal was seen",
    )


@pytest.mark.parametrize("name", ["reversal", "detached_refund"])
def test_a_refusal_that_the_call_returns_and_a_late_approval_are_told_to_nobody(
    name: str, shop: Shop, told: list[dict[str, Any]]
) -> None:
    operation = mover(name, shop)
    operation.will(ERRORED, refusing(400), PENDING)
    assert [operation.execute().state for _ in range(2)] == ["REJECTED", "REJECTED"]
    transaction = operation.execute()
    shop.report(transaction, of(transaction))
    shop.sweep_when_due(transaction, times=3)
    payments.maintenance.deliver_events()
    assert (transaction.state, told, unseen()) == ("APPROVED", [], 0)


# Refused or given up at once, and nobody is there


def by_a_batch(shop: Shop) -> None:
    batch = payments.batches.draft(BatchKind.CAPTURE, [order_of(authorized(shop))], by=person("anna"))
    assert payments.batches.start(batch, reason_code="shipped")
    payments.batches.step(batch, seconds=600)


def by_the_sweep(shop: Shop) -> None:
    shop.configure(CAPTURE={"POLICY": "capture"})
    authorized(shop)
    shop.clock.by += timedelta(days=6)
    payments.sweep()


def unsent(shop: Shop) -> GatewayTransaction:
    order = order_of(authorized(shop))
    with shop.cut_off():
        return payments.capture(order)


def sent_again_by_the_sweep(shop: Shop) -> None:
    shop.until(unsent(shop).next_send_at)
    payments.sweep()


def sent_again_by_a_person(shop: Shop) -> None:
    payments.follow_ups.send_again(unsent(shop), by="anna")


def with_a_second_person(shop: Shop) -> None:
    shop.configure(APPROVALS={"LIMITS": {"EUR": "5.00"}})
    order = order_of(shop.pay())
    payments.approvals.approve(asked(lambda: payments.refund(order, by=person("anna"))), by=person("bert"))


def given_up_unsent(shop: Shop) -> None:
    payments.approvals.resolve(unsent(shop), **NOT_HAPPENED)


def given_up_unknown(shop: Shop) -> None:
    lost = shop.lose_answer(payments.capture, order_of(authorized(shop)))
    while not lost.needs_operator:
        shop.sweep_when_due(lost)
    payments.approvals.resolve(lost, **NOT_HAPPENED)


def given_up_in_a_batch(shop: Shop) -> None:
    payment = authorized(shop)
    with shop.cut_off():
        batch = payments.batches.draft(BatchKind.CAPTURE, [order_of(payment)], by=person("anna"))
        payments.batches.start(batch, reason_code="shipped")
        payments.batches.step(batch, seconds=600)


def authorized(shop: Shop) -> Any:  # noqa: ANN401 - a payment
    return shop.pay(type="preauthorization")


REFUSED = (by_a_batch, by_the_sweep, sent_again_by_the_sweep, sent_again_by_a_person, with_a_second_person)
GIVEN_UP = (given_up_unsent, given_up_unknown, given_up_in_a_batch)


@pytest.mark.parametrize("begin", [*REFUSED, *GIVEN_UP])
def test_an_end_that_reaches_nobody_who_asked_is_told(
    begin: Callable[[Shop], None], shop: Shop, told: list[dict[str, Any]]
) -> None:
    if begin in REFUSED:
        shop.gateway.answers.append(ERRORED if begin is not by_a_batch else refusing(400))
    begin(shop)
    payments.maintenance.deliver_events()
    (heard,) = told
    transaction = heard["transaction"]
    assert transaction.state == ("REJECTED" if begin in REFUSED else "ABANDONED")
    assert (str(heard["amount"]), heard["explanation"]) == ("30.00 EUR", transaction.explanation)
    assert unseen() == 1


# Approved all the same


def test_a_contradiction_takes_the_place_of_the_refusal_and_nothing_is_told_twice(
    shop: Shop, told: list[dict[str, Any]]
) -> None:
    operation = mover("capture", shop)
    operation.will(PENDING)
    transaction = over(operation, operation.execute())
    assert (len(told), unseen()) == (1, 1)
    shop.report(transaction, of(transaction, id="g2"))
    shop.sweep_when_due(transaction)
    assert (transaction.state, unseen()) == ("ANOMALY", 0)
    given_up = payments.approvals.resolve(transaction, **NOT_HAPPENED)
    payments.maintenance.deliver_events()
    assert (given_up.state, len(told), unseen()) == ("ABANDONED", 1, 1)


@pytest.mark.parametrize("subject", ["capture", "page"])
def test_what_was_told_as_refused_and_is_accepted_in_the_end_is_told_as_paid(
    subject: str, shop: Shop, heard: list[str]
) -> None:
    if subject == "capture":
        payment = authorized(shop)
        shop.gateway.answers.append(PENDING)
        transaction = payments.capture(order_of(payment))
        found = of(transaction, id="g2")
    else:
        payment = shop.begin()
        transaction = payment.opening
        found = record(transaction.reference)
    shop.report(transaction, found | {"state": "Errored"})
    shop.ask(payment)
    shop.report(transaction, found, found | {"id": "g3"})
    shop.ask(payment)
    assert reloaded(transaction).state == "ANOMALY"
    payments.approvals.resolve(transaction, decision="DID_HAPPEN", reason="looked it up", by="anna")
    payments.maintenance.deliver_events()
    assert heard[-1] == "order_paid"
