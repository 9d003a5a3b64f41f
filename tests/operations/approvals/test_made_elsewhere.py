"""A person books an operation made elsewhere: with a name and a reason, as the gateway reports it then."""

from __future__ import annotations

import pytest

from tests.operations.conftest import Pay
from tests.operations.dying import scripted
from tests.operations.records import answer_of, record
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import Discrepancy, GatewayTransaction, OutboxEvent, Payment, TransactionEvent
from wallet_gateway.operations.approvals.made_elsewhere import book_discrepancy
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import GatewayUnreachable, InvalidInput, InvalidState
from wallet_gateway.operations.polling.reconciliation import reconcile_order
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


@pytest.fixture
def found(pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl) -> Discrepancy:
    """A refund of 4.00 of 20.00 that was made in the portal."""
    payment = pay()
    wallet_sandbox.portal(payment.reference, "ecom.refund", "4.00")
    reconcile_order(order=payment.order, context=context, everything=True)
    return Discrepancy.objects.get()


def book(discrepancy: Discrepancy, context: GatewayContext) -> GatewayTransaction:
    return book_discrepancy(discrepancy, reason="refunded by support", by="anna", context=context)


def test_booking_counts_tells_and_releases(found: Discrepancy, context: GatewayContext) -> None:
    booked = book(found, context)

    payment = Payment.objects.select_related("order").get()
    assert (payment.refunded, payment.is_frozen) == (400, False)
    assert payment.order.state == OrderState.PART_REFUNDED
    assert list(OutboxEvent.objects.order_by("pk").values_list("kind", flat=True)) == [
        "PAID",
        "ANOMALY",
        "REFUNDED",
    ]
    found.refresh_from_db()
    assert (found.closed_by, found.reason, found.booked_as) == ("anna", "refunded by support", booked)
    assert (booked.origin, booked.created_by, booked.comment) == ("ELSEWHERE", "anna", "refunded by support")
    event = TransactionEvent.objects.get(transaction=booked)
    assert (event.kind, event.created_by, event.explanation) == ("DECISION", "anna", "refunded by support")


def test_goods_of_an_order_that_was_captured_elsewhere_are_released_once_it_is_booked(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay(type="preauthorization")
    wallet_sandbox.portal(payment.reference, "ecom.capture", "20.00")
    reconcile_order(order=payment.order, context=context, everything=True)
    book(Discrepancy.objects.get(), context)
    told = list(OutboxEvent.objects.order_by("pk").values_list("kind", flat=True))
    assert told == ["AUTHORIZED", "ANOMALY", "PAID"]


@pytest.mark.parametrize(("by", "reason"), [("", "why"), ("anna", " ")])
def test_a_booking_needs_a_name_and_a_reason(
    by: str, reason: str, found: Discrepancy, context: GatewayContext
) -> None:
    with pytest.raises(InvalidInput):
        book_discrepancy(found, reason=reason, by=by, context=context)
    assert not GatewayTransaction.objects.filter(origin="ELSEWHERE").exists()


def test_without_an_answer_of_the_gateway_nothing_is_booked(
    found: Discrepancy, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.fault("status", "not_json")
    with refuses(GatewayUnreachable, ErrorCode.GATEWAY_SILENT):
        book(found, context)
    assert Payment.objects.get().is_frozen


def test_what_the_gateway_does_not_report_any_more_is_not_booked(
    found: Discrepancy, context: GatewayContext
) -> None:
    opening = found.transaction
    assert opening is not None
    own = record(opening, "20.00", id=opening.record_id)
    with refuses(InvalidState, ErrorCode.NOT_BOOKABLE, says="not report"):
        book(found, scripted(context, answer_of(own)))
