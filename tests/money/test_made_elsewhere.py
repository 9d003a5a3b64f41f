"""What was made in the provider's portal: booked once, by policy or by a person."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.support.database_faults import RESERVING, meddling, raising
from tests.support.gateway import Answer, Record, answering, losing, record, refusing, without_id
from tests.support.refusals import refuses
from tests.support.shop import (
    Shop,
    compared,
    doctors_words,
    euros,
    kinds,
    news,
    of,
    open_differences,
    order_of,
    reloaded,
    state,
    told,
    totals,
)
from wallet_gateway import payments
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment
from wallet_gateway.payments.errors import ErrorCode, InvalidState

pytestmark = pytest.mark.django_db
CAPTURE, REFUND, REVERSAL = "ecom.capture", "ecom.refund", "ecom.reversalPreauthorization"
FIVE, TEN = Decimal("5.00"), Decimal("10.00")
Told = tuple[str, int | None]
End = Callable[[Shop, Payment], GatewayTransaction]


def elsewhere(payment: Payment, type_: str, amount: float, id_: str = "P-1", **fields: Any) -> Record:
    return record(payment.reference, id=id_, type=type_, transactionAmount=amount, **fields)


def appears(shop: Shop, payment: Payment, *made: Record, first: bool = False) -> None:
    """Let the gateway list records beside the payment's own, and ask."""
    listed = shop.gateway.records[payment.reference]
    listed[0 if first else len(listed) :] = made
    shop.ask(payment)


def made_elsewhere() -> list[GatewayTransaction]:
    return list(GatewayTransaction.objects.filter(origin="ELSEWHERE").order_by("pk"))


@pytest.fixture
def booking(shop: Shop) -> Shop:
    """A shop that books what was made elsewhere."""
    shop.configure(BOOK_ELSEWHERE="book")
    return shop


# By policy


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("type_", "made", "amount", "after", "heard"),
    [
        ("sale", REFUND, 4, "PART_REFUNDED", [("PAID", 3000), ("REFUNDED", 400)]),
        ("sale", "ECOM.REFUND", 30, "REFUNDED", [("PAID", 3000), ("REFUNDED", 3000)]),
        ("preauthorization", CAPTURE, 30, "PAID", [("AUTHORIZED", 3000), ("PAID", 3000)]),
        ("preauthorization", REVERSAL, 30, "REVERSED", [("AUTHORIZED", 3000), ("REVERSED", 3000)]),
    ],
)
def test_an_operation_is_booked_once_and_the_shop_is_told(
    type_: str, made: str, amount: float, after: str, heard: list[Told], booking: Shop
) -> None:
    payment = booking.pay(type=type_)
    appears(booking, payment, elsewhere(payment, made, amount))
    for _ in range(2):
        assert (state(payment)[0], told(), open_differences()) == (after, heard, [])
        booking.ask(payment)
    (row,) = made_elsewhere()
    minor = int(amount * 100)
    assert (row.state, row.record_id, row.amount_minor, row.approved_minor) == (
        "APPROVED",
        "P-1",
        minor,
        minor,
    )
    assert (row.excess_minor, row.next_query_at, row.attempt_no) == (0, None, 0)
    assert row.approved_at == row.created_at
    assert "P-1" in row.explanation
    assert row.reference not in booking.gateway.asked, "what was booked so is never asked about"
    assert "1 transactions to compare" in compared()


def test_a_second_operation_of_the_same_amount_is_another_one(booking: Shop) -> None:
    payment = booking.pay()
    for number in (1, 2):
        appears(booking, payment, elsewhere(payment, REFUND, 4, f"P-{number}"))
    assert totals(payment)[1] == euros("8.00")


