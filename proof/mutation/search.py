"""Plant faults in what moves money, and name those that no test notices.

The faults that `chosen.txt` names count one by one. With ``every`` each fault is tried that the operators
make; of those all count in outcomes and limits, and elsewhere nine of ten have to be noticed, where all of a
module were tried. One that the list of survivors explains does not count; a listed one that cannot be planted
does.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from proof.mutation.changes import changed_lines
from proof.mutation.mutants import Mutant, mutants_of, path_of
from proof.mutation.subjects import SUBJECTS
from proof.mutation.trials import Trial, try_faults
from proof.parts import ROOT
from proof.results import Tally

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_HERE = Path(__file__).parent
_BUDGET, _BUDGET_OF_CHOSEN = 4.0, 40.0
"""Seconds of processor time that the tests for one fault take without it: of a chosen one it is said whether
anything notices it."""


def run(
    *,
    seed: int = 0,
    sample: int = 0,
    every: bool = False,
    modules: str = "",
    changed_since: str | None = None,
    seconds: float = float("inf"),
) -> Tally:
    """Try the chosen faults, or every one; `sample` of them, of these `modules`, for so many `seconds`.

    With `changed_since` every fault of the files changed since this branch left that revision, changed lines
    first; without a revision since it left the upstream or main branch, or else the last commit.
    """
    began = time.monotonic()
    changed = None if changed_since is None else changed_lines(changed_since)
    is_chosen = changed is None and not every
    known = [module for subject in SUBJECTS for module in subject.modules]
    if unknown := set(modules.split()) - set(known):
        sys.exit(f"no faults are planted in {', '.join(sorted(unknown))}: see proof/mutation/subjects.py")
    made = {
        module: mutants_of(module)
        for module in known
        if module in (modules.split() or known) and (changed is None or _file_of(module) in changed)
    }
    survivors = named_in(_HERE / "survivors.txt")
    listed = named_in(_HERE / "chosen.txt") if is_chosen else survivors
    planned = [one for mutants in made.values() for one in mutants if not is_chosen or one.name in listed]
    if 0 < sample < len(planned):
        numbers = sorted(random.Random(seed).sample(range(len(planned)), sample))
        planned = [planned[number] for number in numbers]
    planned.sort(key=lambda one: (changed or {}).get(_file_of(one.module), set()).isdisjoint(one.lines))
    if not planned:
        print("No file that moves money was changed: no fault is planted.", flush=True)
    trials: list[Trial] = []
    for subject in SUBJECTS:
        mine = [mutant for mutant in planned if mutant.module in subject.modules]
        left = seconds - (time.monotonic() - began)
        budget = _BUDGET_OF_CHOSEN if is_chosen else _BUDGET
        tried = list(try_faults(subject, mine, seconds=left, budget=budget)) if left > 0 else []
        for module, noticed in Counter(trial.mutant.module for trial in tried if trial.is_noticed).items():
            print(
                f"{module}: {noticed} of {sum(t.mutant.module == module for t in tried)} noticed", flush=True
            )
        trials += tried
    found = _unnoticed(trials, made, survivors, is_chosen=is_chosen)
    if changed is None:
        names = {mutant.name for mutants in made.values() for mutant in mutants}
        gone = [name for name in listed if name.partition(":")[0] in made and name not in names]
        found += [f"OUTDATED, its code has changed: {name}" for name in gone]
    for line in found:
        print(line, flush=True)
    noticed = sum(trial.is_noticed for trial in trials)
    return Tally(runs=len(trials), failures=found, notes=[f"{noticed} noticed, {len(trials) - noticed} not"])


def _file_of(module: str) -> str:
    """Return the name that git has for a module."""
    return path_of(module).relative_to(ROOT).as_posix()


def named_in(file: Path) -> dict[str, str]:
    """Return the reason of every fault in a file; one without a reason is refused.

    A reason is one or more lines that begin with ``# ``, for the faults below it, up to an empty line.
    """
    found: dict[str, str] = {}
    for block in file.read_text(encoding="utf-8").split("\n\n"):
        lines = block.strip().splitlines()
        reason = " ".join(line.removeprefix("# ") for line in lines if line.startswith("#"))
        names = [line for line in lines if not line.startswith("#")]
        if names and not reason:
            raise ValueError(f"{file.name}: no reason for {names[0]}")
        found |= dict.fromkeys(names, reason)
    return found


def _unnoticed(
    trials: Sequence[Trial], made: Mapping[str, list[Mutant]], reasons: Collection[str], *, is_chosen: bool
) -> list[str]:
    """Return a line for each fault that counts; the others are only told.

    They are where enough of a module's were noticed, or where only some were tried: that says nothing of nine
    in ten.
    """
    found = []
    for subject in SUBJECTS:
        for module in subject.modules:
            mine = [trial for trial in trials if trial.mutant.module == module]
            unnoticed = [trial.mutant.name for trial in mine if not trial.is_noticed]
            names = [name for name in unnoticed if name not in reasons]
            noticed = len(mine) - len(unnoticed)
            is_judged = is_chosen or subject.share == 1 or len(mine) == len(made.get(module, ()))
            share = 1 if is_chosen else subject.share
            if is_judged and names and noticed < share * (noticed + len(names)):
                found += [f"UNNOTICED {name}" for name in names]
            else:
                for name in names:
                    print(f"unnoticed {name}", flush=True)
    return found
