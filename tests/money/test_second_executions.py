"""What the gateway has carried out twice: once a person has accepted ours, the other is booked or closed."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.support.gateway import Answer, losing, record, without_id
from tests.support.shop import (
    OPERATIONS,
    Shop,
    euros,
    of,
    open_differences,
    order_of,
    reloaded,
    state,
    told,
    totals,
)
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction, Payment

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
FIVE = Decimal("5.00")
both = pytest.mark.parametrize("kind", ["CAPTURE", "REFUND"])


def done_twice(shop: Shop, kind: str, amount: Decimal = FIVE) -> GatewayTransaction:
    """A capture or a refund that the gateway has carried out twice, of a payment of 30.00."""
    payment = shop.pay_for(kind)
    made = OPERATIONS[kind](order_of(payment), amount)
    shop.gateway.records[made.reference].append(of(made, id="G-twice"))
    assert asked(shop, made).state == "ANOMALY"
    return made


def asked(shop: Shop, made: GatewayTransaction) -> GatewayTransaction:
    shop.ask(Payment.objects.get())
    made.refresh_from_db()
    return made


def accepted(shop: Shop, made: GatewayTransaction) -> GatewayTransaction:
    """Accept ours as a person; the next query tells the other one apart."""
    made.refresh_from_db()
    payments.approvals.resolve(made, decision="DID_HAPPEN", reason="so", by="anna")
    return asked(shop, made)


def book(reason: str = "seen") -> list[GatewayTransaction]:
    found = sorted(open_differences(), key=lambda one: one.pk)
    return [payments.approvals.book_discrepancy(one, reason=reason, by="anna") for one in found]


def kinds() -> list[str]:
    return [one.kind for one in open_differences()]


@both
def test_the_other_execution_of_what_was_accepted_is_booked_like_one_of_the_portal(
    kind: str, shop: Shop
) -> None:
    made = accepted(shop, done_twice(shop, kind))
    payment = Payment.objects.get()
    assert (made.state, kinds()) == ("APPROVED", ["MADE_ELSEWHERE"])
    assert state(payment)[0] == "FROZEN", "as long as our totals do not contain it"

    (booked,) = book()
    assert (booked.kind, booked.approved_minor, booked.record_id) == (made.kind, 500, "G-twice")
    for _ in range(2):
        assert asked(shop, made).state == "APPROVED"
    refunded, captured = ("10.00", "30.00") if kind == "REFUND" else ("0.00", "10.00")
    assert (totals(payment), kinds()) == ((euros(captured), euros(refunded)), [])
    heard = {"REFUND": "REFUNDED", "CAPTURE": "CAPTURED_IN_PART"}[kind]
    assert [event for event in told() if event[0] == heard] == [(heard, 500)] * 2


def test_one_that_was_undone_in_the_portal_leaves_totals_as_the_gateways(shop: Shop) -> None:
    made = done_twice(shop, "CAPTURE")
    payment = Payment.objects.get()
    undone = record(payment.reference, id="P-1", type="ecom.refund", transactionAmount=5)
    shop.gateway.records[payment.reference].append(undone)
    accepted(shop, made)
    book("undone")
    assert (totals(payment), state(payment)[0]) == ((euros("10.00"), euros("5.00")), "PART_REFUNDED")


def test_a_shop_that_books_by_itself_waits_for_the_decision_on_ours(shop: Shop) -> None:
    shop.configure(BOOK_ELSEWHERE="book")
    made = done_twice(shop, "REFUND")
    assert Payment.objects.get().refunded == 500
    accepted(shop, made)
    assert (Payment.objects.get().refunded, kinds()) == (1000, [])


def test_one_that_was_closed_is_neither_booked_nor_told_again(shop: Shop) -> None:
    made = accepted(shop, done_twice(shop, "REFUND"))
    (difference,) = open_differences()
    payments.approvals.close_discrepancy(difference, reason="sent back", by="anna")
    assert asked(shop, made).state == "APPROVED"
    assert (Payment.objects.get().refunded, kinds()) == (500, [])


def test_closing_the_difference_alone_decides_nothing_on_the_transaction(shop: Shop) -> None:
    made = done_twice(shop, "REFUND")
    (difference,) = open_differences()
    payments.approvals.close_discrepancy(difference, reason="seen", by="anna")
    assert asked(shop, made).state == "ANOMALY"
    assert (Payment.objects.get().refunded, Payment.objects.get().is_frozen) == (500, True)


@pytest.mark.parametrize("ids", [("g8", "g9"), ("i" * 120, "j" * 120)], ids=["short", "long"])
def test_each_further_execution_is_a_difference_of_its_own(ids: tuple[str, str], shop: Shop) -> None:
    made = done_twice(shop, "REFUND")
    shop.report(made, of(made, id=made.record_id))
    accepted(shop, made)
    for count in (1, 2):
        shop.report(made, *(of(made, id=one) for one in (made.record_id, *ids[:count])))
        assert asked(shop, made).state == "APPROVED"
        assert kinds() == ["MADE_ELSEWHERE"] * count


def test_of_an_unknown_outcome_that_turned_up_twice_one_is_ours_whatever_their_order(shop: Shop) -> None:
    payment = shop.pay()
    ours = shop.lose_answer(payments.refund, order_of(payment), FIVE)
    listed = [of(ours, id=one) for one in ("g2", "g1")]
    shop.report(ours, *listed)
    assert asked(shop, ours).state == "ANOMALY"
    accepted(shop, ours)
    for told_so in (listed, listed[::-1]):
        shop.report(ours, *told_so)
        assert asked(shop, ours).record_id == "g1"
        assert kinds() == ["MADE_ELSEWHERE"]


def test_a_record_of_another_id_alone_is_no_second_execution_to_book(shop: Shop) -> None:
    """A gateway that gives one record another id has carried out nothing more."""
    payment = shop.pay()
    ours = payments.refund(order_of(payment), FIVE)
    shop.report(ours, of(ours, id="another"))
    assert asked(shop, ours).state == "ANOMALY"
    assert accepted(shop, ours).state == "APPROVED"
    assert (Payment.objects.get().refunded, kinds()) == (500, [])


def test_more_refunded_than_captured_is_told(shop: Shop) -> None:
    accepted(shop, done_twice(shop, "REFUND", Decimal("20.00")))
    book()
    assert (Payment.objects.get().refunded, kinds()) == (3000, ["ABOVE_LIMIT"])


# A gateway that files everything under the original's reference


@pytest.fixture
def shared(shop: Shop) -> Shop:
    shop.configure(SHARES_REFERENCES=True)
    return shop


def doubled(shop: Shop, kind: str) -> tuple[Payment, GatewayTransaction]:
    """An operation of 5.00 whose record stands twice under the payment's reference."""
    payment = shop.pay_for(kind)
    made = OPERATIONS[kind](order_of(payment), FIVE)
    shop.report(made)
    for id_ in (made.record_id, "double"):
        file_under(shop, payment, made, id_)
    return payment, made


