"""Chaos runs as a person begins them: a short one with kills, one that fails, and refusals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.client.servers import unused_port

PATIENCE = 300
BREAKING = """
import sys
from proof.chaos import run
from proof.chaos.plan import Kind

def breaks(shop, step):
    "A shop that writes a refund into its books without a refund."
    from django.db.models import F
    from wallet_gateway.models import Payment
    Payment.objects.filter(order__reference=shop.story(step).reference, captured__gt=F("refunded")).update(
        refunded=F("refunded") + 1)
    return "done"

def main():
    from unittest import mock
    set_up = run._set_up_django
    def then_break(*given):
        set_up(*given)
        from proof.chaos import steps
        steps.PERFORMED_BY = {**steps.PERFORMED_BY, Kind.COME_BACK: breaks}
    with mock.patch.object(run, "_set_up_django", then_break):
        return run.main(sys.argv[1:])

sys.exit(main())
"""


def chaos(folder: Path, *arguments: str, code: str = "") -> subprocess.CompletedProcess[str]:
    """Run in a folder without a project; the settings that are named there must not be looked at."""
    program = ["-c", code] if code else ["-m", "proof.chaos"]
    return subprocess.run(
        [sys.executable, *program, *arguments],
        cwd=folder,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "settings_of_a_shop_with_real_money"},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def test_a_short_run_with_kills_ends_with_equal_ledgers(tmp_path: Path) -> None:
    ran = chaos(
        tmp_path,
        *("--seed", "42", "--operations", "60", "--workers", "2", "--kill", "--report", "report.json"),
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "python -m proof.chaos --seed 1-42 --operations 60 --database sqlite" in ran.stdout
    assert "Both ledgers agree. Seed 1-42" in ran.stdout
    assert "killed at random 0" not in ran.stdout
    report = json.loads((tmp_path / "report.json").read_text())
    assert {name: report[name] for name in ("part", "runs", "found", "seed")} == {
        "part": "chaos",
        "runs": 60,
        "found": 0,
        "seed": "1-42",
    }
    assert list(tmp_path.iterdir()) == [tmp_path / "report.json"]


@pytest.mark.exhaustive
def test_with_one_worker_a_run_can_be_repeated(tmp_path: Path) -> None:
    first, second = (
        chaos(tmp_path, "--seed", "9", "--operations", "120", "--workers", "1") for _ in range(2)
    )
    kept = ("Operations", "Outcomes", "Compared", "Doubles")
    said = [[line for line in ran.stdout.splitlines() if line.startswith(kept)] for ran in (first, second)]
    assert first.returncode == 0, first.stdout
    assert said[0] == said[1]


@pytest.mark.exhaustive
def test_a_shop_that_writes_a_refund_too_much_is_found_and_its_history_is_made_short(tmp_path: Path) -> None:
    ran = chaos(
        tmp_path,
        *("--seed", "3", "--operations", "150", "--workers", "1", "--shrink-seconds", "240"),
        code=BREAKING,
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "L7: refunded is the sum of its transactions" in ran.stdout
    _, _, shortest = ran.stdout.partition("The shortest history found that still fails with one worker")
    history = [line for line in shortest.splitlines() if line.startswith("   ")]
    assert 2 <= len(history) <= 6, shortest
    assert "come_back" in history[-1]
    assert "Repeat it: python -m proof.chaos --seed 1-3 --operations 150" in ran.stdout


def test_a_run_that_is_ended_takes_away_what_it_has_made(tmp_path: Path) -> None:
    program = [sys.executable, "-m", "proof.chaos", "--operations", "100000"]
    run = subprocess.Popen(
        program, env=os.environ | {"TMPDIR": str(tmp_path)}, stdout=subprocess.PIPE, text=True
    )
    with run:
        assert run.stdout
        assert run.stdout.readline().startswith("Seed 1-")
        assert run.stdout.readline().endswith("of 100000 operations\n")
        assert list(tmp_path.iterdir())
        run.terminate()
        assert run.wait(PATIENCE) == 128 + signal.SIGTERM
    assert not list(tmp_path.glob("wallet-chaos-*"))


def test_an_address_where_no_sandbox_answers_is_refused(tmp_path: Path) -> None:
    address = f"http://127.0.0.1:{unused_port()}"
    ran = chaos(tmp_path, "--sandbox-url", address)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == f"{address} does not answer as a sandbox.\n"


def test_a_database_server_elsewhere_is_refused(tmp_path: Path) -> None:
    ran = chaos(tmp_path, "--database", "postgres", "--server", "postgres://db.example")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "--server must be on this machine" in ran.stderr
    assert ran.stderr.count("\n") == 1
