"""Operations made elsewhere are booked once, by policy or by a person, within the limits or with a freeze."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.operations.conftest import MakeContext, Pay, VirtualClock
from tests.operations.dying import scripted
from tests.operations.records import answer_of, record
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.domain.policy import BookElsewhere
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    OutboxEvent,
    Payment,
)
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund
from wallet_gateway.operations.maintenance.ledger_comparison import comparable, compare_all
from wallet_gateway.operations.polling.reconciliation import query_all, reconcile_order
from wallet_gateway.operations.polling.status_query import query_status
from wallet_gateway.operations.settlement.elsewhere import book_elsewhere
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState


@pytest.fixture
def booking(make_context: MakeContext) -> GatewayContext:
    """The context of a shop that books what was made elsewhere."""
    return make_context(book_elsewhere=BookElsewhere.BOOK)


def ask(payment: Payment, context: GatewayContext) -> Payment:
    """Ask the gateway about everything of the payment's order; give the payment as it stands then."""
    reconcile_order(order=payment.order, context=context, everything=True)
    return Payment.objects.select_related("order").get(pk=payment.pk)


def elsewhere() -> GatewayTransaction:
    return GatewayTransaction.objects.get(origin="ELSEWHERE")


def told() -> list[tuple[str, int | None]]:
    return list(OutboxEvent.objects.order_by("pk").values_list("kind", "amount_minor"))


# By policy


