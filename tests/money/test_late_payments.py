"""A payment that comes after its order was cancelled: a person decides, and nobody ships before."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.support.gateway import record
from tests.support.shop import Shop, euros, kinds, kinds_told, open_differences, order_of, state, totals
from wallet_gateway import payments
from wallet_gateway.models import Discrepancy, Payment, PaymentOrder

pytestmark = pytest.mark.django_db

OPENING = {"sale": "ecom.sale", "preauthorization": "ecom.preAuthorization"}


def paid(shop: Shop, *given: Payment, type_: str = "sale") -> None:
    """Let the gateway report payments as paid, and ask about them in this sequence."""
    for payment in given:
        shop.report(payment, record(payment.reference, type=OPENING[type_]))
    for payment in given:
        shop.clock.by += timedelta(seconds=10)
        payments.reconcile(payment, everything=True)


def late(shop: Shop, **given: Any) -> Payment:
    """A page of an order that is cancelled, and then paid."""
    payment = shop.begin(**given)
    payments.cancel(order_of(payment), by="shop")
    paid(shop, payment, type_=given.get("type", "sale"))
    payment.refresh_from_db()
    return payment


def two_pages(shop: Shop, **given: Any) -> tuple[Payment, Payment]:
    """Open a second page of an order when the first one is about to end; cancel the order."""
    first = shop.begin(**given)
    shop.clock.by += timedelta(minutes=14, seconds=30)
    second = payments.start_checkout(order_of(first))
    payments.cancel(order_of(first), by="shop")
    return first, second


def accept(payment: Payment) -> None:
    """Close the difference of a late payment."""
    difference = Discrepancy.objects.get(kind="LATE_PAYMENT", payment=payment)
    payments.approvals.close_discrepancy(difference, reason="decided", by="anna")


def stands(payment: Payment) -> tuple[str, str]:
    order = order_of(payment)
    return order.state, order.late_payment


def released(shop: Shop, payment: Payment, *, minutes: float = 31, sweeps: int = 2) -> bool:
    for _ in range(sweeps):
        shop.clock.by += timedelta(minutes=minutes)
        payments.sweep()
    return order_of(payment).is_released


REPORTED = ["CANCELLED", "ANOMALY"]


@pytest.mark.every_database
def test_a_late_payment_is_left_to_a_person_and_nobody_is_told_that_the_order_is_paid(shop: Shop) -> None:
    payment = late(shop)
    assert (stands(payment), order_of(payment).is_paid) == (("FROZEN", "REPORTED"), False)
    assert kinds(payment) == {"LATE_PAYMENT"}
    assert totals(payment)[0] == euros("30.00"), "the money is in our totals all the same"
    assert not released(shop, payment, minutes=60 * 15)
    assert kinds_told() == REPORTED


def _close_and_die(payment: Payment) -> None:
    """Close the difference as a process does that dies right after it."""
    now = payment.order.updated_at
    Discrepancy.objects.filter(payment=payment).update(closed_at=now, closed_by="anna", reason="one more")


Acts = list[Callable[[Payment], object]]


def _refund(payment: Payment) -> object:
    return payments.refund(order_of(payment))


def _capture(payment: Payment) -> object:
    return payments.capture(order_of(payment))


def _reverse(payment: Payment) -> object:
    return payments.reverse(order_of(payment))


@pytest.mark.parametrize(
    ("type_", "acts", "after", "then_told", "is_released"),
    [
        pytest.param("sale", [accept], "PAID", ["PAID"], False, id="accepted"),
        pytest.param("sale", [_close_and_die], "PAID", ["PAID"], False, id="by one who died"),
        pytest.param("sale", [_refund, accept], "REFUNDED", ["REFUNDED", "RELEASED"], True, id="given back"),
        pytest.param(
            "sale", [accept, _refund], "REFUNDED", ["PAID", "REFUNDED", "RELEASED"], True, id="and given back"
        ),
        pytest.param(
            "preauthorization", [_capture, accept], "PAID", ["AUTHORIZED", "PAID"], False, id="captured"
        ),
        pytest.param(
            "preauthorization", [_reverse, accept], "CANCELLED", ["REVERSED", "RELEASED"], True, id="reversed"
        ),
    ],
)
def test_what_a_person_does_with_a_late_payment_is_told_and_releases_what_is_free(
    type_: str, acts: Acts, after: str, then_told: list[str], is_released: bool, shop: Shop
) -> None:
    payment = late(shop, type=type_)
    for act in acts:
        act(payment)
    assert released(shop, payment, minutes=61) is is_released
    assert (state(payment)[0], kinds_told()) == (after, REPORTED + then_told)
    assert order_of(payment).release_check_at is None


@pytest.mark.parametrize(
    ("policy", "after", "found"),
    [("report", ("FROZEN", "REPORTED"), {"LATE_PAYMENT"}), ("accept", ("PAID", "ACCEPTED"), set())],
)
def test_the_setting_decides_whether_a_person_is_asked(
    policy: str, after: tuple[str, str], found: set[str], shop: Shop
) -> None:
    shop.configure(LATE_PAYMENT=policy)
    payment = late(shop)
    assert (stands(payment), kinds(payment)) == (after, found)


@pytest.mark.parametrize("word", ["Errored", "Pending"])
def test_only_a_payment_that_is_approved_comes_late(word: str, shop: Shop) -> None:
    payment = shop.begin()
    payments.cancel(order_of(payment), by="shop")
    shop.report(payment, record(payment.reference, state=word))
    shop.ask(payment)
    assert (stands(payment)[1], kinds_told()) == ("", ["CANCELLED"])


def test_a_record_that_shows_after_the_release_is_a_late_payment_too(shop: Shop) -> None:
    payment = shop.begin()
    payments.cancel(order_of(payment), by="shop")
    assert released(shop, payment, sweeps=3)
    paid(shop, payment)
    assert stands(payment) == ("FROZEN", "REPORTED")
    assert kinds_told() == ["CANCELLED", "RELEASED", "ANOMALY"]


def test_a_cancellation_while_an_answer_is_on_its_way_does_not_hide_that_the_payment_is_late(
    shop: Shop,
) -> None:
    payment = shop.begin()

    def cancel_and_answer(reference: str) -> tuple[int, object]:
        payments.cancel(order_of(payment), by="shop")
        return 200, [record(reference)]

    shop.gateway.queries.append(cancel_and_answer)
    shop.ask(payment)
    assert stands(payment) == ("FROZEN", "REPORTED")


def test_a_capture_of_a_late_payment_is_not_a_late_payment_itself(shop: Shop) -> None:
    payment = late(shop, type="preauthorization")
    _capture(payment)
    assert Discrepancy.objects.get().transaction == payment.opening


def test_a_payment_that_came_in_time_is_not_late_once_a_contradiction_of_it_is_accepted(shop: Shop) -> None:
    payment = shop.pay()
    _refund(payment)
    order = order_of(payment)
    PaymentOrder.objects.update(cancelled_at=order.updated_at, release_check_at=order.updated_at)
    shop.gateway.records[payment.reference].append(record(payment.reference, id="R-2"))
    shop.ask(payment)
    assert state(payment)[0] == "FROZEN"
    payments.approvals.resolve(Payment.objects.get().opening, decision="DID_HAPPEN", reason="so", by="anna")
    assert stands(payment) == ("REFUNDED", "")


# Several payments of one order


@pytest.mark.every_database
@pytest.mark.parametrize(("given_back", "closed_first"), [(0, 0), (0, 1), (1, 0)])
def test_the_late_payment_that_is_kept_is_told_as_paid_whichever_difference_is_closed_last(
    given_back: int, closed_first: int, shop: Shop
) -> None:
    both = two_pages(shop)
    paid(shop, *both)
    payments.refund(order_of(both[0]), payment=both[given_back])
    accept(both[closed_first])
    assert (state(both[0])[0], "PAID" in kinds_told()) == ("FROZEN", False)
    accept(both[1 - closed_first])
    assert state(both[0])[0] == "PAID"
    assert kinds_told() == [*REPORTED, "ANOMALY", "REFUNDED", "PAID"]


def test_two_late_payments_that_are_accepted_are_told_as_paid_once_although_overpaid(shop: Shop) -> None:
    both = two_pages(shop)
    paid(shop, *both)
    for payment in both:
        accept(payment)
    assert state(both[0])[0] == "OVERPAID"
    payments.refund(order_of(both[0]), payment=both[1])
    assert (state(both[0])[0], kinds_told().count("PAID")) == ("PAID", 1)


@pytest.mark.parametrize(
    ("policies", "after", "found"),
    [
        (("report", "accept"), ("FROZEN", "REPORTED"), 2),
        (("accept", "report"), ("OVERPAID", "ACCEPTED"), 0),
    ],
)
def test_the_first_late_payment_decides_how_a_second_one_is_taken_though_the_setting_has_changed(
    policies: tuple[str, str], after: tuple[str, str], found: int, shop: Shop
) -> None:
    both = two_pages(shop)
    for payment, policy in zip(both, policies, strict=True):
        shop.configure(LATE_PAYMENT=policy)
        paid(shop, payment)
    assert (stands(both[0]), len(open_differences())) == (after, found)


@pytest.mark.parametrize(
    ("type_", "give_back"), [("sale", payments.refund), ("preauthorization", payments.reverse)]
)
def test_a_payment_of_an_order_that_was_paid_late_and_given_back_is_decided_on_anew(
    type_: str, give_back: Callable[..., object], shop: Shop
) -> None:
    shop.configure(LATE_PAYMENT="accept")
    first, second = two_pages(shop, type=type_)
    paid(shop, first, type_=type_)
    give_back(order_of(first), payment=first)
    shop.configure(LATE_PAYMENT="report")
    paid(shop, second, type_=type_)
    assert stands(second) == ("FROZEN", "REPORTED")


def test_what_was_given_back_is_not_released_while_another_page_may_be_paid(shop: Shop) -> None:
    first, _ = two_pages(shop)
    paid(shop, first)
    payments.refund(order_of(first), payment=first)
    accept(first)
    assert not released(shop, first, minutes=20, sweeps=1)
    assert released(shop, first, minutes=15, sweeps=3)


def test_a_cancelled_order_is_not_released_while_one_of_its_payments_holds_an_authorization(
    shop: Shop,
) -> None:
    shop.configure(LATE_PAYMENT="accept")
    first, second = two_pages(shop, type="preauthorization")
    paid(shop, first, second, type_="preauthorization")
    payments.capture(order_of(first), payment=first)
    payments.refund(order_of(first), payment=first)
    assert not released(shop, first)
    assert state(first)[0] == "AUTHORIZED"
    payments.reverse(order_of(first), payment=second)
    assert released(shop, first, minutes=2)
    assert state(first)[0] == "REFUNDED"
