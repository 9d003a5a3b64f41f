"""What a chaos run says at its end, to a person and to a program."""

from __future__ import annotations

from pathlib import Path

from proof.chaos.crew import CrewReport
from proof.chaos.options import read_options
from proof.chaos.plan import make_plan
from proof.chaos.report import Report
from proof.chaos.verdict import Failure, Verdict
from proof.chaos.worker import Result

PLAN = make_plan(4, 20, kill=True)


def report_of(*, failures: tuple[Failure, ...] = (), broken: str = "", doubles: int = 0) -> Report:
    results = [Result(step=step.number, outcome="done") for step in PLAN.steps[:-1]]
    if broken:
        results[0] = Result(step=1, outcome="broke", trace=broken)
    return Report(
        options=read_options(["--seed", "4", "--operations", "20", "--workers", "2", "--kill"]),
        plan=PLAN,
        crew=CrewReport(kills=2, deaths=1),
        results=results,
        verdict=Verdict(failures=list(failures), doubles=["REFUND X"] * doubles, orders=3),
        sweeps=9,
        seconds=12.3,
    )


def test_a_good_run_says_what_was_done_and_checked() -> None:
    said = "\n".join(report_of(doubles=2).lines())
    assert "Operations: 20, " in said
    assert "Outcomes: 19 done, 1 died" in said
    assert "Doubles made by the gateway itself: 2" in said
    assert said.endswith("Both ledgers agree. Seed 1-4, 12 seconds.")


def test_a_failure_is_said_with_its_order_and_the_line_that_repeats_it() -> None:
    failure = Failure(claim="sums agree", subject="REFUND X", story=2)
    report = report_of(failures=(failure,), broken="Traceback\nValueError: 5")
    report.shortest = PLAN.steps[:2]
    lines = list(report.lines())
    assert "  REFUND X (order 2): it does not hold that sums agree" in lines
    assert any("ValueError: 5" in line for line in lines)
    assert f"  {PLAN.steps[0]}" in lines
    assert lines[-1] == f"FAILED: 2 found. Repeat it: {report.options.line}"


def test_a_program_reads_the_same(tmp_path: Path) -> None:
    report = report_of(failures=(Failure(claim="sums agree", subject="REFUND X"),))
    assert report.as_json() == {
        "part": "chaos",
        "what": "operations of 2 workers on sqlite",
        "runs": 20,
        "found": 1,
        "seed": "1-4",
        "seconds": 12.3,
        "notes": ["REFUND X: it does not hold that sums agree", "3 workers died"],
    }
    report.write(tmp_path / "report.json")
    assert (tmp_path / "report.json").read_text().startswith("{")
