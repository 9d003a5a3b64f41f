"""The sweep: what is due for one gateway is done once, and no row holds up another."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from django.db import IntegrityError, OperationalError

from tests.client.servers import unused_port
from tests.operations.conftest import MakeContext, MakeOrder, Pay, VirtualClock
from tests.operations.dying import Killed, interrupted, kill
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.domain.outcomes import Finding
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import GatewayTransaction, OutboxEvent, Payment, PaymentOrder
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import GatewayUnreachable
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture
from wallet_gateway.operations.maintenance import sweep as sweeping
from wallet_gateway.operations.maintenance.sweep import (
    SweepReport,
    end_leases,
    send_unsent,
    sweep,
    warn_of_unconfigured_gateways,
)
from wallet_gateway.operations.polling import due
from wallet_gateway.operations.polling.status_query import query_status
from wallet_gateway.operations.settlement.counters import VersionConflict
from wallet_gateway.queries.work_queue import waiting
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState
FIVE = Decimal("5.00")


def report(**did: int) -> SweepReport:
    nothing = {
        "leases_ended": 0,
        "pages_given_up": 0,
        "buttons_expired": 0,
        "queried": 0,
        "sent_again": 0,
        "events_delivered": 0,
    }
    return SweepReport(gateway="default", **nothing | did)


def test_one_sweep_does_everything_that_is_due(
    pay: Pay,
    context: GatewayContext,
    make_context: MakeContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    page = pay("return")
    with pytest.raises(Killed):
        capture(
            payment=pay(type="preauthorization"),
            context=interrupted(context, before=kill),
            amount=FIVE,
        )
    unreachable = make_context(f"http://127.0.0.1:{unused_port()}")
    capture(payment=pay(type="preauthorization"), context=unreachable, amount=FIVE)
    wallet_sandbox.complete_checkout(page.reference, "success")
    clock.advance(seconds=125)

    assert sweep(context=context) == report(leases_ended=1, queried=1, sent_again=1)
    page.order.refresh_from_db()
    assert page.order.state == OrderState.PAID


def test_each_gateway_is_swept_by_itself(
    pay: Pay, make_context: MakeContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    first, second = pay("return"), pay("return")
    PaymentOrder.objects.filter(pk=second.order.pk).update(gateway="second")
    GatewayTransaction.objects.filter(payment=second).update(gateway="second")
    for payment in (first, second):
        wallet_sandbox.complete_checkout(payment.reference, "success")
    clock.advance(seconds=80)

    assert sweep(context=make_context(alias="second")).queried == 1
    assert Payment.objects.get(pk=second.pk).state == "PAID"
    assert Payment.objects.get(pk=first.pk).state == "OPEN"
    assert sweep(context=make_context()).queried == 1
    assert Payment.objects.get(pk=first.pk).state == "PAID"


def test_a_lease_ends_after_two_minutes_and_not_before(
    pay: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    with pytest.raises(Killed):
        capture(payment=pay(type="preauthorization"), context=interrupted(context, before=kill), amount=FIVE)
    clock.advance(seconds=120)
    assert end_leases(context=context) == 0
    clock.advance(seconds=0.001)
    assert end_leases(context=context) == 1
    assert end_leases(context=context) == 0


def test_what_never_left_and_meets_another_operation_waits_for_it(
    pay: Pay,
    context: GatewayContext,
    make_context: MakeContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    payment = pay(type="preauthorization")
    unreachable = make_context(f"http://127.0.0.1:{unused_port()}")
    unsent = capture(payment=payment, context=unreachable, amount=FIVE)
    wallet_sandbox.fault("capture", "drop_after")
    unknown = capture(payment=payment, context=context, amount=Decimal("7.00"))
    assert unknown.state == S.UNKNOWN

    clock.advance_to(unsent.next_send_at)
    assert send_unsent(context=context) == 0
    clock.advance_to(unknown.next_query_at)
    # The end of the capture lets the payment be queried, too.
    assert sweep(context=context) == report(queried=2, sent_again=1)
    payment.refresh_from_db()
    assert payment.captured == 1200


def test_a_request_that_somebody_else_sends_meanwhile_is_not_counted(
    pay: Pay, context: GatewayContext, make_context: MakeContext, clock: VirtualClock
) -> None:
    unreachable = make_context(f"http://127.0.0.1:{unused_port()}")
    unsent = capture(payment=pay(type="preauthorization"), context=unreachable, amount=FIVE)
    clock.advance_to(unsent.next_send_at)
    stale = GatewayTransaction.objects.get(pk=unsent.pk)
    assert send_unsent(context=context) == 1
    assert sweeping._try_again(stale, context) is False
    assert Payment.objects.get().captured == 500


# Pages of which nothing was sent


@pytest.fixture
def unsent_page(make_order: MakeOrder, make_context: MakeContext) -> GatewayTransaction:
    order = make_order(cardholder={"cardholder_email": "ada@example.com"})
    with pytest.raises(GatewayUnreachable):
        open_unreachable(order, make_context)
    transaction = GatewayTransaction.objects.get()
    assert "ada@example.com" in transaction.request_body
    return transaction


def open_unreachable(order: PaymentOrder, make_context: MakeContext) -> Payment:
    unreachable = make_context(f"http://127.0.0.1:{unused_port()}")
    return start_checkout(order=order, context=unreachable, return_urls=return_urls)


def test_a_page_of_which_nothing_was_sent_is_given_up_when_it_would_have_ended(
    unsent_page: GatewayTransaction, context: GatewayContext, clock: VirtualClock
) -> None:
    assert unsent_page.expires_at is not None
    clock.advance(seconds=(unsent_page.expires_at - clock.now()).total_seconds() - 1)
    assert sweep(context=context) == report()
    clock.advance(seconds=1)
    assert sweep(context=context) == report(pages_given_up=1)
    assert sweep(context=context) == report()

    unsent_page.refresh_from_db()
    assert unsent_page.state == S.ABANDONED
    assert "ada@" not in unsent_page.request_body
    order = PaymentOrder.objects.get()
    assert (order.state, order.is_payable) == (OrderState.FAILED, True)
    assert not OutboxEvent.objects.exists(), "the customer has seen at once that no page was opened"
    again = start_checkout(order=order, context=context, return_urls=return_urls)
    assert again.redirect_url
    assert again.reference != unsent_page.reference


def test_a_page_that_is_tried_again_meanwhile_is_not_given_up(
    unsent_page: GatewayTransaction,
    context: GatewayContext,
    clock: VirtualClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock.advance_to(unsent_page.expires_at)
    settle = sweeping.__dict__["settle"]

    def too_late(*given: object, **named: object) -> GatewayTransaction:
        order = PaymentOrder.objects.get()
        assert start_checkout(order=order, context=context, return_urls=return_urls).redirect_url
        settled: GatewayTransaction = settle(*given, **named)
        return settled

    monkeypatch.setattr(sweeping, "settle", too_late)
    sweeping.give_up_unsent_pages(context=context)
    unsent_page.refresh_from_db()
    assert unsent_page.state == S.OPEN


# Rows that cannot be handled


@pytest.mark.parametrize(
    "fault",
    [IntegrityError("a CHECK says no"), ValueError("NUL"), VersionConflict()],
    ids=lambda fault: repr(fault)[:12],
)
def test_a_row_that_cannot_be_asked_about_does_not_hold_up_the_others(
    fault: Exception,
    pay: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    bad, good = pay("return"), pay("return")
    wallet_sandbox.complete_checkout(good.reference, "success")
    clock.advance(seconds=80)
    ask = query_status

    def stumble(transaction: GatewayTransaction, *, context: GatewayContext) -> Finding | None:
        if transaction.reference == bad.reference:
            raise fault
        return ask(transaction, context=context)

    monkeypatch.setattr(due, "query_status", stumble)
    assert sweep(context=context).queried == 2
    assert Payment.objects.get(pk=good.pk).state == "PAID"
    assert f"{bad.reference} could not be handled" in caplog.text
    assert type(fault).__name__ in caplog.text
    assert waiting({}, now=clock.now()).stuck == (GatewayTransaction.objects.get(reference=bad.reference),)

    # It is due again, a minute later.
    monkeypatch.undo()
    clock.advance(seconds=61)
    assert due.reconcile_due(context=context) == 1


def test_a_lease_that_cannot_be_ended_does_not_hold_up_the_rest_of_the_sweep(
    pay: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = pay("return")
    with pytest.raises(Killed):
        capture(payment=pay(type="preauthorization"), context=interrupted(context, before=kill), amount=FIVE)
    wallet_sandbox.complete_checkout(page.reference, "success")
    clock.advance(seconds=125)

    def refuse(*_: object, **__: object) -> GatewayTransaction:
        raise IntegrityError("a CHECK says no")

    monkeypatch.setattr(sweeping, "settle", refuse)
    sweep(context=context)
    assert Payment.objects.get(pk=page.pk).state == "PAID"


def test_a_database_that_is_away_stops_the_sweep(
    pay: Pay, context: GatewayContext, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    pay("return")
    clock.advance(seconds=80)

    def gone(*_: object, **__: object) -> GatewayTransaction:
        raise OperationalError("server closed the connection")

    monkeypatch.setattr(due, "record_status_result", gone)
    with pytest.raises(OperationalError):
        sweep(context=context)


def test_a_sweep_that_is_limited_by_the_gateway_stops_asking(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    for _ in range(3):
        pay("return")
    clock.advance(seconds=80)
    wallet_sandbox.fault("status", "throttled", seconds=60, times=0)
    before = len(wallet_sandbox.journal())
    assert sweep(context=replace(context, sleep=lambda _: None)).queried == 1
    assert len(wallet_sandbox.journal()) == before + 1


def test_what_waits_at_a_gateway_that_is_gone_from_the_settings_is_said_loudly(
    pay: Pay, context: GatewayContext, caplog: pytest.LogCaptureFixture
) -> None:
    pay("return")
    assert warn_of_unconfigured_gateways(["default"]) == 0
    assert caplog.text == ""
    assert warn_of_unconfigured_gateways(["second"]) == 1
    assert "1 transactions wait at gateway 'default'" in caplog.text


def test_a_sender_that_died_at_a_gateway_that_is_gone_is_said_loudly_too(
    pay: Pay, context: GatewayContext
) -> None:
    payment = pay(type="preauthorization")
    GatewayTransaction.objects.update(next_query_at=None)
    with pytest.raises(Killed):
        capture(payment=payment, context=interrupted(context, before=kill))
    assert warn_of_unconfigured_gateways(["second"]) == 1