def test_a_refund_listed_before_its_capture_is_booked_after_it(booking: Shop) -> None:
    payment = booking.pay(type="preauthorization")
    newest_first = elsewhere(payment, REFUND, 4, "P-2"), elsewhere(payment, CAPTURE, 30)
    appears(booking, payment, *newest_first, first=True)
    assert (totals(payment), open_differences()) == ((euros("30.00"), euros("4.00")), [])


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("type_", "made", "amount", "booked", "excess", "heard"),
    [
        ("sale", REFUND, 35, ("30.00", "30.00"), 500, [("REFUNDED", 3000)]),
        ("sale", CAPTURE, 5, ("30.00", "0.00"), 500, []),
        ("sale", REVERSAL, 30, ("30.00", "0.00"), 3000, []),
    ],
)
def test_what_exceeds_the_limit_is_booked_to_the_limit_and_freezes(
    type_: str,
    made: str,
    amount: float,
    booked: tuple[str, str],
    excess: int,
    heard: list[Told],
    booking: Shop,
) -> None:
    payment = booking.pay(type=type_)
    appears(booking, payment, elsewhere(payment, made, amount))
    (row,), (difference,) = made_elsewhere(), open_differences()
    assert (difference.kind, difference.transaction) == ("ABOVE_LIMIT", row)
    assert f"{excess / 100:.2f}" in difference.explanation
    assert (row.approved_minor, row.excess_minor) == (int(amount * 100), excess)
    assert (totals(payment), state(payment)[0]) == (tuple(map(euros, booked)), "FROZEN")
    payments.approvals.close_discrepancy(difference, reason="seen", by="anna")
    heard_of = [event for event in told() if event[0] != "ANOMALY"]
    assert heard_of == [("PAID", 3000), *heard, ("UNFROZEN", None)]


@pytest.mark.parametrize(
    "changes",
    [{"type": "ecom.sale"}, {"type": "detached.refund"}, {"currencyCode": "USD"}, {"type": "chargeback"}],
    ids=str,
)
def test_a_record_for_which_there_is_no_rule_is_left_to_a_person(
    changes: dict[str, Any], booking: Shop
) -> None:
    payment = booking.pay(type="preauthorization")
    appears(booking, payment, elsewhere(payment, CAPTURE, 4) | changes)
    (difference,) = open_differences()
    assert (state(payment)[0], made_elsewhere()) == ("FROZEN", [])
    with refuses(InvalidState, ErrorCode.NOT_BOOKABLE):
        payments.approvals.book_discrepancy(difference, reason="seen", by="anna")


def test_what_a_person_has_closed_is_not_booked_by_the_settings_later(shop: Shop) -> None:
    payment = shop.pay()
    appears(shop, payment, elsewhere(payment, REFUND, 4))
    shop.decide(payment, "DID_HAPPEN")
    shop.configure(BOOK_ELSEWHERE="book")
    shop.ask(payment)
    assert (state(payment)[0], made_elsewhere()) == ("PAID", [])


# Beside our own operations


@pytest.mark.every_database
def test_while_an_operation_of_ours_is_outstanding_nothing_is_booked_and_all_of_it_afterwards(
    booking: Shop,
) -> None:
    payment = booking.pay(type="preauthorization")
    payments.capture(order_of(payment), Decimal("10.00"))
    lost = booking.lose_answer(payments.refund, order_of(payment), FIVE)
    appears(booking, payment, elsewhere(payment, CAPTURE, 4))
    assert (state(payment)[0], totals(payment)[0]) == ("FROZEN", euros("10.00"))
    (difference,) = open_differences()
    with refuses(InvalidState, ErrorCode.TOO_EARLY, says="not finished"):
        payments.approvals.book_discrepancy(difference, reason="seen", by="anna")

    GatewayTransaction.objects.filter(pk=payment.opening.pk).update(
        next_query_at=booking.clock.now() + timedelta(days=5)
    )
    booking.report(lost, of(lost))
    booking.until(lost.next_query_at)
    for _ in range(2):
        payments.sweep()
        booking.clock.by += timedelta(minutes=1)
    assert (totals(payment), open_differences()) == ((euros("14.00"), euros("5.00")), [])


