"""What is written for pipes: in UTF-8 on every machine, and without a complaint where the reader has gone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import TextIO

import pytest
from django.core.management import call_command
from django.core.management.base import OutputWrapper

from tests.models.rows import an_order
from wallet_gateway import payments
from wallet_gateway.management.standard_output import READER_GONE, write_texts

ROOT = Path(__file__).resolve().parents[2]
PRINTING = """
import sys
from django.core.management.base import OutputWrapper
from wallet_gateway.management.standard_output import write_texts
sys.exit(3 if not write_texts(OutputWrapper(sys.stdout), ["a row\\n"] * 100_000) else 0)
"""


@pytest.fixture
def closed_pipe() -> Iterator[TextIO]:
    """A stream into a pipe from which nobody reads any more."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        yield stream


def test_texts_are_written_as_they_are() -> None:
    out = StringIO()
    assert write_texts(OutputWrapper(out), ["a,b\r\n", "c"])
    assert out.getvalue() == "a,b\r\nc"


def test_a_reader_who_has_gone_is_told_by_the_result(closed_pipe: TextIO) -> None:
    assert not write_texts(OutputWrapper(closed_pipe), ["a row\n"])


def test_nothing_is_said_at_the_end_of_the_process_either(closed_pipe: TextIO) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRINTING], cwd=ROOT, stdout=closed_pipe, stderr=subprocess.PIPE, check=False
    )
    assert (done.returncode, done.stderr) == (3, b"")


@pytest.mark.django_db
@pytest.mark.parametrize("words", [["wallet_export", "orders"], ["wallet_customer_data", "ada@example.com"]])
def test_an_export_that_was_not_read_to_its_end_ends_as_a_closed_pipe_ends_others(
    words: list[str], closed_pipe: TextIO
) -> None:
    payments.create_order(
        reference="A-1", currency="EUR", amount=Decimal("1.00"), cardholder_email="ada@example.com"
    )
    with pytest.raises(SystemExit) as end:
        call_command(*words, stdout=closed_pipe)
    assert end.value.code == READER_GONE


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("json", [False, True])
def test_the_doctors_exit_code_is_that_of_what_was_found_whoever_reads_it(
    json: bool, closed_pipe: TextIO
) -> None:
    with pytest.raises(SystemExit) as end:
        call_command("wallet_doctor", json=json, stdout=closed_pipe)
    assert end.value.code == 1


@pytest.mark.django_db
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_an_export_has_every_letter_whatever_the_machine_writes(encoding: str) -> None:
    an_order(order_number="Łódź 🦆")
    written = BytesIO()
    out = TextIOWrapper(written, encoding=encoding)
    call_command("wallet_export", "orders", stdout=out)
    assert "Łódź 🦆" in written.getvalue().decode("utf-8")
