"""Authorizations that expire: told in time and once, and what the machine does is done once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.nameless_receivers import nameless
from tests.operations.conftest import MakeContext, MakeOrder, Pay, Resolve, Start, VirtualClock
from tests.operations.journal import times_sent
from tests.operations.settlement.rows import contradiction, update
from wallet_gateway import signals
from wallet_gateway.domain.capture_deadline import CapturePolicy, CaptureWindow
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.lifecycle import LifecycleEvent, OrderState, TransactionKind, TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment, PaymentOrder, TransactionEventKind
from wallet_gateway.operations.approvals.resolve import Decision, close_discrepancy
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, reverse
from wallet_gateway.operations.maintenance.authorization_expiry import AUTHOR, watch_authorizations
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt
from wallet_gateway.operations.sending.emergency_stop import resume_sending, stop_sending
from wallet_gateway.operations.settlement.cancellation import cancel
from wallet_gateway.operations.settlement.settle import reread, settle
from wallet_gateway.operations.settlement.status_updates import StatusUpdate
from wallet_gateway.queries.authorizations import expiring_authorizations, expiring_payments, held_since
from wallet_gateway.testing.control import SandboxControl

__all__ = ["nameless"]
pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
Notification = list[dict[str, Any]]


@pytest.fixture
def told() -> Iterator[Notification]:
    heard: Notification = []

    def hear(**given: Any) -> None:
        heard.append(given)

    signals.authorization_expiring.connect(hear, weak=False)
    yield heard
    signals.authorization_expiring.disconnect(hear)


def policy(make_context: MakeContext, what: CapturePolicy) -> GatewayContext:
    return make_context(capture_window=CaptureWindow(policy=what))


def test_an_authorization_is_told_of_two_days_before_its_end_and_once(
    pay: Pay, context: GatewayContext, clock: VirtualClock, told: Notification
) -> None:
    payment = pay(type="preauthorization")
    authorized_at = payment.opening.state_changed_at
    clock.advance(days=4.9)
    assert watch_authorizations(context=context) == 0
    clock.advance(days=0.2)
    assert watch_authorizations(context=context) == 1
    assert watch_authorizations(context=context) == 0
    clock.advance(days=1)
    assert watch_authorizations(context=context) == 0
    (outbox_event,) = told
    assert (outbox_event["reference"], str(outbox_event["amount"])) == (payment.order.reference, "20.00 EUR")
    assert (outbox_event["expires_at"], outbox_event["policy"]) == (authorized_at + timedelta(days=7), "ask")
    assert not GatewayTransaction.objects.filter(kind=TransactionKind.CAPTURE).exists(), "people decide"


def test_an_authorization_that_was_contradicted_and_accepted_expires_as_if_it_had_not_been(
    authorized: Payment, context: GatewayContext, clock: VirtualClock, resolve: Resolve, told: Notification
) -> None:
    """The gateway holds the money from its approval on, and knows nothing of what we doubted."""
    end = clock.now() + timedelta(days=7)
    clock.advance(days=3)
    doubled = contradiction(DiscrepancyKind.EXECUTED_TWICE)
    settle(reread(authorized.opening), update(LifecycleEvent.CONTRADICTED, finding=doubled), context=context)
    clock.advance(days=3)
    resolve(reread(authorized.opening), Decision.DID_HAPPEN)

    assert watch_authorizations(context=context) == 1
    assert [given["expires_at"] for given in told] == [end]
    (found,) = expiring_authorizations({"default": CaptureWindow()}, now=clock.now())
    assert found.expires_at == end
    assert held_since([authorized.order_id]) == {authorized.order_id: end - timedelta(days=7)}


@pytest.mark.parametrize("what", [CapturePolicy.CAPTURE, CapturePolicy.REVERSE])
def test_a_late_payment_of_a_cancelled_order_is_told_of_and_left_alone_until_a_person_accepts_it(
    what: CapturePolicy,
    open_page: Pay,
    make_context: MakeContext,
    clock: VirtualClock,
    told: Notification,
    wallet_sandbox: SandboxControl,
) -> None:
    context = policy(make_context, what)
    payment = open_page(type="preauthorization")
    wallet_sandbox.complete_checkout(payment.reference, "success")
    cancel(order=payment.order, by="shop", note="", clock=clock)
    reconcile_attempt(reference=payment.reference, context=context)
    clock.advance(days=6)
    for _ in range(3):
        watch_authorizations(context=context)
        clock.advance(minutes=6)
    assert [given["policy"] for given in told] == ["ask"]
    assert GatewayTransaction.objects.count() == 1

    close_discrepancy(Discrepancy.objects.get(), reason="one more", by="anna", context=context)
    watch_authorizations(context=context)
    assert GatewayTransaction.objects.latest("pk").created_by == AUTHOR
    assert len(told) == 1


@pytest.fixture
def older(authorized: Payment, clock: VirtualClock) -> Payment:
    """An authorization of another order, which the sweep handles first."""
    clock.advance(minutes=1)
    return authorized


@pytest.fixture
def two_pages(
    make_order: MakeOrder, start: Start, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> tuple[Payment, Payment]:
    """Let a customer authorize one order on two pages that are open at once; nothing is known of it yet."""
    order = make_order(type="preauthorization")
    first = start(order)
    clock.advance(seconds=850)
    second = start(order)
    for page in (first, second):
        wallet_sandbox.complete_checkout(page.reference, "success")
    return first, second


@pytest.mark.parametrize(
    ("what", "kind"),
    [
        (CapturePolicy.CAPTURE, TransactionKind.CAPTURE),
        (CapturePolicy.REVERSE, TransactionKind.REVERSAL),
    ],
)
def test_two_authorizations_of_one_order_are_left_alone_until_a_person_gave_one_back(
    what: CapturePolicy,
    kind: TransactionKind,
    two_pages: tuple[Payment, Payment],
    make_context: MakeContext,
    clock: VirtualClock,
    told: Notification,
) -> None:
    context = policy(make_context, what)
    first, second = two_pages
    for page in two_pages:
        reconcile_attempt(reference=page.reference, context=context)
    assert PaymentOrder.objects.get().state == OrderState.OVERPAID
    clock.advance(days=5.1)
    for _ in range(2):
        watch_authorizations(context=context)
        clock.advance(minutes=6)
    assert [given["policy"] for given in told] == ["ask", "ask"]
    assert GatewayTransaction.objects.count() == 2

    reverse(payment=second, context=context)
    for _ in range(2):
        watch_authorizations(context=context)
        clock.advance(minutes=6)
    by_the_machine = GatewayTransaction.objects.get(created_by=AUTHOR)
    assert (by_the_machine.payment, by_the_machine.kind) == (first, kind)
    assert len(told) == 2


def test_an_authorization_is_left_alone_if_a_second_one_arrives_while_the_sweep_runs(
    older: Payment,
    two_pages: tuple[Payment, Payment],
    make_context: MakeContext,
    clock: VirtualClock,
) -> None:
    """The second payment is found while a receiver handles the expiry of another order's authorization."""
    context = policy(make_context, CapturePolicy.CAPTURE)
    first, second = two_pages
    reconcile_attempt(reference=first.reference, context=context)
    clock.advance(days=6)

    def arrive(reference: str, **_: Any) -> None:
        if reference == older.order.reference:
            reconcile_attempt(reference=second.reference, context=context)

    signals.authorization_expiring.connect(arrive, weak=False, dispatch_uid="arrive")
    watch_authorizations(context=context)
    signals.authorization_expiring.disconnect(dispatch_uid="arrive")
    assert PaymentOrder.objects.get(pk=first.order_id).state == OrderState.OVERPAID
    assert GatewayTransaction.objects.get(created_by=AUTHOR).payment == older