def given_up(shop: Shop, payment: Payment) -> GatewayTransaction:
    """A refund of 5.00 that a person gave up, as the gateway knew nothing of it."""
    lost = shop.lose_answer(payments.refund, order_of(payment), FIVE)
    shop.days(5)
    lost.refresh_from_db()
    return payments.approvals.resolve(lost, decision="DID_NOT_HAPPEN", reason="so", by="anna")


def refused(shop: Shop, payment: Payment) -> GatewayTransaction:
    """A refund of 5.00 that the gateway has refused."""
    lost = shop.lose_answer(payments.refund, order_of(payment), FIVE)
    shop.report(lost, of(lost, state="Errored"))
    shop.ask(payment)
    return lost


@pytest.mark.parametrize("end", [given_up, refused])
def test_a_refund_that_ended_and_shows_as_made_elsewhere_is_booked_once(end: End, booking: Shop) -> None:
    payment = booking.pay()
    ours = end(booking, payment)
    booking.report(ours, *([of(ours, id="G-5")] if end is given_up else []))
    booking.gateway.records[payment.reference].append(elsewhere(payment, REFUND, 5, "G-5"))
    payments.orders.reconcile_attempt(payment.reference)
    booking.days(1)
    assert (totals(payment)[1], state(payment)[0]) == (euros("5.00"), "PART_REFUNDED")
    (row,) = made_elsewhere()
    assert (row.record_id, reloaded(ours).record_id) == ("G-5", None)


def test_a_lost_refund_is_looked_for_under_the_original_before_a_person_may_give_it_up(shop: Shop) -> None:
    payment = shop.pay()
    lost = shop.lose_answer(payments.refund, order_of(payment))
    shop.gateway.records[payment.reference].append(elsewhere(payment, REFUND, 30, "G-5"))
    shop.days(5)
    assert (reloaded(lost).state, lost.record_id, totals(payment)[1]) == ("APPROVED", "G-5", euros("30.00"))


def test_a_record_of_another_payment_is_not_booked_and_not_forgotten(booking: Shop) -> None:
    first, second = booking.pay(), booking.pay()
    for payment in (first, second):
        appears(booking, payment, elsewhere(payment, REFUND, 4))
    assert [totals(one)[1] for one in (first, second)] == [euros("4.00"), euros("0.00")]
    assert state(second)[0] == "FROZEN"
    with refuses(InvalidState, ErrorCode.NOT_BOOKABLE, says="of another payment"):
        payments.approvals.book_discrepancy(Discrepancy.objects.get(), reason="seen", by="anna")


def test_an_answer_that_another_worker_has_booked_meanwhile_is_no_difference(shop: Shop) -> None:
    payment = shop.pay()
    shop.gateway.records[payment.reference].append(elsewhere(payment, REFUND, 4))

    def meet(reference: str) -> tuple[int, object]:
        shop.configure(BOOK_ELSEWHERE="book")
        shop.ask(payment)
        return 200, shop.gateway.records[reference]

    shop.gateway.queries.append(meet)
    GatewayTransaction.objects.update(next_query_at=shop.clock.now())
    shop.clock.sleep(1)
    payments.sweep()
    assert (totals(payment)[1], len(made_elsewhere())) == (euros("4.00"), 1)
    assert not open_differences()


@pytest.mark.parametrize("answer", [losing, without_id], ids=["lost", "without an id"])
def test_under_a_shared_reference_one_record_of_our_amount_is_ours_and_the_others_are_not(
    answer: Answer, booking: Shop
) -> None:
    booking.configure(SHARES_REFERENCES=True)
    payment = booking.pay()
    booking.gateway.answers.append(answer)
    ours = payments.refund(order_of(payment), FIVE)
    made = [elsewhere(payment, REFUND, amount, f"G-{amount}") for amount in (5, 4, 6)]
    booking.gateway.records[payment.reference].extend(made)
    booking.days(1)
    assert reloaded(ours).state == "APPROVED"
    assert (totals(payment)[1], [row.record_id for row in made_elsewhere()]) == (
        euros("15.00"),
        ["G-4", "G-6"],
    )


