"""What the status query makes of orders: late news, old attempts, operations made elsewhere, odd gateways."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest

from tests.explanations import explained
from tests.operations.conftest import MakeContext, Pay, VirtualClock
from tests.operations.dying import filing, in_the_name_of, scripted
from tests.operations.records import answer_of, record
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import Discrepancy, GatewayTransaction, OutboxEvent, Payment, PaymentOrder
from wallet_gateway.operations.approvals.resolve import close_discrepancy
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund, reverse
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.due import reconcile_due
from wallet_gateway.operations.polling.reconciliation import (
    AT_MOST_EVERY,
    reconcile_attempt,
    reconcile_order,
)
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState


def queries(control: SandboxControl) -> int:
    return sum(entry["operation"] == "status" for entry in control.journal())


def order_state() -> str:
    return PaymentOrder.objects.get().state


def test_what_the_provider_calls_a_payment_is_kept(pay: Pay) -> None:
    """The sandbox's own records have it."""
    assert pay().opening.provider_transaction_id


def told() -> list[str]:
    return list(OutboxEvent.objects.order_by("pk").values_list("kind", flat=True))


# Old attempts


@pytest.fixture
def two_pages(open_page: Pay, context: GatewayContext, clock: VirtualClock) -> tuple[Payment, Payment]:
    """Two attempts of one order whose pages can both still be paid: the first has a minute left."""
    first = open_page()
    clock.advance(seconds=845)
    second = start_checkout(order=first.order, context=context, return_urls=return_urls)
    return first, second


