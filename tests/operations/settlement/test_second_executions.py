"""What the gateway has carried out twice: once a person has accepted ours, the other is booked or closed."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from tests.operations.conftest import MakeContext, Pay, Resolve, VirtualClock
from tests.operations.dying import scripted
from tests.operations.records import answer_of, record
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.domain.policy import BookElsewhere
from wallet_gateway.models import Discrepancy, GatewayTransaction, OutboxEvent, Payment
from wallet_gateway.operations.approvals.made_elsewhere import book_discrepancy
from wallet_gateway.operations.approvals.resolve import Decision, close_discrepancy
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund
from wallet_gateway.operations.polling.reconciliation import query_and_record
from wallet_gateway.operations.settlement.settle import reread
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S, K = TransactionState, DiscrepancyKind
FIVE = Decimal("5.00")

Twice = Callable[[str], GatewayTransaction]


@pytest.fixture
def twice(pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock) -> Twice:
    """A capture or a refund of 5.00 that the gateway has carried out twice, of a payment of 20.00."""

    def execute(kind: str) -> GatewayTransaction:
        payment = pay(type="sale" if kind == "refund" else "preauthorization")
        wallet_sandbox.behaviour(duplicates="execute")
        wallet_sandbox.fault(kind, "duplicate")
        operation = refund if kind == "refund" else capture
        transaction = operation(payment=payment, context=context, amount=FIVE)
        assert asked(transaction, context, clock).state == S.ANOMALY
        return transaction

    return execute


def asked(
    transaction: GatewayTransaction, context: GatewayContext, clock: VirtualClock
) -> GatewayTransaction:
    clock.advance(hours=1)
    return query_and_record(reread(transaction), context=context)


def open_ones() -> list[str]:
    return list(Discrepancy.objects.filter(closed_at=None).order_by("pk").values_list("kind", flat=True))


def book_open_one(context: GatewayContext) -> GatewayTransaction:
    found = Discrepancy.objects.get(closed_at=None)
    return book_discrepancy(found, reason="seen", by="anna", context=context)


@pytest.mark.parametrize("kind", ["capture", "refund"])
def test_the_other_execution_of_what_was_accepted_is_booked_like_one_of_the_portal(
    kind: str, twice: Twice, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    accepted = resolve(reread(twice(kind)), Decision.DID_HAPPEN)
    assert asked(accepted, context, clock).state == S.APPROVED
    assert open_ones() == [K.MADE_ELSEWHERE]
    assert Payment.objects.get().is_frozen, "as long as our totals do not contain it"

    booked = book_discrepancy(
        Discrepancy.objects.get(closed_at=None), reason="seen", by="anna", context=context
    )
    assert (booked.kind, booked.approved_minor) == (accepted.kind, 500)
    assert booked.record_id not in {"", accepted.record_id}
    payment = Payment.objects.get()
    assert (payment.captured, payment.refunded) == ((1000, 0) if kind == "capture" else (2000, 1000))
    assert not payment.is_frozen
    for _ in range(3):
        assert asked(accepted, context, clock).state == S.APPROVED
    assert open_ones() == []


def test_the_shop_hears_of_both_refunds(
    twice: Twice, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    asked(resolve(reread(twice("refund")), Decision.DID_HAPPEN), context, clock)
    book_open_one(context)
    told = OutboxEvent.objects.filter(kind="REFUNDED").values_list("amount_minor", flat=True)
    assert list(told) == [500, 500]
    assert Payment.objects.get().order.state == OrderState.PART_REFUNDED


def test_one_that_was_undone_in_the_portal_leaves_totals_as_the_gateways(
    twice: Twice,
    resolve: Resolve,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    accepted = resolve(reread(twice("capture")), Decision.DID_HAPPEN)
    payment = Payment.objects.get()
    wallet_sandbox.portal(payment.reference, "ecom.refund", "5.00")
    for transaction in (accepted, payment.opening):
        asked(transaction, context, clock)
    for difference in Discrepancy.objects.filter(closed_at=None).order_by("pk"):
        book_discrepancy(difference, reason="undone", by="anna", context=context)
    payment = Payment.objects.get()
    assert (payment.captured, payment.refunded, payment.is_frozen) == (1000, 500, False)


def test_a_shop_that_books_by_itself_waits_for_the_decision_on_ours(
    twice: Twice, resolve: Resolve, make_context: MakeContext, clock: VirtualClock
) -> None:
    doubled, booking = twice("refund"), make_context(book_elsewhere=BookElsewhere.BOOK)
    assert asked(doubled, booking, clock).state == S.ANOMALY
    assert Payment.objects.get().refunded == 500

    asked(resolve(reread(doubled), Decision.DID_HAPPEN), booking, clock)
    assert (Payment.objects.get().refunded, open_ones()) == (1000, [])


def test_one_that_was_closed_is_neither_booked_nor_told_again(
    twice: Twice, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    accepted = asked(resolve(reread(twice("refund")), Decision.DID_HAPPEN), context, clock)
    difference = Discrepancy.objects.get(closed_at=None)
    close_discrepancy(difference, reason="the customer has sent it back", by="anna", context=context)
    for _ in range(3):
        asked(accepted, context, clock)
    payment = Payment.objects.get()
    assert (payment.refunded, payment.is_frozen, open_ones()) == (500, False, [])
    book_discrepancy(difference, reason="it was kept after all", by="anna", context=context)
    assert Payment.objects.get().refunded == 1000


def test_closing_the_difference_without_a_decision_books_nothing(
    twice: Twice, context: GatewayContext, clock: VirtualClock
) -> None:
    doubled = twice("refund")
    close_discrepancy(Discrepancy.objects.get(), reason="seen", by="anna", context=context)
    assert asked(doubled, context, clock).state == S.ANOMALY
    assert (Payment.objects.get().refunded, open_ones()) == (500, [])


@pytest.mark.parametrize("ids", [("g8", "g9"), ("i" * 120, "j" * 120)], ids=["short", "long"])
def test_each_further_execution_is_a_difference_of_its_own(
    ids: tuple[str, str], twice: Twice, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    accepted = resolve(reread(twice("refund")), Decision.DID_HAPPEN)
    for count in (1, 2):
        known = [accepted.record_id or "", *ids[:count]]
        records = (record(accepted, "5.00", id=one) for one in known)
        assert asked(accepted, scripted(context, answer_of(*records)), clock).state == S.APPROVED
        assert open_ones() == [K.MADE_ELSEWHERE] * count


def test_of_an_unknown_outcome_that_turned_up_twice_one_is_ours_whatever_their_order(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock, resolve: Resolve
) -> None:
    payment = pay()
    wallet_sandbox.fault("refund", "drop_before")
    ours = refund(payment=payment, context=context, amount=FIVE)
    both = [record(ours, "5.00", id=one) for one in ("g2", "g1")]
    assert asked(ours, scripted(context, answer_of(*both)), clock).state == S.ANOMALY

    ours = resolve(reread(ours), Decision.DID_HAPPEN)
    for told in (both, both[::-1]):
        ours = asked(ours, scripted(context, answer_of(*told)), clock)
        assert (ours.state, ours.record_id, open_ones()) == (S.APPROVED, "g1", [K.MADE_ELSEWHERE])


def test_a_record_of_another_id_alone_is_no_second_execution_to_book(
    pay: Pay, context: GatewayContext, clock: VirtualClock, resolve: Resolve
) -> None:
    """A gateway that gives one record another id has carried out nothing more."""
    ours = refund(payment=pay(), context=context, amount=FIVE)
    renamed = scripted(context, answer_of(record(ours, "5.00", id="another")))
    assert asked(ours, renamed, clock).state == S.ANOMALY
    assert asked(resolve(reread(ours), Decision.DID_HAPPEN), renamed, clock).state == S.APPROVED
    assert (Payment.objects.get().refunded, open_ones()) == (500, [])


def test_more_refunded_than_captured_is_told(
    pay: Pay, context: GatewayContext, clock: VirtualClock, resolve: Resolve
) -> None:
    ours = refund(payment=pay(), context=context, amount=Decimal("15.00"))
    both = scripted(
        context, answer_of(*(record(ours, "15.00", id=one) for one in (ours.record_id or "", "g9")))
    )
    assert asked(ours, both, clock).state == S.ANOMALY
    asked(resolve(reread(ours), Decision.DID_HAPPEN), both, clock)
    book_open_one(both)
    payment = Payment.objects.get()
    assert (payment.refunded, payment.is_frozen, open_ones()) == (2000, True, [K.ABOVE_LIMIT])
