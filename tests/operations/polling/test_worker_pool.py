"""Threads that work things off together: all of it once, so many at a time, and no failure swallowed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from django.urls import get_script_prefix, set_script_prefix

from wallet_gateway.operations.polling.worker_pool import RateLimiter, run_in_threads

pytestmark = pytest.mark.django_db


def test_what_a_thread_raises_ends_the_taking_and_is_raised() -> None:
    seen: list[int] = []

    def work(thing: int) -> None:
        seen.append(thing)
        if thing == 3:
            raise ZeroDivisionError("three")

    with pytest.raises(ZeroDivisionError, match="three"):
        # Without an end of its own.
        run_in_threads(itertools.count(), work, threads=2)
    assert 3 in seen


def test_what_the_items_raise_ends_all_threads_and_is_raised() -> None:
    done: list[int] = []

    def things() -> Iterator[int]:
        yield 1
        raise ZeroDivisionError("the second")

    with pytest.raises(ZeroDivisionError, match="the second"):
        run_in_threads(things(), done.append, threads=4)
    assert done == [1]


def test_a_thread_makes_addresses_with_the_prefix_of_the_one_that_began_it() -> None:
    prefix, seen = get_script_prefix(), list[str]()
    set_script_prefix("/shop/")
    try:
        run_in_threads([1], lambda _: seen.append(get_script_prefix()), threads=2)
    finally:
        set_script_prefix(prefix)
    assert seen == ["/shop/"]


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands at its only entry."""
    ticks = [1000.0]
    monkeypatch.setattr("wallet_gateway.operations.polling.worker_pool.time.monotonic", lambda: ticks[0])
    return ticks


def test_turns_come_at_the_rate_whoever_takes_them(ticks: list[float]) -> None:
    waits: list[float] = []
    pace = RateLimiter(10.0, waits.append)
    for _ in range(4):
        pace.wait()
    assert [round(wait, 1) for wait in waits] == [0.1, 0.2, 0.3], "nobody slept, so each waits for all before"


def test_a_long_delay_is_not_made_good_by_a_burst(ticks: list[float]) -> None:
    waits: list[float] = []
    pace = RateLimiter(10.0, waits.append)
    ticks[0] += 0.5
    for _ in range(5):
        pace.wait()
    assert len(waits) == 3
