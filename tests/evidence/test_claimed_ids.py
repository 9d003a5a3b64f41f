"""Only an approved record claims its id, and a placeholder is the id of nothing."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.evidence.gateway import ZERO, answering, record
from tests.evidence.shop import Shop, euros, kinds, of, open_differences, order_of, state, totals
from wallet_gateway import payments

pytestmark = pytest.mark.django_db

PLACEHOLDERS = ["", "0", "0000", ZERO, ZERO.replace("-", "")]
SAME_IDS = [*PLACEHOLDERS, "77", "n/a"]
"""Ids that one gateway may give to everything that it has declined."""
same_ids = pytest.mark.parametrize("id_", SAME_IDS)
placeholders = pytest.mark.parametrize("id_", PLACEHOLDERS)


@same_ids
def test_two_declined_customers_with_the_same_id_may_both_pay_again(id_: str, shop: Shop) -> None:
    both = [shop.begin() for _ in range(2)]
    for payment in both:
        shop.report(payment, record(payment.reference, id=id_, state="Errored"))
        shop.ask(payment)
    shop.days(1)
    for payment in both:
        assert state(payment) == ("FAILED", True)
        assert payments.start_checkout(order_of(payment)).redirect_url
    assert not open_differences()


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


@pytest.mark.every_database
def test_a_real_id_of_a_declined_card_may_be_that_of_another_customers_approval(shop: Shop) -> None:
    declined, paid = shop.begin(), shop.begin()
    shop.report(declined, record(declined.reference, id="77", state="Errored"))
    shop.report(paid, record(paid.reference, id="77"))
    shop.ask(declined)
    shop.ask(paid)
    assert (state(declined), state(paid)) == (("FAILED", True), ("PAID", False))
    assert not open_differences()


@pytest.mark.every_database
def test_the_real_id_of_an_approval_is_that_of_one_payment_only(shop: Shop) -> None:
    first, second = shop.begin(), shop.begin()
    for payment in (first, second):
        shop.report(payment, record(payment.reference, id="77"))
        shop.ask(payment)
    assert (state(first), state(second)) == (("PAID", False), ("FROZEN", False))
    assert kinds(second) == {"RECORD_TAKEN"}


# Follow-ups


@same_ids
@pytest.mark.parametrize("answered", ["Errored", "errored"])
def test_two_refunds_answered_errored_with_the_same_id_freeze_nothing(
    answered: str, id_: str, shop: Shop
) -> None:
    both = [shop.pay() for _ in range(2)]
    for payment in both:
        shop.gateway.answers.append(answering(state=answered, id=id_))
        refused = payments.refund(order_of(payment), Decimal("10.00"))
        assert refused.state == "REJECTED"
        shop.report(refused, of(refused, id=id_, state=answered))
    shop.days(2)
    assert not open_differences()
    for payment in both:
        assert payments.refund(order_of(payment), Decimal("10.00")).state == "APPROVED"
        assert totals(payment)[1] == euros("10.00")


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


@same_ids
def test_two_cards_declined_at_the_button_with_the_same_id_may_be_tried_again(id_: str, shop: Shop) -> None:
    for _ in range(2):
        shop.gateway.answers.append(answering(state="Errored", id=id_))
        payment = shop.press_button(shop.order())
        assert payments.wallet.outcome(payment) == "DECLINED"
        assert state(payment) == ("FAILED", True)
    assert not open_differences()


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
