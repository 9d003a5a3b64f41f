"""What `make bench` says of promises about speed: all parts are measured, and what was missed is told."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from bench import __main__ as bench
from bench.measure import LEAST_ROUNDS, ROUNDS, Finding, LeftOut
from tests.architecture.sources import sources

MEASURED = Finding(what="one thing", values=(0.25, 0.5, 0.75), target=1, unit="x")
MISSED = Finding(what="another thing", values=(0.08,), target=0.92, unit="x", at_most=False)
TOLD = Finding(what="a third thing", values=(3.0,), unit=" ms")


@pytest.fixture(autouse=True)
def whole_run_on_an_unknown_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "facts", lambda: {"run on": "2026-01-15", "code": "1"})
    monkeypatch.setenv(ROUNDS, str(LEAST_ROUNDS))


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let the bench have these parts alone, each a function that measures."""

    def replace(**parts: Callable[[], Iterator[Finding]]) -> None:
        monkeypatch.setattr(bench, "PARTS", tuple(parts))
        for name, measure in parts.items():
            module = ModuleType(f"bench.{name}")
            monkeypatch.setattr(module, "measure", measure, raising=False)
            monkeypatch.setitem(sys.modules, module.__name__, module)

    return replace


@pytest.fixture
def result(tmp_path: Path) -> Path:
    return tmp_path / "bench.json"


def run_bench(result: Path, *arguments: str) -> int:
    return bench.main([*arguments, "--result", str(result)])


def met() -> Iterator[Finding]:
    yield MEASURED
    yield TOLD


def missed() -> Iterator[Finding]:
    yield MISSED


def left_out() -> Iterator[Finding]:
    yield MEASURED
    raise LeftOut("PostgreSQL does not answer")


def test_every_part_that_can_measure_is_measured() -> None:
    able = {
        source.path.stem
        for source in sources("bench")
        if any(isinstance(node, ast.FunctionDef) and node.name == "measure" for node in source.tree.body)
    }
    assert able == {*bench.PARTS, *bench.WITH_OTHERS}


def test_a_promise_that_was_missed_is_named_with_its_target_and_is_the_exit_code(
    part: Callable[..., None], capsys: pytest.CaptureFixture[str], result: Path
) -> None:
    part(good=met, bad=missed)

    assert run_bench(result) == 1

    table = capsys.readouterr().out.splitlines()[-5:-2]
    assert table[0].split() == ["one", "thing", "0.50x", "0.25-0.75", "at", "most", "1x", "met"]
    assert table[1].split() == ["a", "third", "thing", "3.00", "ms", "3.00-3.00", "-"]
    assert table[2].split() == ["another", "thing", "0.08x", "0.08-0.08", "at", "least", "0.92x", "MISSED"]


def test_the_exit_code_is_0_where_every_promise_was_met(part: Callable[..., None], result: Path) -> None:
    part(good=met, bad=missed)
    assert run_bench(result, "good") == 0


def test_what_could_not_be_measured_is_no_promise_kept(
    part: Callable[..., None], capsys: pytest.CaptureFixture[str], result: Path
) -> None:
    part(good=met, gone=left_out)

    assert run_bench(result) == 1

    printed = capsys.readouterr().out
    assert "NOT MEASURED: gone: PostgreSQL does not answer" in printed
    assert printed.count("measured: one thing: 0.50x") == 2


def test_a_run_during_which_the_code_was_changed_keeps_no_promise(
    part: Callable[..., None],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    result: Path,
) -> None:
    commits = iter(["1", "2"])
    monkeypatch.setattr(bench, "facts", lambda: {"code": next(commits)})
    part(good=met)

    assert run_bench(result) == 1

    assert "NOT MEASURED: the code was changed during the run" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("scale", "arguments"),
    [(0.01, ()), (1, ("--rounds", str(LEAST_ROUNDS - 1)))],
    ids=["small-sizes", "few-rounds"],
)
def test_a_run_that_is_less_than_whole_is_not_judged(
    scale: float,
    arguments: tuple[str, ...],
    part: Callable[..., None],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    result: Path,
) -> None:
    monkeypatch.setattr(bench, "SCALE", scale)
    part(bad=missed)

    assert run_bench(result, *arguments) == 0

    printed = capsys.readouterr().out
    assert "MISSED" not in printed
    assert "nothing is judged" in printed


@pytest.mark.parametrize(
    "wrong", [("speed",), ("--rounds", "0"), ("--rounds", "many")], ids=["part", "no-rounds", "no-number"]
)
def test_a_wrong_argument_is_refused(wrong: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit, match="2"):
        bench.main(wrong)


def test_the_figures_are_json_with_every_round(part: Callable[..., None], result: Path) -> None:
    part(good=met, bad=missed, gone=left_out)

    run_bench(result)

    said = json.loads(result.read_text(encoding="utf-8"))
    assert said["facts"] == {"run on": "2026-01-15", "code": "1"}
    assert said["left_out"] == ["gone: PostgreSQL does not answer"]
    one, told = said["parts"]["good"]
    assert one["values"] == [0.25, 0.5, 0.75]
    assert (one["what"], one["median"], one["target"], told["target"]) == ("one thing", 0.5, 1, None)
    assert said["parts"]["gone"] == [one]
