"""`sending_paused` of a pause that the gateway requested: sent once the outcome of the request is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from tests.nameless_receivers import nameless
from tests.operations.conftest import MakeOrder, Pay, VirtualClock
from tests.operations.settlement.rows import a_follow_up, a_reservation
from tests.operations.subjects import OPERATIONS, make_subject
from wallet_gateway.client.errors import OutcomeUnknown, UnknownReason
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import GatewayPause, GatewayTransaction
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import GatewayUnreachable
from wallet_gateway.operations.sending import answers
from wallet_gateway.operations.sending.circuit_breaker import pausing
from wallet_gateway.signals import sending_paused
from wallet_gateway.testing.control import SandboxControl

__all__ = ["nameless"]
pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]

OUTCOMES = {"checkout": TransactionState.ABANDONED}
"""Nobody can reach a page whose address was not received."""


@pytest.fixture
def fail(
    context: GatewayContext, make_order: MakeOrder, pay: Pay, wallet_sandbox: SandboxControl
) -> Callable[[str], str]:
    """Carry out an operation that the gateway answers with a rate limit; return the state it ends in."""

    def checkout() -> str:
        order = make_order()
        wallet_sandbox.fault("checkout", "throttled", seconds=60)
        with pytest.raises(GatewayUnreachable):
            start_checkout(order=order, context=context, return_urls=return_urls)
        return GatewayTransaction.objects.get(payment__order=order).state

    def throttled(name: str) -> str:
        if name == "checkout":
            return checkout()
        subject = make_subject(name, control=wallet_sandbox, context=context, pay=pay)
        wallet_sandbox.fault(name, "throttled", seconds=60)
        return subject.execute().state

    return throttled


@contextmanager
def states_at_the_alarm() -> Iterator[list[tuple[str, bool]]]:
    """Give, for each alarm, the state of the latest request and whether the pause was in force."""
    seen: list[tuple[str, bool]] = []

    def look(**_: object) -> None:
        state = GatewayTransaction.objects.latest("pk").state
        seen.append((state, GatewayPause.objects.filter(sending_until__isnull=False).exists()))

    sending_paused.connect(look)
    try:
        yield seen
    finally:
        sending_paused.disconnect(look)


@pytest.mark.parametrize("name", ["checkout", *OPERATIONS])
def test_the_outcome_is_recorded_before_anybody_hears_of_the_pause(
    name: str, fail: Callable[[str], str]
) -> None:
    with states_at_the_alarm() as seen:
        state = fail(name)
    assert state == OUTCOMES.get(name, TransactionState.UNKNOWN)
    assert seen == [(state, True)]


def test_the_pause_is_in_force_while_the_outcome_is_being_recorded_and_told_of_if_that_fails(
    context: GatewayContext, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_force: list[object] = []

    def broken(*_: object, **_given: object) -> None:
        in_force.extend(GatewayPause.objects.values_list("sending_until", flat=True))
        raise ZeroDivisionError

    transaction = a_follow_up(a_reservation(context), TransactionKind.CAPTURE, TransactionState.SENDING)
    limited = OutcomeUnknown(UnknownReason.RATE_LIMITED, 60.0)
    with states_at_the_alarm() as seen, monkeypatch.context() as patch:
        patch.setattr(answers, "settle", broken)
        with pytest.raises(ZeroDivisionError):
            answers.record_unknown(transaction, limited, context=context)
    assert in_force == [clock.now() + timedelta(seconds=60)]
    assert seen == [(TransactionState.SENDING, True)]


def test_a_pause_that_is_only_prolonged_is_no_second_alarm(
    context: GatewayContext, clock: VirtualClock, heard: list[dict[str, Any]]
) -> None:
    why = explain(ExplanationCode.COMMENT, said="rate limit")
    for seconds in (60.0, 90.0, None):
        with pausing(context, OutcomeUnknown(UnknownReason.RATE_LIMITED, seconds), why):
            pass
    assert [told["until"] for told in heard] == [clock.now() + timedelta(seconds=60)]
    assert GatewayPause.objects.get().sending_until == clock.now() + timedelta(seconds=90)
