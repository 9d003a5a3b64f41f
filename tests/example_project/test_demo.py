"""`manage.py demo` as a reader runs it: it starts, answers and ends; and the story that it tells once."""

from __future__ import annotations

import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from django.core.management import call_command

from tests.architecture.sources import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

HOST = "127.0.0.1"
SECONDS_TO_START = 90.0
SECONDS_TO_END = 30.0
# The suite's own settings must not reach a process that stands for a reader's.
NOT_A_READERS = ("DJANGO_SETTINGS_MODULE", "DATABASE_URL", "DEBUG")
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def environment(**more: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in NOT_A_READERS} | more


def free_ports() -> tuple[int, int]:
    with socket.create_server((HOST, 0)) as one, socket.create_server((HOST, 0)) as two:
        return one.getsockname()[1], two.getsockname()[1]


def listens(port: int) -> bool:
    try:
        socket.create_connection((HOST, port), timeout=2).close()
    except OSError:
        return False
    return True


@contextmanager
def demo(folder: Path, shop: int, gateway: int) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [
            *(sys.executable, "manage.py", "demo", "--port", str(shop), "--gateway-port", str(gateway)),
            *("--gateway-database", str(folder / "gateway.sqlite3")),
        ],
        cwd=ROOT,
        env=environment(DATABASE_URL=f"sqlite:///{folder.parent / 'shop.sqlite3'}"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    # Leaving `with process` waits for its end, so it is ended before that, whatever happened.
    with process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def said_when_ready(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    said = ""
    give_up_at = time.monotonic() + SECONDS_TO_START
    while "Ctrl-C" not in said:
        line = process.stdout.readline()
        assert line, f"the demo ended: {process.stderr.read() if process.stderr else ''}"
        assert time.monotonic() < give_up_at
        said += line
    return said


def test_the_demo_starts_both_says_where_and_ends_cleanly(tmp_path: Path) -> None:
    shop, gateway = free_ports()
    with demo(tmp_path, shop, gateway) as process:
        said = said_when_ready(process)
        assert OPENER.open(f"http://{HOST}:{shop}/", timeout=20).status == 200
        assert OPENER.open(f"http://{HOST}:{gateway}/", timeout=20).status == 200
        process.send_signal(signal.SIGINT)
        rest, faults = process.communicate(timeout=SECONDS_TO_END)

    assert f"http://{HOST}:{shop}/" in said
    assert f"http://{HOST}:{gateway}/" in said
    assert re.search(r"user staff or colleague, password \S+", said)
    with sqlite3.connect(tmp_path.parent / "shop.sqlite3") as books:
        orders = books.execute("SELECT state FROM wallet_gateway_paymentorder ORDER BY id").fetchall()
        waiting = books.execute("SELECT state FROM wallet_gateway_approval").fetchall()
        staff = books.execute("SELECT count(*) FROM auth_user WHERE is_superuser").fetchall()
    states = "PAID FAILED FAILED AUTHORIZED PART_CAPTURED PART_REFUNDED FROZEN PAID"
    assert " ".join(state for (state,) in orders) == states
    assert (waiting, staff) == ([("WAITING",)], [(2,)])
    assert (process.returncode, faults) == (0, "")
    assert rest == "Stopped.\n"
    assert not listens(shop)
    assert not listens(gateway)


@pytest.mark.django_db(transaction=True)
def test_the_story_that_is_told_once_agrees_with_the_gateway_at_every_step(wallet_sandbox: object) -> None:
    call_command("demo_story", stdout=(out := StringIO()))
    head, _rule, *rows, empty, summary = out.getvalue().splitlines()

    assert head.split() == ["step", "our", "state", "gateway's", "state", "amount", "equal?"]
    assert all(row.endswith("  yes") for row in rows)
    assert (empty, summary) == ("", f"{len(rows)} steps, and the gateway says the same of each.")
    for step in ("capture of a part", "refund of a part", "reversal", "detached refund", "sale: paid"):
        assert any(row.startswith(step) for row in rows), step
