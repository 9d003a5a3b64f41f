"""Waiting that can be called off."""

from __future__ import annotations

import threading
import time

import pytest

from tests.waiting import PATIENCE, eventually
from wallet_gateway.sandbox.server import delivery
from wallet_gateway.sandbox.server.delivery import SleepCancelled, cancel_all_sleeps, cancellable_sleep


def test_a_pause_takes_its_time() -> None:
    started = time.monotonic()
    cancellable_sleep(0.1)
    assert time.monotonic() - started >= 0.1


def test_everybody_who_waits_is_cancelled_at_once() -> None:
    called_off: list[str] = []

    def wait() -> None:
        try:
            cancellable_sleep(4 * PATIENCE)
        except SleepCancelled:
            called_off.append("now")

    threads = [threading.Thread(target=wait) for _ in range(5)]
    for thread in threads:
        thread.start()
    # What they wait for knows how many of them are there.
    waiting = delivery._cancelled._cond._waiters  # type: ignore[attr-defined]
    assert eventually(lambda: len(waiting) == 5)
    cancel_all_sleeps()
    for thread in threads:
        thread.join(PATIENCE)
    assert len(called_off) == 5


def test_who_waits_later_is_not_concerned() -> None:
    cancel_all_sleeps()
    cancellable_sleep(0.01)


def test_a_pause_of_nothing_is_none() -> None:
    cancellable_sleep(0)
    with pytest.raises(TypeError):
        cancellable_sleep("1")  # type: ignore[arg-type]
