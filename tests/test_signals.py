"""The signals a shop connects to, by name: taking one away breaks shops."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest
from django.dispatch import Signal

from tests.nameless_receivers import SECRET, Nameless, between_two, nameless
from wallet_gateway import signals
from wallet_gateway.models import OutboxEventKind

__all__ = ["nameless"]

NAMES = {
    "order_authorized",
    "order_paid",
    "order_captured_in_part",
    "order_refunded",
    "order_reversed",
    "order_failed",
    "order_expired",
    "order_anomaly",
    "order_cancelled",
    "order_released",
    "wallet_limit_reached",
    "operation_refused",
}


def test_the_signals_are_these_and_no_others() -> None:
    assert {name for name, value in vars(signals).items() if isinstance(value, Signal)} == {
        *NAMES,
        # Of a date and not of what happened, so it is no fact.
        "authorization_expiring",
        # Of rows of batches, which are about many orders.
        "batch_row_done",
        # Of calls and not of orders.
        "gateway_called",
        # Of gateways and not of orders.
        "sending_paused",
        "sending_resumed",
    }


def test_a_receiver_is_connected_as_django_connects_it() -> None:
    signal, seen = signals.ShopSignal(), []

    def receive(sender: object, **kwargs: object) -> None:
        seen.append((sender, kwargs["reference"]))

    signal.connect(receive, sender=OutboxEventKind, weak=False, dispatch_uid="once")
    signal.connect(receive, sender=OutboxEventKind, weak=False, dispatch_uid="once")
    del receive
    signal.send(sender=OutboxEventKind, reference="ORDER-1")
    signal.send(sender=object, reference="ORDER-2")
    assert seen == [(OutboxEventKind, "ORDER-1")]


# Receivers that fail


@pytest.mark.parametrize("is_async", [False, True])
def test_a_receiver_without_a_name_that_raises_keeps_no_other_from_hearing(
    is_async: bool, nameless: Nameless
) -> None:
    signal = signals.ShopSignal()
    with between_two(signal, nameless) as heard:
        answers = asyncio.run(signal.asend_robust(sender=None)) if is_async else signal.send_robust(None)
    assert heard == ["first", "last"]
    assert [type(answer) for _, answer in answers] == [type(None), ConnectionError, type(None)]
    assert answers[1][0] is nameless


def test_a_coroutine_without_a_name_may_raise_too() -> None:
    async def fail(_word: str, **_: object) -> None:
        raise ConnectionError

    signal, receiver = signals.ShopSignal(), partial(fail, "word")
    with between_two(signal, receiver) as heard:
        answers = signal.send_robust(sender=None)
    assert heard == ["first", "last"]
    assert [type(answer) for _, answer in answers] == [type(None), type(None), ConnectionError]


def test_the_log_names_its_function_or_class_and_nothing_that_it_holds(
    nameless: Nameless, caplog: pytest.LogCaptureFixture
) -> None:
    signal = signals.ShopSignal()
    signal.connect(nameless)
    signal.send_robust(sender=None)
    (record,) = caplog.records
    named = "_print" if isinstance(nameless, partial) else "Printer"
    assert (record.name, record.levelname) == ("django.dispatch", "ERROR")
    assert record.getMessage() == f"Error calling {named} in Signal.send_robust() (the printer is off)"
    assert record.exc_info is not None
    assert SECRET not in caplog.text
