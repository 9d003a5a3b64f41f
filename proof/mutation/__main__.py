"""``python -m proof.mutation``: plant faults in what moves money, and name those that no test notices.

Without arguments every fault of every subject is tried. ``--modules`` and ``--changed-since`` choose modules,
``--sample`` a number of faults, ``--seconds`` when to stop. The exit code is 1 when a fault stayed unnoticed
that the list of survivors does not explain, in a module of which too few were noticed: in outcomes and limits
every one counts, elsewhere nine of ten have to be noticed, where all were tried.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from proof.mutation.changes import changed_lines
from proof.mutation.mutants import Mutant, mutants_of, path_of
from proof.mutation.subjects import SUBJECTS, Subject
from proof.mutation.survivors import explained, outdated
from proof.mutation.trials import Tried, try_subject
from proof.parts import ROOT
from proof.results import write_result

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

_UNNOTICED = "UNNOTICED "
_WHAT = "faults planted in the code that moves money, which the tests must notice"


def main(arguments: Sequence[str]) -> int:
    """Try the faults that are asked for, say what stayed unnoticed, return the exit code."""
    asked = _parser().parse_args(arguments)
    began = time.monotonic()
    changed = _changed(asked.changed_since)
    chosen = _chosen(asked.modules, changed)
    if not chosen:
        _say("No file that moves money was changed: no fault is planted.")
    made = sum(len(mutants_of(module)) for modules in chosen.values() for module in modules)
    share = min(1.0, asked.sample / made) if asked.sample and made else 1.0
    reasons = explained()
    names = _named(asked.again) | (set(explained(asked.chosen)) if asked.chosen else set())
    tried = []
    for subject, modules in chosen.items():
        left = asked.seconds - (time.monotonic() - began)
        if left > 0:
            tried.append(
                try_subject(
                    subject,
                    modules,
                    share=share,
                    seed=asked.seed,
                    seconds=left,
                    names=names,
                    first=lambda mutant: _is_changed(mutant, changed or {}),
                    listed=reasons,
                )
            )
            for line in _figures(tried[-1]):
                _say(line)
    is_whole = share == 1 and not names and asked.seconds == float("inf")
    found = _found(tried, reasons, is_whole=is_whole)
    for line in found:
        _say(line)
    noticed = sum(len(each.noticed) for each in tried)
    unnoticed = sum(len(each.unnoticed) for each in tried)
    write_result(
        asked.result,
        part="mutation",
        what=_WHAT,
        runs=noticed + unnoticed,
        found=len(found),
        seed=asked.seed,
        seconds=time.monotonic() - began,
        notes=f"{noticed} noticed, {unnoticed} not",
    )
    return 1 if found else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m proof.mutation", description=__doc__)
    parser.add_argument("--modules", nargs="+", default=[], help="as wallet_gateway.domain.limits")
    parser.add_argument(
        "--changed-since",
        metavar="REV",
        nargs="?",
        const="",
        help="only files changed since this branch left REV, changed lines first; without REV: since "
        "it left the upstream or main branch, or else the last commit",
    )
    parser.add_argument("--sample", type=int, default=0, help="how many faults, chosen by the seed")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="when no further one is begun")
    parser.add_argument(
        "--again", type=Path, help="only what this output of an earlier run says is unnoticed"
    )
    parser.add_argument(
        "--chosen", type=Path, help="only the faults that this file has, each below its words"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--result", type=Path)
    return parser


def _changed(revision: str | None) -> Mapping[str, set[int]] | None:
    return None if revision is None else changed_lines(revision)


def _chosen(modules: Sequence[str], changed: Mapping[str, set[int]] | None) -> Mapping[Subject, list[str]]:
    wanted = set(modules) if modules else {module for subject in SUBJECTS for module in subject.modules}
    unknown = wanted - {module for subject in SUBJECTS for module in subject.modules}
    if unknown:
        sys.exit(f"no faults are planted in {', '.join(sorted(unknown))}: see proof/mutation/subjects.py")
    if changed is not None:
        wanted = {module for module in wanted if _file_of(module) in changed}
    chosen = {subject: [m for m in subject.modules if m in wanted] for subject in SUBJECTS}
    return {subject: found for subject, found in chosen.items() if found}


def _file_of(module: str) -> str:
    """Return the name that git has for a module."""
    return path_of(module).relative_to(ROOT).as_posix()


def _is_changed(mutant: Mutant, changed: Mapping[str, set[int]]) -> bool:
    lines = changed.get(_file_of(mutant.module), set())
    return not lines.isdisjoint(range(mutant.first_line, mutant.last_line + 1))


def _named(output: Path | None) -> set[str]:
    lines = output.read_text(encoding="utf-8").splitlines() if output else ()
    told = (line.partition(" ") for line in lines)
    return {name for word, _, name in told if word.upper() == _UNNOTICED.strip()}


def _figures(tried: Tried) -> Iterator[str]:
    """Return a line for each module: how many of the faults that were tried have been noticed."""
    noticed = Counter(mutant.module for mutant in tried.noticed)
    unnoticed = Counter(mutant.module for mutant in tried.unnoticed)
    hung = Counter(mutant.module for mutant in tried.hung)
    for module in tried.modules:
        all_tried = noticed[module] + unnoticed[module]
        share = f"{noticed[module] / all_tried:.1%}" if all_tried else "-"
        yield f"{module}: {noticed[module]} of {all_tried} noticed ({share}), {hung[module]} because it hangs"


def _found(tried: Sequence[Tried], reasons: Collection[str], *, is_whole: bool) -> list[str]:
    found = [line for each in tried for line in _unnoticed(each, reasons)]
    if is_whole:
        modules = [module for each in tried for module in each.modules]
        made = [mutant.name for module in modules for mutant in mutants_of(module)]
        found += [f"OUTDATED in survivors.txt: {name}" for name in outdated(reasons, made, modules)]
    return found


def _unnoticed(tried: Tried, reasons: Collection[str]) -> Iterator[str]:
    """Name the faults without a reason; where enough of a module's were noticed, the rest is only told.

    So it is where only some of its faults were tried: they say nothing of nine in ten.
    """
    for module in tried.modules:
        noticed = sum(mutant.module == module for mutant in tried.noticed)
        unnoticed = [m.name for m in tried.unnoticed if m.module == module]
        names = [name for name in unnoticed if name not in reasons]
        is_judged = tried.subject.share == 1 or noticed + len(unnoticed) == len(mutants_of(module))
        if is_judged and names and noticed / (noticed + len(names)) < tried.subject.share:
            yield from (f"{_UNNOTICED}{name}" for name in names)
        else:
            for name in names:
                _say(f"unnoticed {name}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