def test_a_late_success_of_an_old_attempt_pays_the_order(
    two_pages: tuple[Payment, Payment],
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    first, second = two_pages
    wallet_sandbox.complete_checkout(first.reference, "success")
    clock.advance(minutes=2)
    sweep(context=context)

    assert order_state() == OrderState.PAID
    assert told() == ["PAID"]
    assert Payment.objects.get(pk=second.pk).opening.state == S.OPEN


def test_two_paid_pages_make_the_order_overpaid_and_call_a_person(
    two_pages: tuple[Payment, Payment],
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    first, second = two_pages
    for payment in two_pages:
        wallet_sandbox.complete_checkout(payment.reference, "success")
    reconcile_attempt(reference=second.reference, context=context)
    assert order_state() == OrderState.PAID
    reconcile_attempt(reference=first.reference, context=context)

    assert order_state() == OrderState.OVERPAID
    assert told() == ["PAID", "ANOMALY"], "a second payment is not 'paid' once more"
    assert PaymentOrder.objects.get().is_paid


def test_a_third_payment_of_an_order_is_no_more_paid_than_the_second(
    two_pages: tuple[Payment, Payment],
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    for payment in two_pages:
        wallet_sandbox.complete_checkout(payment.reference, "success")
    clock.advance(seconds=845)
    third = start_checkout(order=PaymentOrder.objects.get(), context=context, return_urls=return_urls)
    wallet_sandbox.complete_checkout(third.reference, "success")
    for payment in (*two_pages, third):
        reconcile_attempt(reference=payment.reference, context=context)
    assert order_state() == OrderState.OVERPAID
    assert told() == ["PAID", "ANOMALY", "ANOMALY"]


def test_an_expired_attempt_that_was_paid_in_its_last_minute_is_money(
    open_page: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = open_page()
    clock.advance(seconds=840)
    wallet_sandbox.behaviour(status_lag_seconds=3600)
    wallet_sandbox.complete_checkout(payment.reference, "success")
    clock.advance(minutes=17)
    sweep(context=context)
    assert order_state() == OrderState.EXPIRED

    transaction = GatewayTransaction.objects.get()
    clock.advance_to(transaction.next_query_at)
    sweep(context=context)
    assert order_state() == OrderState.PAID
    assert told() == ["EXPIRED", "PAID"]


# The end of a page


def test_a_page_ends_unpaid_once_a_record_would_have_shown(
    open_page: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    transaction = open_page().opening
    while transaction.state == S.OPEN:
        assert order_state() == OrderState.OPEN
        clock.advance_to(transaction.next_query_at)
        sweep(context=context)
        transaction.refresh_from_db()

    assert transaction.state == S.EXPIRED
    assert transaction.expires_at is not None
    assert timedelta(minutes=15) <= clock.now() - transaction.expires_at < timedelta(minutes=20)
    assert order_state() == OrderState.EXPIRED
    assert told() == ["EXPIRED"]
    assert "page_ended" in explained(transaction)


def test_a_page_whose_gateway_cannot_be_asked_does_not_end(
    open_page: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    transaction = open_page().opening
    wallet_sandbox.fault("status", "status_before", status=503, times=0)
    clock.advance(hours=1)
    sweep(context=context)
    transaction.refresh_from_db()
    assert transaction.state == S.OPEN

    wallet_sandbox.clear_faults()
    clock.advance_to(transaction.next_query_at)
    sweep(context=context)
    transaction.refresh_from_db()
    assert transaction.state == S.EXPIRED


def test_what_is_asked_before_the_settle_time_ends_no_page(
    open_page: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    payment = open_page()
    clock.advance(seconds=900 + 15 * 60 - 1)
    assert reconcile_attempt(reference=payment.reference, context=context).is_open


def test_a_page_of_an_account_that_the_settings_no_longer_name_does_not_end_unasked(
    open_page: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = open_page()
    wallet_sandbox.complete_checkout(payment.reference, "success")
    clock.advance(hours=1)
    assert reconcile_due(context=in_the_name_of("ANOTHER", context)) == 1

    transaction = payment.opening
    transaction.refresh_from_db()
    assert (transaction.state, transaction.needs_operator) == (S.OPEN, True)
    assert order_state() == OrderState.OPEN

    clock.advance_to(transaction.next_query_at)
    sweep(context=context)
    transaction.refresh_from_db()
    assert (transaction.state, transaction.needs_operator) == (S.APPROVED, False)
    assert order_state() == OrderState.PAID


# Not too often


def test_however_often_a_page_asks_the_gateway_is_asked_every_two_seconds_at_most(
    open_page: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = open_page()
    for _ in range(50):
        reconcile_attempt(reference=payment.reference, context=context)
        reconcile_order(order=payment.order, context=context)
        clock.advance(seconds=0.1)
    assert queries(wallet_sandbox) == 3
    assert timedelta(seconds=2) == AT_MOST_EVERY


def test_the_sweep_and_a_page_do_not_ask_twice(
    open_page: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = open_page()
    clock.advance(seconds=80)
    assert reconcile_due(context=context) == 1
    reconcile_attempt(reference=payment.reference, context=context)
    assert queries(wallet_sandbox) == 1


def test_what_is_settled_is_not_asked_about_on_demand(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay()
    before = queries(wallet_sandbox)
    clock.advance(seconds=10)
    reconcile_attempt(reference=payment.reference, context=context)
    assert queries(wallet_sandbox) == before


def test_everything_means_what_is_settled_too(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay()
    refund(payment=payment, context=context, amount=Decimal("5.00"))
    before = queries(wallet_sandbox)
    assert reconcile_order(order=payment.order, context=context, everything=True).state == "PART_REFUNDED"
    assert queries(wallet_sandbox) == before + 2


def test_an_unknown_reference_is_no_attempt(context: GatewayContext) -> None:
    with pytest.raises(Payment.DoesNotExist, match="NEVER"):
        reconcile_attempt(reference="NEVER", context=context)


def test_every_approval_is_confirmed_once_where_nothing_is_asked_again(
    pay: Pay, make_context: MakeContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    context = make_context(query_again=timedelta(0))
    pay()
    before = queries(wallet_sandbox)
    clock.advance(minutes=7)
    sweep(context=context)
    transaction = GatewayTransaction.objects.get()
    assert (transaction.confirmed_at, transaction.next_query_at) == (clock.now(), None)
    clock.advance(days=40)
    sweep(context=context)
    assert queries(wallet_sandbox) == before + 1


# Made elsewhere


PORTAL: list[tuple[str, str, str, Callable[[Payment], bool]]] = [
    ("preauthorization", "ecom.capture", "5.00", lambda p: (p.captured, p.capture_reserved) == (0, 0)),
    ("preauthorization", "ecom.reversalPreauthorization", "20.00", lambda p: p.reversal == Reversal.NONE),
    ("sale", "ecom.refund", "20.00", lambda p: p.refunded == 0),
]


@pytest.mark.parametrize(("type", "wire", "amount", "untouched"), PORTAL, ids=[row[1] for row in PORTAL])
def test_an_operation_made_in_the_portal_freezes_the_payment_and_corrects_nothing(
    type: str,  # noqa: A002 - the interface's own word
    wire: str,
    amount: str,
    untouched: Callable[[Payment], bool],
    pay: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    payment = pay(type=type)
    made = wallet_sandbox.portal(payment.reference, wire, amount)
    clock.advance(minutes=7)
    sweep(context=context)

    payment.refresh_from_db()
    assert payment.is_frozen
    assert untouched(payment)
    assert order_state() == OrderState.FROZEN
    difference = Discrepancy.objects.get()
    assert difference.kind == "MADE_ELSEWHERE"
    assert made["id"] in explained(difference)
    assert amount in explained(difference)
    assert told()[-1] == "ANOMALY"
    assert GatewayTransaction.objects.get().state == S.APPROVED, "the payment itself is not in doubt"


def test_the_same_operation_seen_again_is_the_same_difference(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay()
    wallet_sandbox.portal(payment.reference, "ecom.refund", "5.00")
    for _ in range(3):
        clock.advance(minutes=7)
        reconcile_order(order=payment.order, context=context, everything=True)
    assert Discrepancy.objects.count() == 1
    assert told().count("ANOMALY") == 1

    wallet_sandbox.portal(payment.reference, "ecom.refund", "5.00")
    reconcile_order(order=payment.order, context=context, everything=True)
    assert Discrepancy.objects.count() == 2


def test_a_failed_operation_in_the_portal_is_no_difference(
    pay: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    payment = pay()
    transaction = payment.opening
    own = record(transaction, "20.00", id=transaction.record_id)
    failed = record(transaction, "5.00", id="g9", type="ecom.refund", state="Errored")
    reconcile_order(
        order=payment.order,
        context=filing(context, {transaction.reference: answer_of(own, failed)}),
        everything=True,
    )
    assert not Discrepancy.objects.exists()


def test_ones_own_follow_ups_are_no_surprise(pay: Pay, context: GatewayContext, clock: VirtualClock) -> None:
    payment = pay(type="preauthorization")
    capture(payment=payment, context=context, amount=Decimal("5.00"))
    payment.refresh_from_db()
    refund(payment=payment, context=context, amount=Decimal("5.00"))
    clock.advance(minutes=7)
    sweep(context=context)
    assert not Discrepancy.objects.exists()


def test_a_frozen_payment_can_be_read_and_not_worked_on(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay()
    wallet_sandbox.portal(payment.reference, "ecom.refund", "5.00")
    clock.advance(minutes=7)
    sweep(context=context)
    with refuses(InvalidState, ErrorCode.PAYMENT_FROZEN):
        refund(payment=payment, context=context, amount=Decimal("20.00"))


# Gateways that file follow-ups under the original's reference


@pytest.fixture
def unknown_capture(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> GatewayTransaction:
    payment = pay(type="preauthorization")
    wallet_sandbox.fault("capture", "drop_before")
    transaction = capture(payment=payment, context=context, amount=Decimal("5.00"))
    clock.advance_to(transaction.next_query_at)
    return transaction


def original_of(transaction: GatewayTransaction) -> GatewayTransaction:
    assert transaction.payment is not None
    return transaction.payment.opening


@pytest.mark.parametrize("shares", [True, False])
def test_where_references_are_shared_the_originals_records_are_looked_through_too(
    shares: bool, unknown_capture: GatewayTransaction, make_context: MakeContext
) -> None:
    original = original_of(unknown_capture)
    filed = record(unknown_capture, "5.00", id="g2", clientSystemTransactionId=original.reference)
    gateway = filing(
        make_context(shares_references=shares),
        {original.reference: answer_of(record(original, "20.00", id=original.record_id), filed)},
    )
    reconcile_due(context=gateway)

    transaction = GatewayTransaction.objects.get(pk=unknown_capture.pk)
    assert (transaction.state, transaction.record_id) == ((S.APPROVED, "g2") if shares else (S.UNKNOWN, None))
    assert not Discrepancy.objects.exists()


def test_a_record_that_is_attributed_already_is_not_taken_twice(
    pay: Pay,
    context: GatewayContext,
    make_context: MakeContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    payment = pay(type="preauthorization")
    first = capture(payment=payment, context=context, amount=Decimal("5.00"))
    wallet_sandbox.fault("capture", "drop_before")
    second = capture(payment=payment, context=context, amount=Decimal("5.00"))
    clock.advance_to(second.next_query_at)
    shared = {"clientSystemTransactionId": payment.reference}
    known = record(first, "5.00", id=first.record_id, **shared)
    sharing = make_context(shares_references=True)

    reconcile_due(context=filing(sharing, {payment.reference: answer_of(known)}))
    second.refresh_from_db()
    assert (second.state, second.absent_count) == (S.UNKNOWN, 1)

    clock.advance_to(second.next_query_at)
    another = record(second, "5.00", id="g7", **shared)
    reconcile_due(context=filing(sharing, {payment.reference: answer_of(known, another)}))
    second.refresh_from_db()
    assert (second.state, second.record_id) == (S.APPROVED, "g7")


def test_a_portal_operation_beside_ones_own_of_its_kind_is_seen_where_references_are_shared(
    pay: Pay, context: GatewayContext, make_context: MakeContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay(type="preauthorization")
    capture(payment=payment, context=context, amount=Decimal("5.00"))
    wallet_sandbox.portal(payment.reference, "ecom.capture", "1.00")
    reconcile_order(order=payment.order, context=make_context(shares_references=True), everything=True)

    assert Discrepancy.objects.get().kind == "MADE_ELSEWHERE"
    payment.refresh_from_db()
    assert payment.is_frozen
    assert not GatewayTransaction.objects.exclude(state=S.APPROVED).exists()


def test_a_record_that_belongs_to_another_transaction_is_a_contradiction(
    pay: Pay, context: GatewayContext, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    first, second = pay(type="preauthorization"), pay(type="preauthorization")
    taken = capture(payment=first, context=context, amount=Decimal("5.00"))
    wallet_sandbox.fault("capture", "drop_before")
    transaction = capture(payment=second, context=context, amount=Decimal("5.00"))
    clock.advance_to(transaction.next_query_at)
    same_id = answer_of(record(transaction, "5.00", id=taken.record_id))
    reconcile_due(context=filing(context, {transaction.reference: same_id}))

    transaction.refresh_from_db()
    taken.refresh_from_db()
    assert (transaction.state, taken.state) == (S.ANOMALY, S.APPROVED)
    assert Discrepancy.objects.get().kind == "RECORD_TAKEN"
    second.refresh_from_db()
    assert (second.is_frozen, second.capture_reserved) == (True, 500)


# Gateways that lag, shout or count


def test_a_lagging_gateway_is_asked_until_it_knows(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    wallet_sandbox.behaviour(status_lag_seconds=120)
    payment = pay()
    assert payment.is_open
    clock.advance(seconds=125)
    reconcile_attempt(reference=payment.reference, context=context)
    assert order_state() == OrderState.PAID


def test_a_lagging_gateway_has_no_record_of_what_it_did_and_no_second_is_made(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay()
    wallet_sandbox.behaviour(status_lag_seconds=600)
    wallet_sandbox.fault("refund", "drop_after")
    transaction = refund(payment=payment, context=context, amount=Decimal("5.00"))
    while transaction.state == S.UNKNOWN:
        clock.advance_to(transaction.next_query_at)
        sweep(context=context)
        transaction.refresh_from_db()
    assert transaction.state == S.APPROVED
    assert transaction.query_count > 3
    assert sum(entry["operation"] == "refund" for entry in wallet_sandbox.journal()) == 1


@pytest.mark.parametrize("letter_case", ["pascal", "lower"])
@pytest.mark.parametrize("numeric_amounts", [True, False])
def test_a_whole_life_at_a_gateway_that_writes_differently(
    letter_case: str,
    numeric_amounts: bool,
    pay: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    wallet_sandbox.behaviour(letter_case=letter_case, numeric_amounts=numeric_amounts)
    payment = pay(type="preauthorization")
    wallet_sandbox.fault("capture", "drop_after")
    transaction = capture(payment=payment, context=context, amount=Decimal("12.50"))
    clock.advance_to(transaction.next_query_at)
    sweep(context=context)
    payment.refresh_from_db()
    assert refund(payment=payment, context=context, amount=Decimal("2.50")).state == S.APPROVED
    assert reverse_of_another(pay, context).state == S.APPROVED
    payment.refresh_from_db()
    assert (payment.captured, payment.refunded) == (1250, 250)
    clock.advance(minutes=7)
    sweep(context=context)
    assert not Discrepancy.objects.exists()


def reverse_of_another(pay: Pay, context: GatewayContext) -> GatewayTransaction:
    return reverse(payment=pay(type="preauthorization"), context=context)


# Answers that cannot be read; see also `test_unreadable_records`


def test_a_gateway_that_says_nothing_readable_for_a_day_is_a_persons_business(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay()
    wallet_sandbox.fault("refund", "drop_before")
    transaction = refund(payment=payment, context=context, amount=Decimal("5.00"))
    wallet_sandbox.fault("status", "not_json", times=0)
    for hours, waits in ((23, False), (2, True)):
        clock.advance(hours=hours)
        reconcile_due(context=context)
        transaction.refresh_from_db()
        assert (transaction.state, transaction.absent_count, transaction.needs_operator) == (
            S.UNKNOWN,
            0,
            waits,
        )


@pytest.mark.parametrize(("decided", "state"), [("Approved", S.APPROVED), ("Errored", S.UNKNOWN)])
@pytest.mark.parametrize("first", [True, False])
def test_beside_an_unreadable_record_an_approval_counts_and_an_error_does_not(
    decided: str,
    state: TransactionState,
    first: bool,
    pay: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    payment = pay()
    wallet_sandbox.fault("refund", "drop_before")
    transaction = refund(payment=payment, context=context, amount=Decimal("5.00"))
    clock.advance_to(transaction.next_query_at)
    good, bad = (
        record(transaction, "5.00", state=decided),
        record(transaction, "5.00", id="g2", currencyCode="EURO"),
    )
    told = answer_of(good, bad) if first else answer_of(bad, good)
    # The end of an operation lets its payment be queried, too.
    assert reconcile_due(context=scripted(context, told)) == (2 if state == S.APPROVED else 1)

    transaction.refresh_from_db()
    assert (transaction.state, transaction.absent_count) == (state, 0)
    assert transaction.next_query_at is not None
    assert Discrepancy.objects.get().kind == "RECORD_UNREADABLE"

    clock.advance_to(transaction.next_query_at)
    reconcile_due(context=scripted(context, answer_of(good)))
    transaction.refresh_from_db()
    assert transaction.state == (S.APPROVED if decided == "Approved" else S.REJECTED)


# Money and doubt in one answer


@pytest.mark.parametrize(("type", "good_news"), [("sale", "PAID"), ("preauthorization", "AUTHORIZED")])
def test_nothing_is_shipped_upon_a_payment_that_is_in_doubt_until_a_person_has_looked(
    type: str,  # noqa: A002 - the interface's own word
    good_news: str,
    open_page: Pay,
    context: GatewayContext,
) -> None:
    payment = open_page(type=type)
    opening = payment.opening
    own = record(opening, "20.00")
    strange = record(opening, "20.00", id="g9", type="ecom.refund")
    seen = reconcile_attempt(reference=payment.reference, context=scripted(context, answer_of(own, strange)))
    assert (seen.authorized, seen.is_frozen, seen.order.state) == (2000, True, OrderState.FROZEN)
    assert told() == ["ANOMALY"]

    difference = Discrepancy.objects.get(kind="MADE_ELSEWHERE")
    close_discrepancy(difference, reason="was another order's", by="anna", context=context)
    assert told() == ["ANOMALY", good_news]
    outbox_event = OutboxEvent.objects.get(kind=good_news)
    assert (outbox_event.transaction, str(outbox_event.amount)) == (opening, "20.00 EUR")
    assert outbox_event.delivered_at is not None


def test_what_was_told_before_a_freeze_is_not_told_again_after_it(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay(type="preauthorization")
    capture(payment=payment, context=context, amount=Decimal("5.00"))
    wallet_sandbox.portal(payment.reference, "ecom.refund", "1.00")
    reconcile_order(order=payment.order, context=context, everything=True)
    before = told()
    assert before == ["AUTHORIZED", "CAPTURED_IN_PART", "ANOMALY"]
    close_discrepancy(Discrepancy.objects.get(), reason="by hand", by="anna", context=context)
    assert told() == before
