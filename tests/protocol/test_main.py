"""``python -m wallet_gateway.protocol``: the list of messages, and the schema of one."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from wallet_gateway.protocol.__main__ import main
from wallet_gateway.protocol.endpoints import MESSAGES

pytestmark = pytest.mark.wire


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "wallet_gateway.protocol", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_a_name_every_message_is_listed_with_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[0] for line in lines] == list(MESSAGES)
    assert all(len(line.partition(": ")[2]) > 10 for line in lines)


def test_with_a_name_the_schema_of_that_message_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["FollowUpRequest"]) == 0
    properties = json.loads(capsys.readouterr().out)["properties"]
    assert {"merchantId", "clientSystemInvoiceId", "apmDetails"} <= properties.keys()
    assert not {"merchant_id", "apm_details"} & properties.keys()


@pytest.mark.parametrize(
    "arguments", [["Nothing"], ["followuprequest"], ["CheckoutRequest", "ErrorBody"], [""]]
)
def test_another_name_is_refused_and_the_messages_are_listed(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("No such message: ")
    assert all(f"{name}: " in said.err for name in MESSAGES)


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("wallet_gateway.protocol", "FollowUpRequest: "),
        ("wallet_gateway.conformance --list", "open.key-life [Authentication] life of keys"),
        ("proof.kills --help", "usage: "),
    ],
)
def test_commands_work_without_docstrings(command: str, line: str) -> None:
    run = subprocess.run(
        [sys.executable, "-OO", "-m", *command.split()], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert line in run.stdout
