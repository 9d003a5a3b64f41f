"""The signals a shop connects to, by name: taking one away breaks shops."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest
from django.dispatch import Signal

from tests.support.nameless_receivers import SECRET, Nameless, between_two, nameless
from wallet_gateway import signals
from wallet_gateway.models import OutboxEventKind

__all__ = ["nameless"]

NAMES = """
    order_authorized order_paid order_captured_in_part order_refunded order_reversed order_failed
    order_expired order_anomaly order_unfrozen order_cancelled order_released wallet_limit_reached
    operation_refused authorization_expiring batch_row_done gateway_called sending_paused sending_resumed
"""


def test_the_signals_are_these_and_no_others() -> None:
    found = {name for name, value in vars(signals).items() if isinstance(value, Signal)}
    assert found == set(NAMES.split())


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


async def fail(_word: str, **_: object) -> None:
    raise ConnectionError


@pytest.mark.parametrize("is_async", [False, True])
def test_a_receiver_without_a_name_that_raises_keeps_no_other_from_hearing(
    is_async: bool, nameless: Nameless
) -> None:
    for receiver in (nameless, partial(fail, "word")):
        signal = signals.ShopSignal()
        with between_two(signal, receiver) as heard:
            answers = asyncio.run(signal.asend_robust(sender=None)) if is_async else signal.send_robust(None)
        assert heard == ["first", "last"]
        said = {repr(receiver): type(answer) for receiver, answer in answers}
        assert said.pop(repr(receiver)) is ConnectionError
        assert set(said.values()) == {type(None)}


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