def test_a_decision_on_a_payment_leaves_what_was_made_elsewhere_to_be_decided(shop: Shop) -> None:
    payment = shop.pay()
    second, odd = record(payment.reference, id="R-2"), elsewhere(payment, "chargeback", 30, "C-1")
    appears(shop, payment, second, elsewhere(payment, REFUND, 4), odd)
    assert kinds() == {"EXECUTED_TWICE", "MADE_ELSEWHERE", "UNKNOWN_TYPE"}
    opening = Payment.objects.get().opening
    payments.approvals.resolve(opening, decision="DID_HAPPEN", reason="so", by="anna")
    assert (kinds(), state(payment)[0]) == ({"MADE_ELSEWHERE", "UNKNOWN_TYPE"}, "FROZEN")


def test_nothing_is_shipped_for_a_payment_that_was_given_back_while_it_was_frozen(shop: Shop) -> None:
    payment = shop.begin()
    shop.report_and_ask(payment, record(payment.reference), elsewhere(payment, REFUND, 30))
    payments.approvals.book_discrepancy(Discrepancy.objects.get(), reason="seen", by="anna")
    assert [kind for kind, _ in told()] == ["ANOMALY", "REFUNDED", "UNFROZEN"]


def test_two_records_whose_ids_begin_alike_are_two_differences(shop: Shop) -> None:
    payment = shop.pay()
    appears(shop, payment, *(elsewhere(payment, REFUND, 1, "g" * 400 + end) for end in "ab"))
    shop.ask(payment)
    assert [one.kind for one in open_differences()] == ["MADE_ELSEWHERE"] * 2


def test_two_records_of_an_unknown_type_with_long_ids_are_two_differences_that_the_column_holds(
    shop: Shop,
) -> None:
    payment = shop.pay()
    appears(shop, payment, *(elsewhere(payment, "chargeback", 1, "g" * 250 + end) for end in "ab"))
    assert [one.kind for one in open_differences()] == ["UNKNOWN_TYPE"] * 2
    assert {len(one.fingerprint) for one in open_differences()} == {200}


def test_beside_a_refused_refund_one_of_another_amount_is_the_portals_and_is_told_once(shop: Shop) -> None:
    shop.configure(SHARES_REFERENCES=True)
    payment = shop.pay()
    shop.gateway.answers.append(refusing(400))
    refused = payments.refund(order_of(payment), TEN)
    assert refused.state == "REJECTED"
    appears(shop, payment, elsewhere(payment, REFUND, 4))
    shop.days(2)
    (difference,) = open_differences()
    payments.approvals.book_discrepancy(difference, reason="by support", by="anna")
    assert state(payment) == ("PART_REFUNDED", False)


def test_a_refund_of_the_portal_is_not_hidden_by_an_equal_one_that_was_refused(shop: Shop) -> None:
    payment = shop.pay()
    shop.gateway.answers.append(refusing(400))
    shop.gateway.queries.append(lambda _: (200, b"no answer"))
    assert payments.refund(order_of(payment), FIVE).state == "UNKNOWN"
    appears(shop, payment, elsewhere(payment, REFUND, 5))
    assert (kinds(), state(payment)[0]) == ({"MADE_ELSEWHERE"}, "FROZEN")


def test_the_question_after_a_refusal_shows_what_another_operation_was_carried_out_with(shop: Shop) -> None:
    shop.configure(SHARES_REFERENCES=True)
    payment = shop.pay(type="preauthorization")
    shop.gateway.answers += [answering(id="G-9"), refusing(400)]
    payments.capture(order_of(payment), TEN)
    shop.gateway.records[payment.reference].append(elsewhere(payment, CAPTURE, 5, "G-9"))
    assert payments.refund(order_of(payment), TEN).state == "REJECTED"
    assert (kinds(), state(payment)[0]) == ({"AMOUNT_DIFFERS"}, "FROZEN")


