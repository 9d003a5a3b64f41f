"""What a chaos run refuses before it begins, each in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from proof.chaos.options import Refused, read_options
from proof.chaos.plan import FORMAT


def test_a_seed_may_carry_its_version() -> None:
    assert read_options(["--seed", "42"]) == read_options(["--seed", f"{FORMAT}-42"])
    assert read_options(["--seed", "42"]).seed_token == f"{FORMAT}-42"


def test_without_a_seed_one_is_drawn_and_said() -> None:
    drawn = read_options([])
    assert f"--seed {FORMAT}-{drawn.seed} " in drawn.line


def test_the_line_that_repeats_a_run_gives_the_same_options() -> None:
    given = read_options(
        ["--seed", "7", "--operations", "60", "--database", "mariadb", "--workers", "2", "--kill"]
    )
    assert read_options(given.line.partition("proof.chaos ")[2].split()) == given


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--seed 0-42", "the seed 0-42 is of version 0, and this release draws its plans by version 1"),
        ("--seed 2-42", "is of version 2"),
        ("--seed forty", "'forty' is no seed: give a number such as 42, or 1-42."),
        ("--seed 1-", "is no seed"),
        ("--seed x-42", "is no seed"),
        ("--seed ٤٢", "is no seed"),
        ("--seed 99999999999999999999", "is no seed"),
        ("--database oracle", "--database is one of sqlite, postgres, mariadb, not 'oracle'."),
        ("--operations 0", "give a whole number from 1 to 1000000."),
        ("--operations 1e3", "give a whole number from 1 to 1000000."),
        ("--operations -5", "give a whole number from 1 to 1000000."),
        ("--workers 65", "give a whole number from 1 to 64."),
        ("--shrink-seconds x", "give a whole number from 0 to 86400."),
        ("--database postgres --server postgres://db.example", "--server must be on this machine"),
        ("--database postgres --server nonsense", "--server must be on this machine"),
        ("--server postgres://127.0.0.1", "--server is for postgres and mariadb"),
        ("--sandbox-url https://pay.example", "--sandbox-url must be a sandbox on this machine"),
        ("--sandbox-url http://127.0.0.1.example:8001", "--sandbox-url must be a sandbox on this machine"),
        ("--sandbox-url http://127.0.0.1@pay.example/", "--sandbox-url must be a sandbox on this machine"),
        ("--report /no/such/folder/report.json", "--report: there is no folder /no/such/folder."),
        ("--sede 1", "unrecognized arguments: --sede"),
    ],
)
def test_what_makes_no_run_is_refused_in_one_sentence(arguments: str, said: str) -> None:
    with pytest.raises(Refused) as refused:
        read_options(arguments.split())
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_report_may_be_written_to_the_working_folder() -> None:
    assert read_options(["--report", "report.json"]).report == Path("report.json")
