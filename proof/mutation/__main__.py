"""``python -m proof.mutation``: plant faults in what moves money, and name those that no test notices.

``--chosen`` tries the faults that a file names, by default ``chosen.txt`` beside this one: each counts.
Without it every fault that the operators make is tried; of those all count in outcomes and limits, and
elsewhere nine of ten have to be noticed, where all of a module were tried. ``--modules`` and
``--changed-since`` choose modules, ``--sample`` a number of faults, ``--seconds`` when to stop. The exit code
is 1 when a fault counts that nothing noticed and that the list of survivors does not explain, or when a
listed one cannot be planted.
"""

from __future__ import annotations

import argparse
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
from proof.results import write_result

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_HERE = Path(__file__).parent
_BUDGET, _BUDGET_OF_CHOSEN = 4.0, 40.0
"""Seconds of processor time that the tests for one fault take without it: of a chosen one it is said whether
anything notices it."""


def main(arguments: Sequence[str]) -> int:
    """Try the faults that are asked for, say what stayed unnoticed, return the exit code."""
    asked = _parser().parse_args(arguments)
    began = time.monotonic()
    changed = None if asked.changed_since is None else changed_lines(asked.changed_since)
    made = {module: mutants_of(module) for module in _modules(asked.modules, changed)}
    survivors = named_in(_HERE / "survivors.txt")
    listed = named_in(asked.chosen) if asked.chosen else survivors
    planned = _planned(made, set(listed) if asked.chosen else None, asked.sample, asked.seed, changed or {})
    if not planned:
        _say("No file that moves money was changed: no fault is planted.")
    trials: list[Trial] = []
    for subject in SUBJECTS:
        mine = [mutant for mutant in planned if mutant.module in subject.modules]
        left = asked.seconds - (time.monotonic() - began)
        budget = _BUDGET_OF_CHOSEN if asked.chosen else _BUDGET
        tried = list(try_faults(subject, mine, seconds=left, budget=budget)) if left > 0 else []
        for module, noticed in Counter(trial.mutant.module for trial in tried if trial.is_noticed).items():
            _say(f"{module}: {noticed} of {sum(t.mutant.module == module for t in tried)} noticed")
        trials += tried
    found = _unnoticed(trials, made, survivors, is_chosen=asked.chosen is not None)
    if asked.changed_since is None:
        names = {mutant.name for mutants in made.values() for mutant in mutants}
        gone = [name for name in listed if name.partition(":")[0] in made and name not in names]
        found += [f"OUTDATED, its code has changed: {name}" for name in gone]
    for line in found:
        _say(line)
    noticed = sum(trial.is_noticed for trial in trials)
    write_result(
        asked.result,
        part="mutation",
        what="faults planted in the code that moves money, which the tests must notice",
        runs=len(trials),
        found=len(found),
        seed=asked.seed,
        seconds=time.monotonic() - began,
        notes=f"{noticed} noticed, {len(trials) - noticed} not",
    )
    _say(f"{noticed} of {len(trials)} noticed")
    return 1 if found else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m proof.mutation", description=__doc__)
    parser.add_argument("--modules", nargs="+", default=[], help="as wallet_gateway.domain.states")
    parser.add_argument(
        "--changed-since",
        metavar="REV",
        nargs="?",
        const="",
        help="only files changed since this branch left REV, changed lines first; without REV: since "
        "it left the upstream or main branch, or else the last commit",
    )
    parser.add_argument(
        "--chosen", type=Path, nargs="?", const=_HERE / "chosen.txt", help="the faults that a file names"
    )
    parser.add_argument("--sample", type=int, default=0, help="how many faults, chosen by the seed")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="when no further one is begun")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--result", type=Path)
    return parser


def _modules(wanted: Sequence[str], changed: Mapping[str, set[int]] | None) -> list[str]:
    known = [module for subject in SUBJECTS for module in subject.modules]
    if unknown := set(wanted) - set(known):
        sys.exit(f"no faults are planted in {', '.join(sorted(unknown))}: see proof/mutation/subjects.py")
    modules = [module for module in known if not wanted or module in wanted]
    return [module for module in modules if changed is None or _file_of(module) in changed]


def _file_of(module: str) -> str:
    """Return the name that git has for a module."""
    return path_of(module).relative_to(ROOT).as_posix()


def _planned(
    made: Mapping[str, list[Mutant]],
    names: Collection[str] | None,
    sample: int,
    seed: int,
    changed: Mapping[str, set[int]],
) -> list[Mutant]:
    """Return the faults to try, those in changed lines first."""
    planned = [m for mutants in made.values() for m in mutants if names is None or m.name in names]
    if 0 < sample < len(planned):
        chosen = set(random.Random(seed).sample(range(len(planned)), sample))
        planned = [mutant for number, mutant in enumerate(planned) if number in chosen]
    return sorted(planned, key=lambda one: changed.get(_file_of(one.module), set()).isdisjoint(one.lines))


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
                    _say(f"unnoticed {name}")
    return found


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
