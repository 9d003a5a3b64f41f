"""Tries the faults of one subject: most in forks of one session, the rest in a process of their own each."""

from __future__ import annotations

import ast
import json
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from proof.mutation.mutants import Mutant, mutants_of
from proof.mutation.planted import PLANTED
from proof.mutation.subjects import NEAR
from proof.parts import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from proof.mutation.subjects import Subject

BUDGET: Final = 4.0
"""Seconds of processor time that the tests for one fault take without it."""
BUDGET_BY_NAME: Final = 40.0
"""The same for a fault that is asked for by its name: of each it is said whether anything notices it."""
NEAREST: Final = 2
"""How many files of tests a fault gets that costs a process of its own."""
_LIMIT: Final = 300
"""Seconds after which a process of its own counts as one that noticed the fault: it hangs."""
_NOTICED, _UNNOTICED, _NO_TIME = 1, 0, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of the faults of a subject that were tried."""

    subject: Subject
    modules: tuple[str, ...]
    made: int = 0
    noticed: list[Mutant] = field(default_factory=list)
    hung: list[Mutant] = field(default_factory=list)
    """Those of them by which no test fails: it takes too long, crashes, or the module cannot be made."""
    unnoticed: list[Mutant] = field(default_factory=list)


def try_subject(
    subject: Subject,
    modules: Sequence[str],
    *,
    share: float,
    seed: int,
    seconds: float,
    names: Collection[str] = (),
    first: Callable[[Mutant], bool] = lambda mutant: False,
    listed: Collection[str] = (),
) -> Tried:
    """Try a share of the faults of some modules, or some by name, for so many seconds at most.

    Those that `first` is true of are tried before the others. One that is `listed` as never noticed gets no
    process of its own: the trial in the session is enough to see that the list is not wrong.
    """
    planned = [mutant for module in modules for mutant in mutants_of(module)]
    chooser = random.Random(f"{seed} {subject.name}")
    numbers = [number for number in range(len(planned)) if chooser.random() < share]
    if names:
        numbers = [number for number, mutant in enumerate(planned) if mutant.name in names]
    numbers.sort(key=lambda number: not first(planned[number]))
    deadline = time.monotonic() + seconds
    budget = BUDGET_BY_NAME if names else BUDGET
    verdicts = _in_session(subject, modules, numbers, seconds=seconds, budget=budget)
    tried = Tried(subject=subject, modules=tuple(modules), made=len(planned))
    for number, (verdict, by) in verdicts.items():
        mutant = planned[number]
        if verdict == _NOTICED and not by:
            tried.hung.append(mutant)
        # In the session a function is replaced where it stands, not where another module has taken it before.
        is_sure = verdict == _UNNOTICED and (mutant.name in listed or (mutant.place and not names))
        if verdict != _NOTICED and not is_sure:
            verdict = _in_a_process(subject, mutant, deadline - time.monotonic())
            if verdict == _NO_TIME:
                continue
        (tried.noticed if verdict == _NOTICED else tried.unnoticed).append(mutant)
    return tried


def _in_session(
    subject: Subject, modules: Sequence[str], numbers: Sequence[int], *, seconds: float, budget: float
) -> dict[int, tuple[int, str]]:
    """Return the verdict on each fault that was tried, and the test that has noticed it."""
    with TemporaryDirectory(prefix="mutation-") as folder:
        job, output = Path(folder, "job.json"), Path(folder, "verdicts")
        output.touch()
        asked = {"modules": modules, "tests": subject.tests, "numbers": numbers, "output": str(output)}
        job.write_text(
            json.dumps({**asked, "seconds": min(seconds, 1e9), "budget": budget}), encoding="utf-8"
        )
        command = [sys.executable, "-m", "proof.mutation.session", str(job)]
        environment = {**os.environ, "HYPOTHESIS_STORAGE_DIRECTORY": folder}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        verdicts = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    if done.returncode:
        raise RuntimeError(f"{subject.name}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return {each["number"]: (each["verdict"], each["by"]) for each in verdicts}


def _in_a_process(subject: Subject, mutant: Mutant, seconds: float) -> int:
    if seconds <= 0:
        return _NO_TIME
    with TemporaryDirectory(prefix="mutation-") as folder:
        source = Path(folder, "source.py")
        source.write_text(ast.unparse(mutant.planted()), encoding="utf-8")
        command = [
            *(sys.executable, "-m", "pytest", "-x", "-q", "-p", "proof.mutation.planted"),
            *("-p", "no:randomly", "-p", "no:cacheprovider", "--hypothesis-seed=0"),
            *(*NEAR, *subject.tests[:NEAREST]),
        ]
        environment = {
            **os.environ,
            PLANTED: f"{mutant.module}={source}",
            "HYPOTHESIS_STORAGE_DIRECTORY": folder,
            "TMPDIR": folder,
        }
        try:
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=environment,
                capture_output=True,
                timeout=min(_LIMIT, seconds),
                check=False,
            )
        except subprocess.TimeoutExpired:
            return _NOTICED if seconds > _LIMIT else _NO_TIME
    return _UNNOTICED if done.returncode == 0 else _NOTICED
