"""The command that hands a chaos run on to a process of its own, which knows nothing of the project."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from wallet_gateway.management.commands.wallet_chaos import Command


def test_a_refusal_is_one_sentence_and_exit_code_2(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        Command().run_from_argv(["manage.py", "wallet_chaos", "--seed", "0-42"])
    assert capfd.readouterr().err.startswith("argument --seed: the seed 0-42 is of version 0")


def test_help_is_the_help_of_the_run(capfd: pytest.CaptureFixture[str]) -> None:
    Command().print_help("manage.py", "wallet_chaos")
    said = capfd.readouterr().out
    assert said.startswith("usage: manage.py wallet_chaos")
    assert "--kill" in said


def test_another_program_calls_it_with_texts(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        Command().handle("--database", "oracle")
    assert "not 'oracle'" in capfd.readouterr().err
    with pytest.raises(TypeError, match="operations"):
        call_command("wallet_chaos", operations=5)
