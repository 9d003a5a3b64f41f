"""Tries the faults of one subject, each in a process that imports the module with the fault.

The process is forked from one that has loaded the packages and nothing of the project. So every fault can be
planted, in a decorator or a table as well as in a function. Its tests are those that reach the changed lines.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from types import ModuleType
from typing import Any, Final

import pytest
from coverage import Coverage

from proof.failures.processes import in_child
from proof.mutation.mutants import Mutant, path_of
from proof.mutation.subjects import NEAR, Subject
from proof.parts import ROOT

_PATIENCE: Final = 60
"""Seconds of processor time that every trial has, beside twenty times that of its tests without a fault."""
_WAITS: Final = 4
"""How many times as many seconds may pass, for what waits for ever; a busy machine takes longer as well."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Whether a test noticed a fault, which may also hang, or let no test even start."""

    mutant: Mutant
    is_noticed: bool


def try_faults(
    subject: Subject, mutants: Sequence[Mutant], *, seconds: float, budget: float
) -> Iterator[Trial]:
    """Try faults for so many seconds at most, each by tests for `budget` seconds of processor time."""
    if not mutants:
        return
    for name in ("babel", "cryptography.fernet", "django.test", "pydantic", "requests"):
        # Each process would load it anew.
        import_module(name)
    assert "wallet_gateway" not in sys.modules, "each process loads it with its own fault"
    deadline = time.monotonic() + seconds
    baseline = _baseline(subject, {mutant.module for mutant in mutants}, time.monotonic() + seconds / 2)
    for mutant in mutants:
        if time.monotonic() > deadline:
            return
        tests, spent = baseline.reaching(mutant, budget)
        trial = _try(mutant, tests, limit=round(_PATIENCE + 20 * spent))
        # A test that there was no time for may notice it.
        if trial.is_noticed or baseline.is_whole:
            yield trial


def _try(mutant: Mutant, tests: Sequence[str], *, limit: int) -> Trial:
    planted = _Planted(mutant)

    def run() -> tuple[bool, bool]:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        sys.meta_path.insert(0, planted)
        code = _pytest(dict.fromkeys(test.partition("::")[0] for test in tests), _Chosen(tests))
        has_passed = code in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}
        return planted.is_loaded, has_passed

    if not tests:
        return Trial(mutant, is_noticed=False)
    try:
        ending = in_child(run, longest=_WAITS * limit)
    except ChildProcessError:
        return Trial(mutant, is_noticed=True)
    is_loaded, has_passed = ending.result or (True, False)
    if not is_loaded:
        raise RuntimeError(f"it was not planted: {mutant.name}")
    return Trial(mutant, is_noticed=not has_passed)


def _pytest(files: Iterable[str], plugin: object) -> int:
    """Run pytest in this process, which was forked for it, and leave nothing behind."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        os.dup2(null, stream)
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        tempfile.tempdir = folder
        os.environ |= {"TMPDIR": folder, "HYPOTHESIS_STORAGE_DIRECTORY": folder}
        # Else what rewrites assertions loads the module: it rewrites packages with a plugin, as ours has.
        options = ["-q", "-x", "--assert=plain", "--hypothesis-seed=0", *NEAR]
        for name in ("randomly", "cacheprovider", "xdist"):
            options += ["-p", f"no:{name}"]
        return int(pytest.main([*options, *files], plugins=[plugin]))


class _Planted(SourceFileLoader):
    """Finds one module, and loads it with a fault."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(mutant.module, str(path_of(mutant.module)))
        self._source = mutant.source().encode()
        self.is_loaded = False

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def get_code(self, fullname: str) -> Any:  # noqa: ANN401 - nothing compiled is kept or used
        self.is_loaded = True
        return compile(self._source, self.path, "exec", dont_inherit=True)


class _Chosen:
    """A plugin of pytest: these tests alone, in their order."""

    def __init__(self, tests: Sequence[str]) -> None:
        self._places = {name: place for place, name in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        chosen = (item for item in items if item.nodeid in self._places)
        items[:] = sorted(chosen, key=lambda item: self._places[item.nodeid])


@dataclass(frozen=True, slots=True)
class _Baseline:
    """What the tests of a subject do without a fault."""

    seconds: dict[str, float]
    """Of processor time, by test; those first that say the rule itself."""
    reached: dict[tuple[str, int], set[str]]
    """Which tests reach a line of a module."""
    is_whole: bool
    """Whether there was time for all tests."""

    def reaching(self, mutant: Mutant, budget: float) -> tuple[list[str], float]:
        """Return the tests that reach a fault, for so many seconds, and their time.

        What is computed when a module is loaded is reached by all of them.
        """
        names = set(self.seconds)
        reaching = set().union(*(self.reached.get((mutant.module, line), ()) for line in mutant.lines))
        # Without a test's name: a function that the module itself calls, or a default value.
        if mutant.place and "" not in reaching:
            names &= reaching
        chosen: list[str] = []
        spent = 0.0
        for name in (name for name in self.seconds if name in names):
            spent += self.seconds[name]
            if chosen and spent > budget:
                break
            chosen.append(name)
        return chosen, min(spent, budget)


def _baseline(subject: Subject, modules: set[str], until: float) -> _Baseline:
    """Run every test of a subject, to learn how long it takes and which lines it reaches."""

    def run() -> tuple[int, str, _Baseline]:
        paths = {str(path_of(module)): module for module in modules}
        coverage = Coverage(data_file=None, config_file=False, include=list(paths))
        measured = _Measured(subject.tests, coverage, until)
        coverage.start()
        code = _pytest(subject.tests, measured)
        coverage.stop()
        data = coverage.get_data()
        reached: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
        for path, module in paths.items():
            for line, names in data.contexts_by_lineno(path).items():
                reached[module, line] |= set(names)
        ranked = sorted(measured.seconds, key=measured.place)
        seconds = {name: measured.seconds[name] for name in ranked}
        return code, measured.failed, _Baseline(seconds, dict(reached), measured.is_whole)

    ending = in_child(run, longest=None)
    if ending.error:
        raise RuntimeError(f"{subject.name}: {ending.error}")
    code, failed, baseline = ending.result
    if failed or not baseline.seconds:
        raise RuntimeError(f"{subject.name}: the tests fail without a fault: {failed or code}")
    found: _Baseline = baseline
    return found


class _Measured:
    """A plugin of pytest: times each test and names it to the coverage, the nearest first."""

    def __init__(self, tests: Sequence[str], coverage: Coverage, until: float) -> None:
        self._tests, self._coverage, self._until = tests, coverage, until
        self.seconds: dict[str, float] = {}
        self.is_whole, self.failed = True, ""

    def place(self, name: str) -> tuple[int, float, str]:
        """Return the place of a test: nearest first, then the quickest."""
        ranks = (rank for rank, each in enumerate(self._tests) if name.startswith(each))
        return next(ranks, len(self._tests)), round(self.seconds.get(name, 0), 1), name

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: self.place(item.nodeid)[0])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, object, object]:
        # Processor time: it is the same on a machine that is busy.
        began = time.process_time()
        self._coverage.switch_context(item.nodeid)
        result = yield
        self.seconds[item.nodeid] = time.process_time() - began
        if nextitem is not None and time.monotonic() > self._until:
            self.is_whole = False
            item.session.shouldstop = "half of the time is over"
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = f"{report.nodeid}\n{report.longreprtext}"