def test_a_refund_made_elsewhere_is_booked_and_the_shop_is_told(
    pay: Pay, booking: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay()
    made = wallet_sandbox.portal(payment.reference, "ecom.refund", "4.00")
    payment = ask(payment, booking)

    assert (payment.refunded, payment.is_frozen) == (400, False)
    assert payment.order.state == OrderState.PART_REFUNDED
    assert told() == [("PAID", 2000), ("REFUNDED", 400)]
    assert not Discrepancy.objects.exists()
    row = elsewhere()
    assert (row.kind, row.state, row.record_id) == ("REFUND", S.APPROVED, made["id"])
    assert (row.amount_minor, row.approved_minor, row.excess_minor) == (400, 400, 0)
    assert (row.approved_at, row.next_query_at, row.attempt_no) == (clock.now(), None, 0)
    assert made["id"] in row.explanation


def test_a_capture_made_elsewhere_makes_the_order_paid(
    pay: Pay, booking: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay(type="preauthorization")
    wallet_sandbox.portal(payment.reference, "ecom.capture", "20.00")
    payment = ask(payment, booking)
    assert (payment.captured, payment.order.state) == (2000, OrderState.PAID)
    assert told() == [("AUTHORIZED", 2000), ("PAID", 2000)]


def test_what_is_booked_is_not_booked_again_however_often_it_is_seen(
    pay: Pay, booking: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay()
    wallet_sandbox.portal(payment.reference, "ecom.refund", "4.00")
    finding = query_status(payment.opening, context=booking)
    assert finding is not None
    first = book_elsewhere(payment.opening, finding.elsewhere[0], context=booking)
    second = book_elsewhere(payment.opening, finding.elsewhere[0], context=booking)
    assert first.pk == second.pk
    assert ask(payment, booking).refunded == 400

    wallet_sandbox.portal(payment.reference, "ecom.refund", "4.00")
    assert ask(payment, booking).refunded == 800, "a second operation of the same amount is another one"


def test_a_booked_operation_is_never_asked_about(
    pay: Pay, booking: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay()
    wallet_sandbox.portal(payment.reference, "ecom.refund", "4.00")
    ask(payment, booking)
    assert query_all(payment.order, context=booking).queries == 1
    assert [row.kind for row in comparable(context=booking)] == ["CHECKOUT"]
    assert [row.differences for row in compare_all(context=booking)] == [()]


# What is not booked by a machine


def test_while_an_operation_of_ours_is_outstanding_the_payment_is_frozen_and_booked_afterwards(
    pay: Pay, booking: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay(type="preauthorization")
    capture(payment=payment, context=booking, amount=Decimal("10.00"))
    wallet_sandbox.fault("refund", "drop_after")
    ours = refund(payment=payment, context=booking, amount=Decimal("5.00"))
    assert ours.state == S.UNKNOWN
    wallet_sandbox.portal(payment.reference, "ecom.capture", "4.00")
    opening = query_status(payment.opening, context=booking)
    assert opening is not None
    with refuses(InvalidState, ErrorCode.TOO_EARLY, says="not finished"):
        book_elsewhere(payment.opening, opening.elsewhere[0], context=booking)

    payment = ask(payment, booking)
    assert (payment.captured, payment.refunded) == (1000, 500)
    assert payment.is_frozen, "frozen, as our own had not ended"
    clock.advance(seconds=5)
    payment = ask(payment, booking)
    assert (payment.captured, payment.refund_reserved, payment.is_frozen) == (1400, 0, False)
    assert not Discrepancy.objects.filter(closed_at=None).exists()


def test_a_reservation_made_at_this_moment_keeps_the_booking_waiting(
    pay: Pay, booking: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay()
    wallet_sandbox.portal(payment.reference, "ecom.refund", "4.00")
    opening = payment.opening
    finding = query_status(opening, context=booking)
    assert finding is not None
    wallet_sandbox.fault("refund", "drop_before")
    refund(payment=payment, context=booking, amount=Decimal("20.00"))
    with refuses(InvalidState, ErrorCode.TOO_EARLY, says="not finished"):
        book_elsewhere(opening, finding.elsewhere[0], context=booking)
    assert not GatewayTransaction.objects.filter(origin="ELSEWHERE").exists()


@pytest.mark.parametrize(
    "changes", [{"type": "ecom.sale"}, {"type": "detached.refund"}, {"currencyCode": "USD"}], ids=str
)
def test_a_record_for_which_there_is_no_rule_is_left_to_a_person(
    changes: dict[str, str], pay: Pay, booking: GatewayContext
) -> None:
    payment = pay(type="preauthorization")
    opening = payment.opening
    own = record(opening, "20.00", id=opening.record_id)
    strange = record(opening, "4.00", id="g9", **({"type": "ecom.capture"} | changes))
    payment = ask(payment, scripted(booking, answer_of(own, strange)))
    assert payment.is_frozen
    assert Discrepancy.objects.get().transaction == opening
    assert not GatewayTransaction.objects.filter(origin="ELSEWHERE").exists()


def test_what_exceeds_the_limit_is_booked_to_the_limit_and_freezes(pay: Pay, booking: GatewayContext) -> None:
    payment = pay()
    opening = payment.opening
    own = record(opening, "20.00", id=opening.record_id)
    more = record(opening, "25.00", id="g9", type="ecom.refund")
    payment = ask(payment, scripted(booking, answer_of(own, more)))

    assert (payment.refunded, payment.is_frozen) == (2000, True)
    row = elsewhere()
    assert (row.approved_minor, row.excess_minor) == (2500, 500)
    difference = Discrepancy.objects.get()
    assert (difference.kind, difference.transaction) == ("ABOVE_LIMIT", row)
    assert "5.00" in difference.explanation


def test_a_reversal_of_what_was_captured_is_written_down_and_freezes(
    pay: Pay, booking: GatewayContext
) -> None:
    payment = pay(type="preauthorization")
    capture(payment=payment, context=booking, amount=Decimal("5.00"))
    opening = payment.opening
    own = record(opening, "20.00", id=opening.record_id)
    strange = record(opening, "20.00", id="g9", type="ecom.reversalPreauthorization")
    reconcile_order(order=payment.order, context=booking, everything=True)
    book = query_status(opening, context=scripted(booking, answer_of(own, strange)))
    assert book is not None
    book_elsewhere(opening, book.elsewhere[0], context=booking)
    payment.refresh_from_db()
    assert (payment.reversal, payment.captured, payment.is_frozen) == (Reversal.NONE, 500, True)
    assert elsewhere().excess_minor == 2000
