"""Only an approved record claims its id, and a placeholder is the id of nothing."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.money.gateway import ZERO, answering, record
from tests.money.shop import Shop, kinds, of, open_differences, order_of, state
from wallet_gateway import payments

pytestmark = pytest.mark.django_db

PLACEHOLDERS = ["", "0", "0000", ZERO, ZERO.replace("-", "")]
SAME_IDS = [*PLACEHOLDERS, "77", "n/a"]
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
        shop.report(payment, record(payment.reference, id=id_, state="Pending"))
        shop.ask(payment)
        assert state(payment) == ("PENDING", False)
    assert not open_differences()
    for payment in both:
        shop.report(payment, record(payment.reference))
        shop.ask(payment)
        assert state(payment) == ("PAID", False)
    shop.days(2)
    assert not open_differences()
    assert heard == ["order_paid", "order_paid"]


@same_ids
def test_a_declined_and_a_pending_customer_share_an_id_and_the_page_is_paid_at_last(
    id_: str, shop: Shop
) -> None:
    declined, pending = shop.begin(), shop.begin()
    shop.report(declined, record(declined.reference, id=id_, state="Errored"))
    shop.report(pending, record(pending.reference, id=id_, state="Pending"))
    shop.ask(declined)
    shop.ask(pending)
    assert (state(declined), state(pending)) == (("FAILED", True), ("PENDING", False))
    own = record(declined.reference, id=id_, state="Errored")
    shop.report(declined, own, record(declined.reference, id="R-2"))
    shop.ask(declined)
    assert state(declined) == ("PAID", False)
    assert not open_differences()


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
    shop.hours(2)
    for refund in waiting:
        refund.refresh_from_db()
        assert refund.state == "APPROVED"
    assert not open_differences()


def test_the_id_of_the_answer_finds_the_record_where_no_other_was_booked(shop: Shop) -> None:
    payment = shop.pay()
    shop.gateway.answers.append(answering(state="Pending", id="F-1"))
    refund = payments.refund(order_of(payment), Decimal("10.00"))
    assert refund.reported_id == "F-1", "it is stored before anything is approved"
    assert not refund.record_id, "and claims nothing"
    shop.report(refund, of(refund, id="F-1"))
    shop.hours(1)
    refund.refresh_from_db()
    assert (refund.state, refund.record_id) == ("APPROVED", "F-1")


# Approved records with a placeholder


APPROVED_SO: list[Any] = [
    pytest.param(1, id="one"),
    pytest.param(2, id="two, of which nobody can say whether they are one"),
]


@pytest.mark.parametrize("number", APPROVED_SO)
@placeholders
def test_an_approved_record_with_a_placeholder_is_a_difference_and_not_paid(
    id_: str, number: int, shop: Shop, heard: list[str]
) -> None:
    payment = shop.begin()
    shop.report(payment, *[record(payment.reference, id=id_)] * number)
    shop.ask(payment)
    assert state(payment) == ("FROZEN", False)
    assert kinds(payment)
    payments.maintenance.deliver_events()
    assert "order_paid" not in heard


@placeholders
def test_approved_records_of_two_customers_with_a_placeholder_are_two_differences(
    id_: str, shop: Shop
) -> None:
    both = [shop.begin() for _ in range(2)]
    for payment in both:
        shop.report(payment, record(payment.reference, id=id_))
        shop.ask(payment)
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
    shop.report(payment, record(payment.reference), record(payment.reference, id=id_))
    shop.days(2)
    assert state(payment) == ("FROZEN", False)
    assert kinds(payment)
