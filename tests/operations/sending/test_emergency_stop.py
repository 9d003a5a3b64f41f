"""The emergency stop: nothing new is sent, questions go on, and who did it stays to be read."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from tests.operations.conftest import MakeContext, MakeOrder, Pay, VirtualClock
from tests.operations.second_person import person
from tests.operations.subjects import OPERATIONS, make_subject
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import GatewayPause, PauseCode
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidInput, InvalidState, SendingStopped
from wallet_gateway.operations.follow_ups.capture_refund_reverse import refund
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling import reconciliation
from wallet_gateway.operations.sending import circuit_breaker
from wallet_gateway.operations.sending.emergency_stop import resume_sending, stop_sending
from wallet_gateway.protocol.card_numbers import has_card_number
from wallet_gateway.queries.pauses import sending_pauses
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
Decide = Callable[..., GatewayPause]
WHY: dict[str, Any] = {"by": "anna", "reason": "amounts look wrong"}


def sent(control: SandboxControl) -> int:
    return sum(entry["method"] == "POST" for entry in control.journal())


@pytest.mark.parametrize("name", OPERATIONS)
def test_while_stopped_no_operation_leaves_and_nothing_is_reserved(
    name: str, context: GatewayContext, pay: Pay, wallet_sandbox: SandboxControl
) -> None:
    subject = make_subject(name, control=wallet_sandbox, context=context, pay=pay)
    stop_sending(context=context, **WHY)
    before = sent(wallet_sandbox)
    with pytest.raises(SendingStopped):
        subject.execute()
    assert (sent(wallet_sandbox), subject.reserved()) == (before, 0)

    resume_sending(context=context, by="bob", reason="it was the test shop")
    assert subject.execute().state == TransactionState.APPROVED


def test_while_stopped_no_page_is_opened(
    context: GatewayContext, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    stop_sending(context=context, **WHY)
    with pytest.raises(SendingStopped):
        start_checkout(order=make_order(), context=context, return_urls=return_urls)
    assert sent(wallet_sandbox) == 0


def test_while_stopped_questions_go_on(
    context: GatewayContext, open_page: Pay, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    on_demand, by_sweep = open_page(), open_page()
    stop_sending(context=context, **WHY)
    for attempt in (on_demand, by_sweep):
        wallet_sandbox.complete_checkout(attempt.reference, "success")

    answered = reconciliation.reconcile_attempt(reference=on_demand.reference, context=context)
    clock.advance(seconds=80)
    sweep(context=context)

    by_sweep.order.refresh_from_db()
    assert (answered.order.state, by_sweep.order.state) == (OrderState.PAID, OrderState.PAID)


def test_a_stop_says_who_and_why_and_so_does_its_end(
    context: GatewayContext, clock: VirtualClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "wallet_gateway.operations")
    stop_sending(context=context, **WHY)
    (pause,) = sending_pauses(clock.now())
    assert (pause.gateway, pause.by, pause.reason, pause.until) == (
        "default",
        "anna",
        "amounts look wrong",
        None,
    )
    row = resume_sending(context=context, by="bob", reason="checked")
    assert (row.stopped_at, row.resumed_by, row.resume_reason) == (None, "bob", "checked")
    assert (row.stopped_by, row.stop_reason) == ("anna", "amounts look wrong")
    assert sending_pauses(clock.now()) == ()
    assert [record.getMessage() for record in caplog.records] == [
        "sending to default was stopped by anna: amounts look wrong",
        "sending to default was resumed by bob: checked",
    ]


def test_the_first_stop_stays_and_a_machines_pause_does_not_replace_it(
    context: GatewayContext, clock: VirtualClock
) -> None:
    stop_sending(context=context, **WHY)
    stop_sending(context=context, by="bob", reason="me too")
    circuit_breaker.pause_sending(
        context, seconds=900, explanation=explain(ExplanationCode.COMMENT, said="rate limit")
    )
    clock.advance(days=3000)
    (pause,) = sending_pauses(clock.now())
    assert pause.by == "anna"


def test_a_stop_takes_the_place_of_a_machines_pause(context: GatewayContext, clock: VirtualClock) -> None:
    circuit_breaker.pause_sending(
        context, seconds=900, explanation=explain(ExplanationCode.COMMENT, said="rate limit")
    )
    (pause,) = sending_pauses(clock.now())
    assert (pause.by, pause.code) == ("", PauseCode.RETRY_AFTER)
    assert pause.reason == "the gateway asks for time: rate limit"
    assert pause.until is not None
    stop_sending(context=context, **WHY)
    (pause,) = sending_pauses(clock.now())
    assert pause.by == "anna"


def test_a_stop_with_an_end_ends_by_itself_and_says_until_when(
    context: GatewayContext, make_order: MakeOrder, clock: VirtualClock
) -> None:
    until = clock.now() + timedelta(hours=2)
    stop_sending(context=context, **WHY, until=until)
    (pause,) = sending_pauses(clock.now())
    assert (pause.by, pause.until) == ("anna", until)

    clock.advance(hours=1, minutes=59)
    with pytest.raises(SendingStopped):
        start_checkout(order=make_order(), context=context, return_urls=return_urls)
    clock.advance(minutes=1)
    assert sending_pauses(clock.now()) == ()
    context.pause.forget()
    assert start_checkout(order=make_order(), context=context, return_urls=return_urls).is_open
    with refuses(InvalidState, ErrorCode.WRONG_STATE):
        resume_sending(context=context, **WHY)


@pytest.mark.parametrize(
    ("first", "second", "holder"),
    [(2, 1, "anna"), (1, 2, "bob"), (1, None, "bob"), (None, 1, "anna"), (None, None, "anna")],
)
def test_of_two_stops_the_one_that_lasts_longer_holds(
    first: int | None, second: int | None, holder: str, context: GatewayContext, clock: VirtualClock
) -> None:
    for by, hours in (("anna", first), ("bob", second)):
        until = None if hours is None else clock.now() + timedelta(hours=hours)
        stop_sending(context=context, by=by, reason="drill", until=until)
    (pause,) = sending_pauses(clock.now())
    assert pause.by == holder


def test_after_a_stop_that_has_ended_another_one_holds(context: GatewayContext, clock: VirtualClock) -> None:
    stop_sending(context=context, **WHY, until=clock.now() + timedelta(hours=1))
    clock.advance(hours=2)
    stop_sending(context=context, by="bob", reason="again", until=clock.now() + timedelta(minutes=5))
    (pause,) = sending_pauses(clock.now())
    assert pause.by == "bob"


@pytest.mark.parametrize("minutes", [0, -1])
def test_a_stop_must_end_in_the_future(minutes: int, context: GatewayContext, clock: VirtualClock) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID):
        stop_sending(context=context, **WHY, until=clock.now() + timedelta(minutes=minutes))
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID):
        stop_sending(context=context, **WHY, until=datetime(2999, 1, 1))  # noqa: DTZ001 - the fault
    assert not GatewayPause.objects.exists()


@pytest.mark.parametrize("until", [datetime.max.replace(tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)])
def test_an_end_that_no_page_could_show_in_its_time_zone_is_refused(
    until: datetime, context: GatewayContext, clock: VirtualClock
) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID):
        stop_sending(context=context, **WHY, until=until)
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID):
        stop_sending(context=context, **WHY, until=until.replace(tzinfo=timezone(timedelta(hours=-12))))
    stop_sending(context=context, **WHY, until=clock.now() + timedelta(days=366))
    assert GatewayPause.objects.get().stopped_until is not None


def test_the_account_is_kept_beside_the_name(context: GatewayContext) -> None:
    stop_sending(context=context, by=person("anna"), reason="drill")
    row = resume_sending(context=context, by=person("bob"), reason="over")
    assert (row.stopped_by_account, row.resumed_by_account) == ("key-of-anna", "key-of-bob")


def test_who_listens_hears_of_every_stop_and_of_its_end_once(
    context: GatewayContext,
    clock: VirtualClock,
    heard: list[dict[str, Any]],
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    limited = explain(ExplanationCode.COMMENT, said="rate limit")
    until = clock.now() + timedelta(hours=2)
    with django_capture_on_commit_callbacks(execute=True):
        circuit_breaker.pause_sending(context, seconds=60, explanation=limited)()
        circuit_breaker.pause_sending(context, seconds=600, explanation=limited)()
        stop_sending(context=context, **WHY, until=until)
        stop_sending(context=context, **WHY, until=until)
        resume_sending(context=context, by="bob", reason="checked")
    assert [(said["gateway"], said["by"], said["reason"]) for said in heard] == [
        ("default", "", "rate limit"),
        ("default", "anna", "amounts look wrong"),
        ("default", "bob", "checked"),
    ]
    assert [said.get("code") for said in heard] == [PauseCode.RETRY_AFTER, None, None]
    assert [said.get("until") for said in heard] == [clock.now() + timedelta(seconds=60), until, None]


def test_another_gateway_goes_on(context: GatewayContext, make_context: MakeContext, pay: Pay) -> None:
    payment = pay()
    stop_sending(context=make_context(alias="second"), **WHY)
    assert refund(payment=payment, context=context, amount=Decimal("1.00")).state == TransactionState.APPROVED


def test_what_nobody_stopped_cannot_be_resumed(context: GatewayContext, clock: VirtualClock) -> None:
    with refuses(InvalidState, ErrorCode.WRONG_STATE):
        resume_sending(context=context, **WHY)
    circuit_breaker.pause_sending(
        context, seconds=900, explanation=explain(ExplanationCode.COMMENT, said="rate limit")
    )
    with refuses(InvalidState, ErrorCode.WRONG_STATE):
        resume_sending(context=context, **WHY)
    assert len(sending_pauses(clock.now())) == 1


@pytest.mark.parametrize("decide", [stop_sending, resume_sending])
@pytest.mark.parametrize(
    "words", [{"by": " ", "reason": "x"}, {"by": "anna", "reason": ""}], ids=["nobody", "no-reason"]
)
def test_a_decision_needs_an_author_and_a_reason(
    decide: Decide, words: dict[str, str], context: GatewayContext
) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID):
        decide(context=context, **words)
    assert not GatewayPause.objects.exists()


@pytest.mark.parametrize("decide", [stop_sending, resume_sending])
def test_a_card_number_in_a_reason_is_neither_stored_nor_logged(
    decide: Decide, context: GatewayContext, caplog: pytest.LogCaptureFixture
) -> None:
    with suppress(InvalidState):
        decide(context=context, by="anna", reason="like 4111.1111.1111.1111")
    rows = str(list(GatewayPause.objects.values_list("stop_reason", "resume_reason")))
    assert not has_card_number(rows + caplog.text)


@pytest.mark.parametrize("decide", [stop_sending, resume_sending])
def test_words_that_cannot_be_stored_are_refused_by_name(decide: Decide, context: GatewayContext) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, field="reason"):
        decide(context=context, by="anna", reason="a\0b")
