"""When nothing new is sent: at the gateway's word, after many unknowns, on mixed-up units, by switch."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest

from tests.client.servers import unused_port
from tests.operations.conftest import MakeContext, MakeOrder, Pay, VirtualClock
from tests.operations.subjects import OPERATIONS, Subject, make_subject
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import GatewayPause, PauseCode
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import SendingStopped
from wallet_gateway.operations.follow_ups import capture_refund_reverse as follow_ups
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.sending import circuit_breaker
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState
MakeSubject = Callable[[str], Subject]


@pytest.fixture
def make(wallet_sandbox: SandboxControl, context: GatewayContext, pay: Pay) -> MakeSubject:
    return lambda name: make_subject(name, control=wallet_sandbox, context=context, pay=pay)


def sent(control: SandboxControl) -> int:
    """How many requests that move something reached the gateway."""
    return sum(entry["method"] == "POST" for entry in control.journal())


# At the gateway's word


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_rate_limit_pauses_every_new_request_until_the_gateway_wants_them(
    name: str,
    make: MakeSubject,
    make_order: MakeOrder,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    capture, subject = make("capture"), make(name)
    wallet_sandbox.fault("capture", "throttled", seconds=120)
    limited = capture.execute()
    assert limited.state == S.UNKNOWN
    before = sent(wallet_sandbox)

    clock.advance(seconds=119)
    with pytest.raises(SendingStopped):
        subject.execute()
    with pytest.raises(SendingStopped):
        start_checkout(order=make_order(), context=context, return_urls=return_urls)
    assert sent(wallet_sandbox) == before
    assert subject.reserved() == 0

    clock.advance(seconds=2)
    assert subject.execute().state == S.APPROVED


def test_the_question_waits_as_long_as_the_gateway_wants(
    make: MakeSubject, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    subject = make("refund")
    wallet_sandbox.fault("refund", "throttled", seconds=120)
    transaction = subject.execute()

    assert transaction.next_query_at == clock.now() + timedelta(seconds=120)


def test_a_longer_pause_is_not_shortened_by_a_later_one(context: GatewayContext, clock: VirtualClock) -> None:
    circuit_breaker.pause_sending(
        context, seconds=600, explanation=explain(ExplanationCode.COMMENT, said="long")
    )
    circuit_breaker.pause_sending(
        context, seconds=10, explanation=explain(ExplanationCode.COMMENT, said="short")
    )
    GatewayPause.pause_queries(context.alias, until=clock.now() + timedelta(seconds=600))
    GatewayPause.pause_queries(context.alias, until=clock.now() + timedelta(seconds=10))

    pause = GatewayPause.objects.get()
    assert pause.sending_until == pause.queries_until == clock.now() + timedelta(minutes=10)
    assert (pause.pause_code, pause.explanation) == (PauseCode.RETRY_AFTER, "long")


def test_what_never_left_waits_for_the_end_of_a_pause(
    make: MakeSubject, make_context: MakeContext, context: GatewayContext, clock: VirtualClock
) -> None:
    subject = make("capture")
    transaction = subject.execute(make_context(f"http://127.0.0.1:{unused_port()}"))
    circuit_breaker.pause_sending(
        context, seconds=60, explanation=explain(ExplanationCode.COMMENT, said="peace")
    )

    clock.advance_to(transaction.next_send_at)
    assert sweep(context=context).sent_again == 0
    transaction.refresh_from_db()
    assert (transaction.state, subject.requests()) == (S.NOT_SENT, 0)

    clock.advance(seconds=61)
    assert sweep(context=context).sent_again == 1
    transaction.refresh_from_db()
    assert transaction.state == S.APPROVED


# After many unknown outcomes


def unknowns(number: int, make: MakeSubject, control: SandboxControl, clock: VirtualClock) -> None:
    for _ in range(number):
        subject = make("capture")
        control.fault("capture", "drop_before")
        subject.execute()
        clock.advance(seconds=1)


def test_three_unknown_outcomes_pause_nothing(
    make: MakeSubject, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    unknowns(3, make, wallet_sandbox, clock)
    assert not GatewayPause.objects.exists()


def test_more_than_three_unknown_outcomes_pause_new_requests_and_no_question(
    make: MakeSubject, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    another = make("refund")
    unknowns(4, make, wallet_sandbox, clock)
    with pytest.raises(SendingStopped):
        another.execute()

    clock.advance(seconds=3)
    assert sweep(context=context).queried == 4
    clock.advance(minutes=5)
    assert another.execute().state == S.APPROVED


@pytest.mark.parametrize("confirmed", [True, False], ids=["confirmed", "not yet confirmed"])
@pytest.mark.parametrize("fault", ["error_body", "bare_error"])
def test_refusals_pause_nothing_however_many_there_are(
    fault: str, confirmed: bool, make: MakeSubject, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    unknowns(2, make, wallet_sandbox, clock)
    for _ in range(5):
        subject = make("capture")
        wallet_sandbox.fault("capture", fault, status=400, code="4100001")
        if not confirmed:
            wallet_sandbox.fault("status", "drop_before")
        refused = subject.execute()
        assert refused.state == (S.REJECTED if confirmed else S.UNKNOWN)
        clock.advance(seconds=1)
    unknowns(1, make, wallet_sandbox, clock)
    assert not GatewayPause.objects.exists()


def test_unknown_outcomes_of_another_day_do_not_count(
    make: MakeSubject, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    unknowns(3, make, wallet_sandbox, clock)
    clock.advance(minutes=11)
    unknowns(1, make, wallet_sandbox, clock)
    assert not GatewayPause.objects.exists()


# By switch


@pytest.mark.parametrize("name", OPERATIONS)
def test_switched_off_nothing_new_is_sent_and_questions_go_on(
    name: str,
    make: MakeSubject,
    make_context: MakeContext,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    off = make_context(sending=False)
    subject = make(name)
    wallet_sandbox.fault(name, "drop_after")
    transaction = subject.execute()
    before = sent(wallet_sandbox)

    clock.advance_to(transaction.next_query_at)
    assert sweep(context=off).queried >= 1
    with pytest.raises(SendingStopped):
        start_checkout(order=make_order(), context=off, return_urls=return_urls)
    if name in {"capture", "refund"}:
        with pytest.raises(SendingStopped):
            subject.execute(off)
    assert sent(wallet_sandbox) == before
    transaction.refresh_from_db()
    assert transaction.state == S.APPROVED


def test_a_frozen_payment_sends_nothing_again(
    make: MakeSubject,
    make_context: MakeContext,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    subject = make("capture")
    assert subject.payment is not None
    transaction = subject.execute(make_context(f"http://127.0.0.1:{unused_port()}"))
    wallet_sandbox.portal(subject.payment.reference, "ecom.capture", "1.00")
    clock.advance(minutes=6)
    sweep(context=context)
    assert subject.is_frozen()

    clock.advance(minutes=6)
    assert sweep(context=context).sent_again == 0
    transaction.refresh_from_db()
    assert (transaction.state, subject.requests()) == (S.NOT_SENT, 0)


# What a process remembers


def test_a_pause_is_read_once_a_second_at_most_and_ones_own_at_once(
    context: GatewayContext, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(circuit_breaker, "_PAUSE_IS_READ_EVERY", 1.0)
    ticks = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: ticks[0])
    now = clock.now()
    assert not circuit_breaker.sending_is_paused(context, now)
    GatewayPause.objects.create(gateway="default", sending_until=now + timedelta(minutes=1))

    assert not circuit_breaker.sending_is_paused(context, now)
    ticks[0] += 1.1
    assert circuit_breaker.sending_is_paused(context, now)

    GatewayPause.objects.all().delete()
    ticks[0] += 1.1
    assert not circuit_breaker.sending_is_paused(context, now)
    circuit_breaker.pause_sending(
        context, seconds=60, explanation=explain(ExplanationCode.COMMENT, said="now")
    )
    assert circuit_breaker.sending_is_paused(context, now)


def test_a_pause_is_read_again_where_the_clock_has_gone_back(
    context: GatewayContext, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(circuit_breaker, "_PAUSE_IS_READ_EVERY", 1.0)
    now = clock.now()
    # As freezegun does: its monotonic clock has the seconds since 1970.
    monkeypatch.setattr(time, "monotonic", lambda: 1.8e9)
    assert not circuit_breaker.sending_is_paused(context, now)
    GatewayPause.objects.create(gateway="default", sending_until=now + timedelta(minutes=1))

    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    assert circuit_breaker.sending_is_paused(context, now)


def test_money_is_not_moved_on_a_memory(
    make: MakeSubject, context: GatewayContext, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = make("capture")
    monkeypatch.setattr(circuit_breaker, "_PAUSE_IS_READ_EVERY", 3600.0)
    assert not circuit_breaker.sending_is_paused(context, clock.now())
    GatewayPause.objects.create(gateway="default", sending_until=clock.now() + timedelta(minutes=1))

    with pytest.raises(SendingStopped):
        subject.execute()
    assert subject.payment is not None
    with pytest.raises(SendingStopped):
        follow_ups.capture(payment=subject.payment, context=context, amount=Decimal("1.00"))
