"""What operations are given: references, jitter, the right to send, the memory of a pause."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError

import pytest

from tests.operations.conftest import VirtualClock
from wallet_gateway.client.request_deadline import steady_seconds
from wallet_gateway.operations.context import GatewayContext, PauseMemory


def test_references_are_new_each_time_and_sort_by_the_databases_time(
    context: GatewayContext, clock: VirtualClock
) -> None:
    made = []
    for _ in range(20):
        made.append(context.new_reference())
        clock.advance(seconds=0.001)
    assert len(set(made)) == 20
    assert made == sorted(made)
    assert all(re.fullmatch(r"[0-9A-Z]{26}", reference) for reference in made)


def test_two_references_of_one_instant_differ(context: GatewayContext) -> None:
    assert len({context.new_reference() for _ in range(100)}) == 100


def test_jitter_lies_between_minus_one_and_one(context: GatewayContext) -> None:
    drawn = [context.jitter() for _ in range(200)]
    assert all(-1 <= one <= 1 for one in drawn)
    assert min(drawn) < 0 < max(drawn)


def test_the_right_to_send_lasts_thirty_seconds_of_this_machines_own_clock(context: GatewayContext) -> None:
    before = steady_seconds()
    assert before + 30 <= context.not_after() <= steady_seconds() + 30


def test_a_context_does_not_change(context: GatewayContext) -> None:
    with pytest.raises(FrozenInstanceError):
        context.alias = "other"  # type: ignore[misc]


def test_a_pause_that_was_forgotten_is_read_again() -> None:
    memory = PauseMemory(read_at=1.0)
    memory.forget()
    assert memory.read_at is None