@pytest.mark.every_database
def test_a_reference_that_no_database_stores_keeps_no_payment_from_being_paid(shop: Shop) -> None:
    payment = shop.begin()
    shop.report_and_ask(payment, record(payment.reference), record("X\0Y", id="R-2"))
    assert state(payment)[0] == "PAID"


def test_a_chargeback_found_with_the_query_of_a_refund_freezes(shop: Shop) -> None:
    shop.configure(SHARES_REFERENCES=True)
    payment = shop.pay()
    lost = shop.lose_answer(payments.refund, order_of(payment), FIVE)
    shop.report(lost, of(lost))
    shop.gateway.records[payment.reference].append(elsewhere(payment, "chargeback", 30))
    shop.sweep_when_due(lost)
    assert state(payment)[0] == "FROZEN"


# Under a reference that the gateway has made


def in_portal(reference: str = "GW-PORTAL-77", **fields: Any) -> Record:
    return record(reference, id="PORTAL-1", type="ecom.refund", transactionAmount=10) | fields


@pytest.mark.parametrize(
    ("fields", "after"),
    [
        pytest.param({}, "PART_REFUNDED", id="a refund"),
        pytest.param({"type": "ecom.capture"}, "PART_CAPTURED", id="a capture"),
        pytest.param(
            {"type": "ecom.reversalPreauthorization", "transactionAmount": 30}, "REVERSED", id="a reversal"
        ),
        pytest.param({"type": "ECOM.REFUND", "state": "APPROVED"}, "PART_REFUNDED", id="in other letters"),
    ],
)
def test_an_approved_operation_is_a_difference_that_freezes_and_can_be_booked_once(
    fields: dict[str, Any], after: str, shop: Shop
) -> None:
    payment = shop.pay(type="sale" if after == "PART_REFUNDED" else "preauthorization")
    appears(shop, payment, in_portal(**fields))
    (line,) = [line for line in compared().splitlines() if "MADE_ELSEWHERE:" in line]
    assert payment.reference in line
    (difference,) = open_differences(payment)
    assert (difference.kind, state(payment)[0]) == ("MADE_ELSEWHERE", "FROZEN")
    assert "PORTAL-1" in str(difference.explanation)
    with pytest.raises(InvalidState):
        payments.refund(order_of(payment))
    # Closed, it stays closed, and can still be booked.
    payments.approvals.close_discrepancy(difference, reason="later", by="anna")
    shop.ask(payment)
    assert not open_differences()

    booked = payments.approvals.book_discrepancy(difference, reason="by support", by="anna")
    assert (booked.state, booked.origin, booked.record_id) == ("APPROVED", "ELSEWHERE", "PORTAL-1")
    with pytest.raises(InvalidState):
        payments.approvals.book_discrepancy(difference, reason="twice", by="anna")
    shop.ask(payment)
    assert (state(payment)[0], open_differences()) == (after, []), "it is counted once"


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"state": "Errored"}, id="errored"),
        pytest.param({"type": "ecom.sale"}, id="a sale of somebody else"),
        pytest.param({"type": "detached.refund"}, id="a detached refund of somebody else"),
    ],
)
def test_what_others_did_is_ignored(fields: dict[str, Any], shop: Shop) -> None:
    payment = shop.pay()
    appears(shop, payment, in_portal(**fields))
    assert not open_differences()
    assert not news()
    assert state(payment) == ("PAID", False)


@pytest.mark.parametrize(
    "whose", ["another payment's", "an erased customer's", "a lost one", "a detached one"]
)
def test_what_we_requested_ourselves_is_no_difference(whose: str, shop: Shop) -> None:
    payment, other = shop.pay(), shop.pay()
    if whose == "a lost one":
        ours = shop.lose_answer(payments.refund, order_of(other), TEN)
    elif whose == "a detached one":
        ours = payments.refund_migrated("OLD-1", TEN, "EUR")
    else:
        ours = payments.refund(order_of(other), TEN)
    if whose == "an erased customer's":
        shop.days(1)
        payments.maintenance.erase_customer(order_of(other), by="anna", reason="asked for")
    appears(shop, payment, of(ours, id=ours.record_id or "G-1"))
    assert "MADE_ELSEWHERE" not in kinds()
    assert state(payment)[0] == "PAID"


