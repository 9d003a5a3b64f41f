"""Operations made elsewhere beside our own: one record is booked once, and the shop is told what is true."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal

import pytest

from tests.operations.conftest import MakeContext, Pay, Resolve, VirtualClock
from tests.operations.dying import filing, scripted
from tests.operations.records import answer_of, record
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.domain.policy import BookElsewhere
from wallet_gateway.models import Discrepancy, GatewayTransaction, OutboxEvent, Payment
from wallet_gateway.operations.approvals.made_elsewhere import book_discrepancy
from wallet_gateway.operations.approvals.resolve import Decision, close_discrepancy
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState
from wallet_gateway.operations.follow_ups.capture_refund_reverse import refund
from wallet_gateway.operations.polling.due import reconcile_due, repeat_queries
from wallet_gateway.operations.polling.reconciliation import query_and_record, reconcile_order
from wallet_gateway.operations.polling.status_query import query_status
from wallet_gateway.operations.polling.status_result import record_status_result
from wallet_gateway.operations.settlement.settle import reread
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState
CAPTURE, REFUND, REVERSAL = "ecom.capture", "ecom.refund", "ecom.reversalPreauthorization"


@pytest.fixture
def booking(make_context: MakeContext) -> GatewayContext:
    """The context of a shop that books what was made elsewhere."""
    return make_context(book_elsewhere=BookElsewhere.BOOK)


def opening_says(payment: Payment, *others: tuple[str, str, str]) -> bytes:
    """The answer about a payment: its own record, and others by id, type and amount."""
    opening = payment.opening
    own = record(opening, "20.00", id=opening.record_id or "g1")
    return answer_of(own, *(record(opening, amount, id=id_, type=type_) for id_, type_, amount in others))


def ask(payment: Payment, context: GatewayContext) -> Payment:
    reconcile_order(order=payment.order, context=context, everything=True)
    return now(payment)


def now(payment: Payment) -> Payment:
    return Payment.objects.select_related("order").get(pk=payment.pk)


def told() -> list[tuple[str, int | None]]:
    return list(OutboxEvent.objects.order_by("pk").values_list("kind", "amount_minor"))


def close_all(context: GatewayContext) -> None:
    for difference in Discrepancy.objects.filter(closed_at=None):
        close_discrepancy(difference, reason="seen", by="anna", context=context)


# The order of the records


def test_a_refund_listed_before_its_capture_is_booked_after_it(pay: Pay, booking: GatewayContext) -> None:
    payment = pay(type="preauthorization")
    newest_first = opening_says(payment, ("g9", REFUND, "4.00"), ("g8", CAPTURE, "20.00"))
    payment = ask(payment, scripted(booking, newest_first))
    assert (payment.captured, payment.refunded, payment.is_frozen) == (2000, 400, False)


# One record, one booking


def given_up(
    payment: Payment, context: GatewayContext, control: SandboxControl, clock: VirtualClock, resolve: Resolve
) -> GatewayTransaction:
    """A refund of 5.00 that a person gave up, as the gateway knew nothing of it."""
    control.fault("refund", "drop_before")
    ours = refund(payment=payment, context=context, amount=Decimal("5.00"))
    for _ in range(6):
        clock.advance(hours=6)
        query_and_record(reread(ours), context=context)
    return resolve(reread(ours), Decision.DID_NOT_HAPPEN)


def test_a_given_up_refund_that_was_booked_as_made_elsewhere_is_not_booked_again(
    pay: Pay, booking: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock, resolve: Resolve
) -> None:
    payment = pay()
    ours = given_up(payment, booking, wallet_sandbox, clock, resolve)
    far = filing(
        booking,
        {
            payment.reference: opening_says(payment, ("g5", REFUND, "5.00")),
            ours.reference: answer_of(record(ours, "5.00", id="g5")),
        },
    )
    query_and_record(reread(payment.opening), context=far)
    query_and_record(reread(ours), context=far)
    payment = now(payment)
    assert (payment.refunded, payment.is_frozen) == (500, False)
    ours.refresh_from_db()
    assert ours.state == S.ABANDONED


def test_a_lost_refund_is_looked_for_under_the_original_before_a_person_may_give_it_up(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay()
    wallet_sandbox.fault("refund", "drop_before")
    ours = refund(payment=payment, context=context)
    far = filing(context, {payment.reference: opening_says(payment, ("g5", REFUND, "20.00"))})
    for _ in range(6):
        clock.advance(hours=6)
        query_and_record(reread(ours), context=far)
    ours.refresh_from_db()
    assert (ours.state, ours.record_id, now(payment).refunded) == (S.APPROVED, "g5", 2000)


def test_a_record_of_another_payment_is_not_booked_and_not_forgotten(
    pay: Pay, booking: GatewayContext
) -> None:
    first, second = pay(), pay()
    for payment in (first, second):
        ask(payment, scripted(booking, opening_says(payment, ("g9", REFUND, "4.00"))))
    assert (now(first).refunded, now(second).refunded, now(second).is_frozen) == (400, 0, True)
    with refuses(InvalidState, ErrorCode.NOT_BOOKABLE, says="of another payment"):
        book_discrepancy(
            Discrepancy.objects.get(),
            reason="seen",
            by="anna",
            context=scripted(booking, opening_says(second, ("g9", REFUND, "4.00"))),
        )


def test_a_refused_refund_that_shows_as_approved_elsewhere_is_booked_once(
    pay: Pay, booking: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay()
    wallet_sandbox.fault("refund", "drop_before")
    ours = refund(payment=payment, context=booking, amount=Decimal("5.00"))
    errored = answer_of(record(ours, "5.00", id="g5", state="Errored"))
    query_and_record(reread(ours), context=filing(booking, {ours.reference: errored}))
    far = filing(booking, {payment.reference: opening_says(payment, ("g5", REFUND, "5.00"))})
    for _ in range(2):
        query_and_record(reread(payment.opening), context=far)
    assert (now(payment).refunded, now(payment).is_frozen) == (500, False)
    assert GatewayTransaction.objects.get(record_id="g5").origin == "ELSEWHERE"


def test_an_answer_that_another_worker_has_booked_meanwhile_is_no_difference(
    pay: Pay, context: GatewayContext, booking: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay()
    wallet_sandbox.portal(payment.reference, REFUND, "4.00")
    seen = reread(payment.opening)
    stale = query_status(seen, context=context)
    query_and_record(reread(payment.opening), context=booking)
    record_status_result(seen, stale, context)
    assert (now(payment).refunded, now(payment).is_frozen) == (400, False)
    assert not Discrepancy.objects.exists()


def test_what_a_person_has_closed_is_not_booked_by_the_settings_later(
    pay: Pay, context: GatewayContext, booking: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay()
    wallet_sandbox.portal(payment.reference, REFUND, "4.00")
    ask(payment, context)
    close_all(context)
    payment = ask(payment, booking)
    assert (payment.refunded, payment.is_frozen) == (0, False)


# Beside one of our own operations


def test_under_a_shared_reference_the_record_of_our_amount_is_ours(
    pay: Pay, make_context: MakeContext, wallet_sandbox: SandboxControl
) -> None:
    sharing = make_context(shares_references=True, book_elsewhere=BookElsewhere.BOOK)
    payment = pay()
    wallet_sandbox.fault("refund", "drop_before")
    ours = refund(payment=payment, context=sharing, amount=Decimal("5.00"))
    both = opening_says(payment, ("g5", REFUND, "5.00"), ("g9", REFUND, "4.00"))
    far = filing(sharing, {payment.reference: both})
    query_and_record(reread(ours), context=far)
    ours.refresh_from_db()
    assert (ours.state, ours.record_id) == (S.APPROVED, "g5")
    assert ask(payment, far).refunded == 900


def test_an_approval_without_an_id_hides_no_operation_made_elsewhere(
    pay: Pay, booking: GatewayContext
) -> None:
    payment = pay()

    def without_id(body: bytes) -> bytes:
        asked = json.loads(body)
        echoed = {name: asked[name] for name in ("clientSystemTransactionId", "currencyCode")}
        return json.dumps({"state": "Approved", **echoed}).encode()

    refund(payment=payment, context=scripted(booking, without_id), amount=Decimal("5.00"))
    said = opening_says(payment, ("g5", REFUND, "5.00"), ("g9", REFUND, "4.00"), ("g10", REFUND, "6.00"))
    query_and_record(reread(payment.opening), context=filing(booking, {payment.reference: said}))
    assert now(payment).refunded == 1500


def test_what_an_outstanding_refund_kept_from_being_booked_is_booked_when_it_ends(
    pay: Pay, booking: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay()
    opening = payment.opening
    for _ in range(12):
        opening.refresh_from_db()
        clock.advance_to(opening.next_query_at)
        reconcile_due(context=booking)
        repeat_queries(context=booking)
    opening.refresh_from_db()
    assert opening.next_query_at is not None
    assert opening.next_query_at - clock.now() > timedelta(days=5), "it is asked rarely by now"

    wallet_sandbox.portal(payment.reference, REFUND, "15.00")
    wallet_sandbox.fault("refund", "drop_after")
    refund(payment=now(payment), context=booking, amount=Decimal("5.00"))
    query_and_record(reread(opening), context=booking)
    for _ in range(3):
        clock.advance(hours=8)
        reconcile_due(context=booking)
        repeat_queries(context=booking)
    assert (now(payment).refunded, now(payment).is_frozen) == (2000, False)


def test_a_decision_on_a_payment_leaves_what_was_made_elsewhere_to_be_decided(
    pay: Pay, context: GatewayContext, resolve: Resolve
) -> None:
    payment = pay()
    opening = payment.opening
    said = opening_says(
        payment, ("g2", "ecom.sale", "20.00"), ("g9", REFUND, "4.00"), ("c1", "chargeback", "20.00")
    )
    ask(payment, scripted(context, said))
    resolve(reread(opening), Decision.DID_HAPPEN)
    left = Discrepancy.objects.filter(closed_at=None).values_list("kind", flat=True)
    assert set(left) == {"MADE_ELSEWHERE", "UNKNOWN_TYPE"}
    assert now(payment).is_frozen


# What the shop is told


@pytest.mark.parametrize(
    ("made", "amount", "expected"),
    [
        (CAPTURE, "5.00", [("PAID", 2000)]),
        (REFUND, "25.00", [("PAID", 2000), ("REFUNDED", 2000)]),
        (REVERSAL, "20.00", [("PAID", 2000)]),
    ],
)
def test_of_what_no_total_contains_the_shop_hears_nothing_but_the_anomaly(
    made: str, amount: str, expected: list[tuple[str, int]], pay: Pay, booking: GatewayContext
) -> None:
    payment = pay()
    ask(payment, scripted(booking, opening_says(payment, ("g9", made, amount))))
    assert now(payment).is_frozen
    close_all(booking)
    assert [event for event in told() if event[0] != "ANOMALY"] == expected


def test_nothing_is_shipped_for_a_payment_that_was_given_back_while_it_was_frozen(
    open_page: Pay, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = open_page()
    wallet_sandbox.complete_checkout(payment.reference, "success")
    wallet_sandbox.portal(payment.reference, REFUND, "20.00")
    ask(payment, context)
    book_discrepancy(Discrepancy.objects.get(), reason="seen", by="anna", context=context)
    assert [kind for kind, _ in told()] == ["ANOMALY", "REFUNDED"]


def test_a_chargeback_found_with_the_query_of_a_refund_freezes(
    pay: Pay, make_context: MakeContext, wallet_sandbox: SandboxControl
) -> None:
    sharing = make_context(shares_references=True)
    payment = pay()
    wallet_sandbox.fault("refund", "drop_after")
    ours = refund(payment=payment, context=sharing, amount=Decimal("5.00"))
    far = filing(
        sharing,
        {
            ours.reference: answer_of(record(ours, "5.00", id="g5")),
            payment.reference: opening_says(payment, ("c1", "chargeback", "20.00")),
        },
    )
    query_and_record(reread(ours), context=far)
    assert now(payment).is_frozen
