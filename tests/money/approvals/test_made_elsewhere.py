"""A person books an operation made elsewhere: with a name and a reason, as the gateway reports it then."""

from __future__ import annotations

import pytest

from tests.support.gateway import record
from tests.support.refusals import refuses
from tests.support.shop import Shop, state
from wallet_gateway import payments
from wallet_gateway.models import Discrepancy, GatewayTransaction, OutboxEvent, Payment, TransactionEvent
from wallet_gateway.payments.errors import ErrorCode, GatewayUnreachable, InvalidInput, InvalidState

pytestmark = pytest.mark.django_db


def found_elsewhere(shop: Shop, payment: Payment, type_: str, amount: float) -> Discrepancy:
    """Let somebody operate in the portal, and ask the gateway."""
    own = shop.gateway.records[payment.reference]
    shop.report(payment, *own, record(payment.reference, id="P-1", type=type_, transactionAmount=amount))
    shop.ask(payment)
    return Discrepancy.objects.get()


@pytest.fixture
def found(shop: Shop) -> Discrepancy:
    """A refund of 4.00 of 30.00 that was made in the portal."""
    return found_elsewhere(shop, shop.pay(), "ecom.refund", 4.0)


def book(discrepancy: Discrepancy, by: str = "anna", reason: str = "by support") -> GatewayTransaction:
    return payments.approvals.book_discrepancy(discrepancy, reason=reason, by=by)


def told() -> list[str]:
    return list(OutboxEvent.objects.order_by("pk").values_list("kind", flat=True))


@pytest.mark.every_database
def test_booking_counts_tells_and_releases(found: Discrepancy) -> None:
    booked = book(found)
    payment = Payment.objects.get()
    assert (payment.refunded, payment.is_frozen, state(payment)[0]) == (400, False, "PART_REFUNDED")
    assert told() == ["PAID", "ANOMALY", "REFUNDED", "UNFROZEN"]
    found.refresh_from_db()
    assert (found.closed_by, found.reason, found.booked_as) == ("anna", "by support", booked)
    assert (booked.origin, booked.created_by, booked.comment) == ("ELSEWHERE", "anna", "by support")
    event = TransactionEvent.objects.get(transaction=booked)
    assert (event.kind, event.created_by, event.explanation) == ("DECISION", "anna", "by support")
    with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE):
        book(found)


def test_goods_of_an_order_that_was_captured_elsewhere_are_released_once_it_is_booked(shop: Shop) -> None:
    payment = shop.pay(type="preauthorization")
    book(found_elsewhere(shop, payment, "ecom.capture", 30.0))
    assert told() == ["AUTHORIZED", "ANOMALY", "UNFROZEN", "PAID"]


@pytest.mark.parametrize("portal", [None, "GW-PORTAL-77"], ids=["our reference", "one of the portal's own"])
def test_a_refund_waits_for_the_capture_that_was_made_elsewhere_before_it(
    portal: str | None, shop: Shop
) -> None:
    payment = shop.pay(type="preauthorization")
    capture = record(portal or payment.reference, id="P-1", type="ecom.capture")
    refund = record(payment.reference, id="P-2", type="ecom.refund", transactionAmount=4.0)
    shop.report(payment, *shop.gateway.records[payment.reference], refund, capture)
    shop.ask(payment)
    first, second = sorted(Discrepancy.objects.all(), key=lambda one: "ecom.refund" in str(one.explanation))
    with refuses(InvalidState, ErrorCode.NOT_BOOKABLE, says="Book that one first"):
        book(second)
    book(first)
    assert book(second).kind == "REFUND"


@pytest.mark.parametrize(("by", "reason"), [("", "why"), ("anna", " ")])
def test_a_booking_needs_a_name_and_a_reason(by: str, reason: str, found: Discrepancy) -> None:
    with pytest.raises(InvalidInput):
        book(found, by, reason)
    assert not GatewayTransaction.objects.filter(origin="ELSEWHERE").exists()


def test_without_an_answer_of_the_gateway_nothing_is_booked(found: Discrepancy, shop: Shop) -> None:
    shop.gateway.queries.append(lambda _: (200, b"no JSON"))
    with refuses(GatewayUnreachable, ErrorCode.GATEWAY_SILENT, gateway="default"):
        book(found)
    assert Payment.objects.get().is_frozen


def test_what_the_gateway_does_not_report_any_more_is_not_booked(found: Discrepancy, shop: Shop) -> None:
    payment = Payment.objects.get()
    shop.report(payment, shop.gateway.records[payment.reference][0])
    with refuses(InvalidState, ErrorCode.NOT_BOOKABLE, says="not report"):
        book(found)


@pytest.mark.parametrize("kind", ["MADE_ELSEWHERE", "EXECUTED_TWICE"])
def test_a_difference_of_the_gateway_alone_or_of_another_kind_is_not_booked(kind: str, shop: Shop) -> None:
    opening = None if kind == "MADE_ELSEWHERE" else shop.pay().opening
    given = {"gateway": "default", "found_at": shop.clock.now(), "is_freezing": False}
    other = Discrepancy.objects.create(kind=kind, transaction=opening, fingerprint="f", **given)
    with refuses(InvalidState, ErrorCode.NOT_BOOKABLE):
        book(other)