def test_a_booked_operation_is_attributed_by_its_id_and_type(shop: Shop) -> None:
    payment = shop.pay()
    appears(shop, payment, in_portal())
    (difference,) = open_differences(payment)
    payments.approvals.book_discrepancy(difference, reason="by support", by="anna")
    shop.gateway.records[payment.reference][-1]["clientSystemTransactionId"] = "RENAMED"
    shop.ask(payment)
    assert not open_differences(), "the same operation under another reference"
    appears(shop, payment, in_portal("GW-PORTAL-78", id="PORTAL-2"))
    assert kinds(payment) == {"MADE_ELSEWHERE"}


def test_the_policy_books_what_stands_under_our_reference_only(shop: Shop) -> None:
    shop.configure(BOOK_ELSEWHERE="book")
    ours, theirs = shop.pay(), shop.pay()
    appears(shop, ours, in_portal(ours.reference, id="PORTAL-2"))
    appears(shop, theirs, in_portal())
    assert (totals(ours)[1], state(ours)[0]) == (euros("10.00"), "PART_REFUNDED")
    assert (totals(theirs)[1], state(theirs)[0]) == (euros("0.00"), "FROZEN")
    assert kinds() == {"MADE_ELSEWHERE"}


# A list of everything


@pytest.mark.every_database
@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "one after the other"])
def test_the_same_record_about_two_payments_is_one_difference_of_the_gateway(
    at_once: bool, shop: Shop
) -> None:
    first, second = shop.pay(), shop.pay()
    for payment in (first, second):
        shop.gateway.records[payment.reference].append(in_portal(type=REFUND if at_once else CAPTURE))
        if not at_once:
            shop.ask(payment)
    shop.days(1)
    (difference,) = open_differences()
    assert (difference.payment, difference.gateway) == (None, "default")
    assert "PORTAL-1" in str(difference.explanation)
    assert news()
    assert "two payments" in doctors_words()
    assert (state(first)[0], state(second)[0]) == ("PAID", "PAID")
    assert payments.refund(order_of(first), TEN).state == "APPROVED"

    appears(shop, first, in_portal("GW-PORTAL-9", id="PORTAL-9"))
    assert (state(first)[0], state(second)[0]) == ("FROZEN", "PAID")
    assert kinds(first) == {"MADE_ELSEWHERE"}, "another record of one of them still freezes it"


def test_a_difference_is_closed_together_with_the_freeze_that_it_caused_or_not_at_all(shop: Shop) -> None:
    payment = shop.pay()
    appears(shop, payment, elsewhere(payment, REFUND, 4))
    (difference,) = open_differences(payment)
    with meddling(RESERVING, act=raising(ZeroDivisionError())), pytest.raises(ZeroDivisionError):
        payments.approvals.close_discrepancy(difference, reason="known", by="anna")
    assert (open_differences(payment), state(payment)[0]) == ([difference], "FROZEN")
    payments.approvals.close_discrepancy(difference, reason="known", by="anna")
    assert (open_differences(payment), state(payment)[0]) == ([], "PAID")


def test_who_asks_about_a_payment_that_is_frozen_for_nothing_releases_it(shop: Shop) -> None:
    payment = shop.pay()
    appears(shop, payment, elsewhere(payment, REFUND, 4))
    # As the end of a difference about two payments leaves it, if the process dies there.
    Discrepancy.objects.update(closed_at=shop.clock.now())
    shop.ask(payment)
    assert state(payment)[0] == "PAID"


def test_chargebacks_without_an_id_are_each_payments_own(shop: Shop) -> None:
    first, second = shop.pay(), shop.pay()
    for payment in (first, second):
        appears(shop, payment, elsewhere(payment, "chargeback", 30, "0"))
    assert [len(open_differences(payment)) for payment in (first, second)] == [1, 1]
