"""Only an approved record claims its id, and a placeholder is the id of nothing."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.money.gateway import ZERO, answering, record
from tests.money.shop import Shop, kinds, of, open_differences, order_of, reloaded, state
from wallet_gateway import payments

pytestmark = pytest.mark.django_db

PLACEHOLDERS = ["", ZERO]
SAME_IDS = [*PLACEHOLDERS, "77"]
"""Ids that one gateway may give to everything that it has declined."""
same_ids = pytest.mark.parametrize("id_", SAME_IDS)
placeholders = pytest.mark.parametrize("id_", PLACEHOLDERS)


@pytest.mark.every_database
@same_ids
def test_two_pending_customers_with_the_same_id_wait_and_are_paid_with_ids_of_their_own(
    id_: str, shop: Shop, heard: list[str]
) -> None:
    both = [shop.begin() for _ in range(2)]
    for payment in both:
        shop.report_and_ask(payment, record(payment.reference, id=id_, state="Pending"))
        assert state(payment) == ("PENDING", False)
    assert not open_differences()
    for payment in both:
        shop.report_and_ask(payment, record(payment.reference))
        assert state(payment) == ("PAID", False)
    assert not open_differences()
    assert heard == ["order_paid", "order_paid"]


# Follow-ups


@same_ids
def test_two_refunds_answered_pending_with_the_same_id_are_approved_with_ids_of_their_own(
    id_: str, shop: Shop
) -> None:
    waiting = []
    for payment in [shop.pay() for _ in range(2)]:
        shop.gateway.answers.append(answering(state="Pending", id=id_))
        waiting.append(payments.refund(order_of(payment), Decimal("10.00")))
        assert waiting[-1].state == "PENDING"
    for number, refund in enumerate(waiting):
        shop.report(refund, of(refund, id=f"R-{number}"))
        shop.until(refund.next_query_at)
    payments.sweep()
    for refund in waiting:
        assert reloaded(refund).state == "APPROVED"
    assert not open_differences()


def test_the_id_of_the_answer_finds_the_record_where_no_other_was_booked(shop: Shop) -> None:
    payment = shop.pay()
    shop.gateway.answers.append(answering(state="Pending", id="F-1"))
    refund = payments.refund(order_of(payment), Decimal("10.00"))
    assert refund.reported_id == "F-1", "it is stored before anything is approved"
    assert not refund.record_id, "and claims nothing"
    shop.report(refund, of(refund, id="F-1"))
    shop.ask(payment)
    assert (reloaded(refund).state, refund.record_id) == ("APPROVED", "F-1")


# Approved records with a placeholder


@placeholders
def test_approved_records_of_two_customers_with_a_placeholder_are_two_differences_and_nobody_paid(
    id_: str, shop: Shop, heard: list[str]
) -> None:
    both = [shop.begin() for _ in range(2)]
    for number, payment in enumerate(both, 1):
        # Of two nobody can say whether they are one.
        shop.report_and_ask(payment, *[record(payment.reference, id=id_)] * number)
    payments.maintenance.deliver_events()
    assert "order_paid" not in heard
    for payment in both:
        assert state(payment) == ("FROZEN", False)
        assert kinds(payment)
    for payment in both:
        for transaction in payment.transactions.filter(state="ANOMALY"):
            payments.approvals.resolve(transaction, decision="DID_HAPPEN", reason="statement", by="anna")
        assert state(payment) == ("PAID", False), "each is one decision; neither hides the other"


@placeholders
def test_an_approved_placeholder_beside_a_real_approval_is_a_second_execution_to_look_at(
    id_: str, shop: Shop
) -> None:
    payment = shop.pay()
    shop.report_and_ask(payment, record(payment.reference), record(payment.reference, id=id_))
    assert state(payment) == ("FROZEN", False)
    assert kinds(payment)