def test_the_machine_captures_what_is_left_and_once(
    pay: Pay, make_context: MakeContext, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    context = policy(make_context, CapturePolicy.CAPTURE)
    payment = pay(type="preauthorization")
    capture(payment=payment, context=context, amount=Decimal("5.00"))
    clock.advance(days=6)
    watch_authorizations(context=context)
    clock.advance(minutes=6)
    watch_authorizations(context=context)
    payment.refresh_from_db()
    assert payment.captured == 2000
    assert times_sent(wallet_sandbox, "capture") == 2
    last = GatewayTransaction.objects.latest("pk")
    assert (last.created_by, last.amount_minor, last.idempotency_key) == (
        AUTHOR,
        1500,
        f"expiry-{payment.reference}",
    )


def test_a_capture_whose_outcome_is_unknown_is_not_sent_again(
    pay: Pay, make_context: MakeContext, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    context = policy(make_context, CapturePolicy.CAPTURE)
    payment = pay(type="preauthorization")
    clock.advance(days=6)
    wallet_sandbox.fault("capture", "drop_after")
    for _ in range(3):
        watch_authorizations(context=context)
        clock.advance(minutes=6)
    assert times_sent(wallet_sandbox, "capture") == 1
    assert payment.transactions.get(kind=TransactionKind.CAPTURE).state == TransactionState.UNKNOWN


@pytest.mark.parametrize("fault", ["errored", "drop_before"])
def test_a_capture_that_comes_to_nothing_is_left_to_people_once(
    fault: str,
    pay: Pay,
    make_context: MakeContext,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
    told: Notification,
) -> None:
    context = policy(make_context, CapturePolicy.CAPTURE)
    payment = pay(type="preauthorization")
    clock.advance(days=6)
    wallet_sandbox.fault("capture", fault)
    watch_authorizations(context=context)
    last = payment.transactions.get(kind=TransactionKind.CAPTURE)
    if last.state == TransactionState.UNKNOWN:
        assert [each["policy"] for each in told] == ["capture"], "its outcome is not known yet"
        rejected = StatusUpdate(
            kind=TransactionEventKind.RECORDS,
            event=LifecycleEvent.REJECTED,
            explanation=explain(ExplanationCode.COMMENT, said="refused after all"),
        )
        settle(reread(last), rejected, context=context)
    for _ in range(3):
        clock.advance(minutes=6)
        watch_authorizations(context=context)
    assert [each["policy"] for each in told] == ["capture", "ask"]
    assert times_sent(wallet_sandbox, "capture") == 1
    assert expiring_payments({"default": clock.now()}).get() == payment, "the dashboard goes on showing it"


def test_the_machine_gives_back_what_nothing_was_captured_of(
    pay: Pay, make_context: MakeContext, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    context = policy(make_context, CapturePolicy.REVERSE)
    whole, part = pay(type="preauthorization"), pay(type="preauthorization")
    capture(payment=part, context=context, amount=Decimal("5.00"))
    clock.advance(days=6)
    assert watch_authorizations(context=context) == 2
    assert (Payment.objects.get(pk=whole.pk).state, times_sent(wallet_sandbox, "reversal")) == ("REVERSED", 1)
    assert Payment.objects.get(pk=part.pk).captured == 500


def test_while_sending_is_stopped_the_machine_tells_once_and_waits_and_then_does_it(
    pay: Pay, make_context: MakeContext, clock: VirtualClock, told: Notification
) -> None:
    context = policy(make_context, CapturePolicy.CAPTURE)
    payment = pay(type="preauthorization")
    clock.advance(days=6)
    stop_sending(context=context, by="anna", reason="x")
    for _ in range(3):
        watch_authorizations(context=context)
        clock.advance(minutes=6)
    payment.refresh_from_db()
    assert (payment.captured, len(told)) == (0, 1)
    resume_sending(context=context, by="anna", reason="x")
    watch_authorizations(context=context)
    payment.refresh_from_db()
    assert (payment.captured, len(told)) == (2000, 1)
