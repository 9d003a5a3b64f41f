"""One pytest session in which every fault of a subject is tried, each in a fork of the collected session.

``python -m proof.mutation.session JOB`` reads what to try from a file and writes a line for each fault.
Forked, a trial costs nothing but its tests: Django, the tests and an empty database are there already.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import pytest
from coverage import Coverage
from django.db import connections

from proof.mutation.mutants import Mutant, mutants_of, path_of
from proof.mutation.planting import CannotBePlanted, plant
from proof.mutation.subjects import NEAR

NOTICED, UNNOTICED, NOT_PLANTED = 1, 0, 3
"""Exit codes of a trial."""
PATIENCE: Final = 30.0
"""Seconds of processor time that every trial has, beside twenty times that of its tests without a fault."""
_WAITS: Final = 4
"""How many times as many seconds may pass, for what waits for ever; a busy machine takes longer as well."""
_NEEDS_MORE: Final = {"live_server", "transactional_db"}
_SANDBOX: Final = "wallet_sandbox_server"
"""The fixture of the gateway's process: the trials share it, and each test has it put back to its start."""


class Trials:
    """A plugin of pytest that, instead of the tests, runs a selection of them for each fault."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        planned = [m for module in job["modules"] for m in mutants_of(module)]
        self.mutants = [(number, planned[number]) for number in job["numbers"]]
        self.failed = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try the faults one after another."""
        if session.testsfailed or not session.items:
            sys.exit("the tests cannot be collected")
        session.items.sort(key=lambda item: self._rank(item.nodeid))
        deadline = time.monotonic() + self.job["seconds"]
        self._prepare(session)
        covered = self._baseline(session, until=time.monotonic() + self.job["seconds"] / 2)
        with Path(self.job["output"]).open("a", encoding="utf-8") as output:
            for number, mutant in self.mutants:
                if time.monotonic() > deadline:
                    break
                verdict, by = self._try(session, mutant, covered)
                if verdict == UNNOTICED and not covered.is_whole:
                    continue  # a test that there was no time for may notice it
                output.write(json.dumps({"number": number, "verdict": verdict, "by": by}) + "\n")
                output.flush()
        return True

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember that a test has failed."""
        self.failed = self.failed or report.failed

    def _rank(self, name: str) -> int:
        """Return the place of a test's file: those come first that say the rule itself."""
        tests = self.job["tests"]
        return next((rank for rank, each in enumerate(tests) if name.startswith(each)), len(tests))

    def _prepare(self, session: pytest.Session) -> None:
        """Run a test that needs the database, and one with the sandbox, so that every fork finds both."""
        with_database = [item for item in session.items if _uses_database(item)]
        with_sandbox = [item for item in with_database if _SANDBOX in _fixtures(item)]
        without = [item for item in with_database if _SANDBOX not in _fixtures(item)]
        for item in (*without[:1], *with_sandbox[:1]):
            self._run(session, [item], 0)
        self.failed = False
        connections.close_all()

    def _baseline(self, session: pytest.Session, until: float) -> Covered:
        """Run every test without a fault, to learn how long it takes and which lines it reaches.

        Those come first that say the rule itself; when half the time is over, no further one is begun.
        """
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            code = _forked(lambda: self._measured(session, Path(file.name), until), limit=1800)
            if code != UNNOTICED:
                sys.exit("the tests fail without a fault")
            return Covered(json.loads(Path(file.name).read_text(encoding="utf-8")), self._rank)

    def _measured(self, session: pytest.Session, file: Path, until: float) -> int:
        paths = {module: str(path_of(module)) for module in self.job["modules"]}
        coverage = Coverage(data_file=None, config_file=False, include=list(paths.values()))
        coverage.start()
        seconds = {}
        for index, item in enumerate(session.items):
            if time.monotonic() > until:
                break
            # Processor time: it is the same on a machine that is busy.
            began = time.process_time()
            coverage.switch_context(item.nodeid)
            self._run(session, session.items, index)
            seconds[item.nodeid] = time.process_time() - began
            if self.failed:
                sys.stderr.write(f"{item.nodeid} fails without a fault\n")
                return NOTICED
        coverage.stop()
        data = coverage.get_data()
        lines = {module: data.contexts_by_lineno(path) for module, path in paths.items()}
        found = {"seconds": seconds, "lines": lines, "is_whole": len(seconds) == len(session.items)}
        file.write_text(json.dumps(found), encoding="utf-8")
        return UNNOTICED

    def _run(self, session: pytest.Session, items: Sequence[pytest.Item], index: int) -> None:
        """Run a test. What belongs to its file ends with it, what belongs to the session is kept."""
        kept = cast("pytest.Item", _OfTheSession(session))
        following = items[index + 1] if index + 1 < len(items) else kept
        items[index].config.hook.pytest_runtest_protocol(item=items[index], nextitem=following)

    def _try(self, session: pytest.Session, mutant: Mutant, covered: Covered) -> tuple[int, str]:
        """Return the verdict, and the test that has noticed the fault; no test where it hangs or crashes."""
        names, seconds = covered.choose(mutant, self.job["budget"])
        chosen = sorted((item for item in session.items if item.nodeid in names), key=names_in(names))
        with tempfile.NamedTemporaryFile() as file:
            noticed_by = Path(file.name)
            limit = PATIENCE + 20 * seconds
            verdict = _forked(lambda: self._trial(session, chosen, mutant, noticed_by), limit=limit)
            if name := noticed_by.read_text(encoding="utf-8"):
                covered.note(mutant, name)
        return verdict, name

    def _trial(
        self, session: pytest.Session, items: list[pytest.Item], mutant: Mutant, noticed_by: Path
    ) -> int:
        try:
            plant(mutant)
        except CannotBePlanted:
            return NOT_PLANTED
        except Exception:  # noqa: BLE001  a table that cannot even be made is noticed by everybody
            return NOTICED
        self.failed = False
        for index in range(len(items)):
            self._run(session, items, index)
            if self.failed:
                noticed_by.write_text(items[index].nodeid, encoding="utf-8")
                return NOTICED
        return UNNOTICED