def file_under(shop: Shop, payment: Payment, made: GatewayTransaction, id_: str | None) -> None:
    shop.gateway.records[payment.reference].append(
        of(made, id=id_, clientSystemTransactionId=payment.reference)
    )


def named() -> str:
    return " ".join(str(one.explanation_params) for one in open_differences())


@both
def test_a_sibling_of_another_amount_is_not_contradicted_by_the_double_and_finds_its_own_record(
    kind: str, shared: Shop
) -> None:
    payment, _ = doubled(shared, kind)
    sibling = shared.lose_answer(OPERATIONS[kind], order_of(payment), Decimal("3.00"))
    shared.days(1)
    assert (reloaded(sibling).state, state(payment)[0]) == ("UNKNOWN", "FROZEN")
    assert "double" in named()
    file_under(shared, payment, sibling, "late")
    shared.days(2)
    assert (reloaded(sibling).state, sibling.record_id) == ("APPROVED", "late")
    assert "double" in named()


@both
@pytest.mark.parametrize("answer", [losing, without_id], ids=["lost", "approved without an id"])
def test_a_sibling_of_the_same_amount_explains_one_record_and_not_two(
    answer: Answer, kind: str, shared: Shop
) -> None:
    payment, _ = doubled(shared, kind)
    shared.gateway.answers.append(answer)
    sibling = OPERATIONS[kind](order_of(payment), FIVE)
    file_under(shared, payment, sibling, "its own")
    shared.days(2)
    assert state(payment)[0] == "FROZEN"
    assert "double" in named() or "its own" in named()


@both
def test_of_equal_amounts_the_double_counts_as_the_sibling_that_never_happened(
    kind: str, shared: Shop
) -> None:
    """Two records and two transactions cannot be told apart, and the sums are the gateway's."""
    payment, _ = doubled(shared, kind)
    sibling = shared.lose_answer(OPERATIONS[kind], order_of(payment), FIVE)
    shared.days(2)
    assert (reloaded(sibling).state, sibling.record_id) == ("APPROVED", "double")
    assert totals(payment)[kind == "REFUND"] == euros("10.00")
