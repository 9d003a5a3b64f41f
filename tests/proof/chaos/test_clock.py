"""The clock that all processes of a chaos run share."""

from __future__ import annotations

import multiprocessing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from proof.chaos.clock import ShopClock


def test_a_standing_clock_moves_only_when_it_is_moved(tmp_path: Path) -> None:
    clock = ShopClock(tmp_path / "clock", is_standing=True)
    before = clock.now()
    assert clock.now() == clock.read() == before
    clock.move(90)
    assert clock.now() == before + timedelta(seconds=90)
    clock.move(-45)
    assert clock.now() == before + timedelta(seconds=45)


def test_a_standing_clock_is_ahead_of_the_machines_behind_which_no_sandbox_goes(
    tmp_path: Path,
) -> None:
    assert ShopClock(tmp_path / "clock", is_standing=True).now() > datetime.now(UTC) + timedelta(hours=1)


def test_a_running_clock_goes_on_with_the_machines(tmp_path: Path) -> None:
    clock = ShopClock(tmp_path / "clock", is_standing=False)
    clock.move(3600)
    ahead = clock.now() - datetime.now(UTC)
    assert timedelta(minutes=59) < ahead <= timedelta(hours=1)


def test_no_movement_is_lost_among_processes(tmp_path: Path) -> None:
    clock = ShopClock(tmp_path / "clock", is_standing=True)
    before, context = clock.now(), multiprocessing.get_context("fork")
    movers = [context.Process(target=_move_often, args=(clock,)) for _ in range(3)]
    for mover in movers:
        mover.start()
    for mover in movers:
        mover.join()
    assert clock.now() == before + timedelta(seconds=300)


def _move_often(clock: ShopClock) -> None:
    for _ in range(100):
        clock.move(1)