@dataclass(frozen=True, slots=True)
class _OfTheSession:
    """Stands for a next test in a folder that none has been in."""

    session: pytest.Session

    def listchain(self) -> list[pytest.Session]:
        return [self.session]


def _fixtures(item: pytest.Item) -> set[str]:
    return set(getattr(item, "fixturenames", ()))


def _uses_database(item: pytest.Item) -> bool:
    """Whether a test gets an empty database, which it leaves empty."""
    marker = item.get_closest_marker("django_db")
    is_plain = marker is None or not marker.kwargs
    return is_plain and ("db" in _fixtures(item) or marker is not None) and not _fixtures(item) & _NEEDS_MORE


def names_in(names: list[str]) -> Callable[[pytest.Item], int]:
    """Return the place of a test in a list of names."""
    places = {name: place for place, name in enumerate(names)}
    return lambda item: places[item.nodeid]


class Covered:
    """What the tests did without a fault, and which of them have noticed one."""

    def __init__(self, found: dict[str, Any], rank: Callable[[str], int]) -> None:
        self._rank = rank
        self.seconds: dict[str, float] = found["seconds"]
        self.is_whole: bool = found["is_whole"]
        """Whether there was time for all tests."""
        self._by_line = {
            (module, int(line)): set(names)
            for module, lines in found["lines"].items()
            for line, names in lines.items()
        }
        self._noticed: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)

    def choose(self, mutant: Mutant, budget: float) -> tuple[list[str], float]:
        """Return the tests that reach a fault, for so many seconds, and their time.

        Those that have noticed another fault of the same function come first, then those that say the rule
        itself, the quickest first. What is computed when a module is loaded is reached by all of them.
        """
        reaching: Iterable[str] = self.seconds
        if mutant.place:
            lines = range(mutant.first_line, mutant.last_line + 1)
            reached = (self._by_line.get((mutant.module, line), set()) for line in lines)
            reaching = set().union(*reached) & set(self.seconds)
        noticed = self._noticed[mutant.module, mutant.place]
        chosen: list[str] = []
        spent = 0.0
        for name in sorted(reaching, key=lambda name: (-noticed[name], *self._place(name))):
            spent += self.seconds[name]
            if chosen and spent > budget:
                break
            chosen.append(name)
        return chosen, min(spent, budget)

    def _place(self, name: str) -> tuple[int, float, str]:
        return self._rank(name), round(self.seconds[name], 1), name

    def note(self, mutant: Mutant, name: str) -> None:
        """Remember that a test has noticed a fault."""
        self._noticed[mutant.module, mutant.place][name] += 1


def _forked(run: Callable[[], int], *, limit: float) -> int:
    """Run something in a fork with a database of its own; one that takes too long has been noticed."""
    process = os.fork()
    if process == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit)))
        _in_the_fork(run)
    deadline = time.monotonic() + _WAITS * limit
    while True:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            break
        if time.monotonic() > deadline:
            code = NOTICED
            break
        time.sleep(0.005)
    _end_group(process, is_running=not ended)
    return code if code in {UNNOTICED, NOT_PLANTED} else NOTICED


def _end_group(process: int, *, is_running: bool) -> None:
    try:
        os.killpg(process, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        if is_running:
            os.kill(process, signal.SIGKILL)
    if is_running:
        os.waitpid(process, 0)


def _in_the_fork(run: Callable[[], int]) -> None:
    code = NOTICED
    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 1)
        with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
            os.environ["TMPDIR"] = tempfile.tempdir = folder
            _own_database(Path(folder))
            code = run()
    finally:
        os._exit(code)


def _own_database(folder: Path) -> None:
    for connection in connections.all():
        name = Path(str(connection.settings_dict["NAME"]))
        if connection.vendor == "sqlite" and name.exists():
            copied = folder / name.name
            shutil.copy(name, copied)
            connection.settings_dict["NAME"] = str(copied)


def main(job_file: str) -> int:
    """Carry out a job."""
    job = json.loads(Path(job_file).read_text(encoding="utf-8"))
    arguments = [
        "-q",
        "-x",
        "-p",
        "no:randomly",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "--hypothesis-seed=0",
        *NEAR,
    ]
    return int(pytest.main([*arguments, *job["tests"]], plugins=[Trials(job)]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
