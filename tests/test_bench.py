"""What `make bench` says of promises about speed: all parts are measured, and what was missed is told."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest
from django.apps import apps

from bench import __main__ as bench
from bench.measure import Finding, LeftOut
from tests.architecture.sources import ROOT, sources

MEASURED = Finding(what="one thing", value=0.5, target=1, unit="x")
MISSED = Finding(what="another thing", value=0.08, target=0.92, unit="x", at_most=False)


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


def met() -> Iterator[Finding]:
    yield MEASURED


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
    assert able == set(bench.PARTS)


def test_a_promise_that_was_missed_is_named_with_its_target_and_is_the_exit_code(
    part: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    part(good=met, bad=missed)

    assert bench.main([]) == 1

    printed = capsys.readouterr().out.splitlines()
    assert printed[-2].split() == ["one", "thing", "0.50x", "at", "most", "1x", "met"]
    assert printed[-1].split() == ["another", "thing", "0.08x", "at", "least", "0.92x", "MISSED"]


def test_the_exit_code_is_0_where_every_promise_was_met(part: Callable[..., None]) -> None:
    part(good=met, bad=missed)
    assert bench.main(["good"]) == 0


def test_what_could_not_be_measured_is_no_promise_kept(
    part: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    part(good=met, gone=left_out)

    assert bench.main([]) == 1

    printed = capsys.readouterr().out
    assert "NOT MEASURED: gone: PostgreSQL does not answer" in printed
    assert printed.count("measured: one thing: 0.50x") == 2


def test_small_sizes_are_not_judged(
    part: Callable[..., None], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "SCALE", 0.01)
    part(bad=missed)

    assert bench.main([]) == 0

    printed = capsys.readouterr().out
    assert "MISSED" not in printed
    assert "nothing is judged" in printed


def test_a_part_that_there_is_not_is_refused() -> None:
    with pytest.raises(SystemExit, match="no part speed"):
        bench.main(["speed"])


def test_a_sweep_is_compared_with_what_the_latency_allows_however_dear_a_row_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("psycopg", reason="the bench needs PostgreSQL's driver")
    from bench import sweep

    def rates(cpu_seconds: float) -> list[float]:
        found = {"rows_per_second": 160.0, "cpu_seconds": cpu_seconds, "peak_kilobytes": 1.0}
        monkeypatch.setattr(sweep, "_sweep", lambda rows: found)
        first, *_ = sweep.measure()
        return [first.value, first.target]

    assert rates(cpu_seconds=1.0) == rates(cpu_seconds=1_000.0) == [0.1, 0.92]


def test_the_rows_of_the_admins_bench_have_every_column_that_must_have_a_value() -> None:
    text = (ROOT / "bench/shop/transactions.sql").read_text(encoding="utf-8")
    inserts = dict(re.findall(r"INSERT INTO (\w+) \(([^)]+)\)", text))
    models = {model._meta.db_table: model for model in apps.get_models()}
    for table, names in inserts.items():
        columns = {field.column: field for field in models[table]._meta.concrete_fields}
        named = {name.strip() for name in names.split(",")}
        assert named <= set(columns), f"{table} has no such columns"
        needed = {name for name, field in columns.items() if not (field.null or field.primary_key)}
        assert needed <= named, f"{table} would be without a value"
    assert len(inserts) == 5
