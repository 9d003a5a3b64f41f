"""The workers of a chaos run, with plain functions for steps: they die, are replaced, and none is left."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from proof.chaos import worker
from proof.chaos.crew import Crew, WorkerFailed
from proof.chaos.plan import Step, make_plan
from proof.chaos.shop import Shop
from proof.chaos.worker import read_results


def crew_of(
    monkeypatch: pytest.MonkeyPatch, folder: Path, perform: Callable[[Shop, Step], str], *, kill: bool = False
) -> Crew:
    """Workers that do something else with each step than a shop would."""
    monkeypatch.setattr(worker, "perform", perform)
    monkeypatch.setattr(Shop, "open", lambda self: None)
    nothing: Any = SimpleNamespace()
    shop = Shop(plan=make_plan(1, 80), control=nothing, clock=nothing, log=nothing, die=lambda: None)
    return Crew(shop, workers=2, kill=kill, folder=folder)


def outcomes(crew: Crew) -> list[int]:
    return sorted({result.step for result in read_results(crew.result_files())})


def test_every_step_is_performed_by_some_worker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    crew = crew_of(monkeypatch, tmp_path, lambda shop, step: "done")
    report = crew.run(lambda ended, crew: None)
    assert outcomes(crew) == list(range(1, 81))
    assert (report.kills, report.deaths, report.not_begun) == (0, 0, 0)


def test_workers_are_killed_and_replaced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def slowly(shop: Shop, step: Step) -> str:
        time.sleep(0.01)
        return "done"

    # So soon that steps are still to be fed, however slow this process is.
    monkeypatch.setattr("proof.chaos.crew._STEPS_BETWEEN_KILLS", (4, 8))
    crew = crew_of(monkeypatch, tmp_path, slowly, kill=True)
    report = crew.run(lambda ended, crew: None)
    assert report.kills > 0
    assert len(outcomes(crew)) >= 80 - report.kills - report.not_begun


def test_a_step_that_is_its_workers_death_is_called_again_without_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def deadly(shop: Shop, step: Step) -> str:
        if step.fault:
            os.kill(os.getpid(), signal.SIGKILL)
        return "done"

    crew = crew_of(monkeypatch, tmp_path, deadly)
    deadly_steps = [step for step in make_plan(1, 80).steps if step.fault]
    report = crew.run(lambda ended, crew: None)
    assert report.deaths == len(deadly_steps) > 0
    assert report.repeated > 0
    assert len(outcomes(crew)) == 80 - len(deadly_steps) + report.repeated


def test_a_worker_that_ends_by_itself_is_a_failure_and_leaves_no_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    crew = crew_of(monkeypatch, tmp_path, lambda shop, step: os._exit(3))
    with pytest.raises(WorkerFailed, match="code 3"):
        crew.run(lambda ended, crew: None)
    assert not crew._processes
