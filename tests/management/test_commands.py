"""What operators do from a shell: what a command says, refuses and leaves undone, and how it ends."""

from __future__ import annotations

import csv
import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import OutputWrapper
from django.db import OperationalError, connection
from django.utils import timezone
from pytest_django import Settings

from tests.models.rows import a_payment, a_transaction, a_wallet_attempt
from tests.models.rows import an_order as a_row
from wallet_gateway import gateways, payments
from wallet_gateway.management.shared import with_progress
from wallet_gateway.models import GatewayTransaction, PaymentOrder, TransactionEvent
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]


def run(*words: str, **options: Any) -> str:
    out = StringIO()
    call_command(*words, stdout=out, stderr=StringIO(), **options)
    return out.getvalue()


def an_order(reference: str = "A-1", email: str = "ada@example.com") -> PaymentOrder:
    return payments.create_order(
        reference=reference, currency="EUR", amount=Decimal("10.00"), cardholder_email=email
    )


REFUSED: list[tuple[list[str], dict[str, Any], str]] = [
    (["wallet_customer_data", "bob@example.com"], {}, "no order has this e-mail address"),
    (["wallet_support_bundle", "NONE"], {}, "no order has the reference 'NONE'"),
    (["wallet_support_bundle", "A-1", "--output", "/none/such/story.zip"], {}, "cannot be written"),
    (["wallet_export", "orders", "--output", "/none/such/orders.csv"], {}, "cannot be written"),
    *(
        (["wallet_export", "orders", "--since", day], {}, "--since must be a day")
        for day in ("yesterday", "2026-02-30", "17.05.2026")
    ),
    *(
        (["wallet_export", what, "--by", "approved"], {}, "--by is for orders and transactions")
        for what in ("events", "discrepancies")
    ),
    (["wallet_reconcile"], {"repair": True}, "--by"),
    (["wallet_reconcile"], {"days": 0}, "--days must be from 1 to 36500"),
    (["wallet_reconcile"], {"days": 999_999_999}, "--days must be from 1 to 36500"),
    (["wallet_reconcile"], {"gateway": "nowhere"}, "has no 'nowhere'; it has: default"),
    *(
        (
            ["wallet_sweep", "--loop", f"--every={pause}"],
            {},
            r"--every: a number of seconds from 0\.1 to 86400",
        )
        for pause in ("-1", "0", "0.01", "nan", "inf", "-inf", "1e300", "soon")
    ),
    (["wallet_stop", "--by=anna"], {}, "default: The reason is missing"),
    (["wallet_stop", "--resume", "--by=anna", "--reason=x"], {}, "No person has stopped"),
    *(
        (["wallet_stop", *words.split(), "--by=anna", "--reason=x"], {}, "(?s).")
        for words in (
            *(
                "--for=2",
                "--for=0h",
                "--for=2h --until=2999-01-01T00:00",
                "--until=tomorrow",
                "--resume --for=2h",
            ),
            *("--until=2026-13-01T00:00", "--until=2001-01-01T00:00", "--status --for=2h"),
        )
    ),
    (["wallet_erase"], {}, "by their references, or by --email ADDRESS"),
    *((["wallet_erase", "A-1"], {"email": empty}, "--email is empty") for empty in ("", " ")),
    (["wallet_erase", "A-1"], {"email": "\u200b\u00ad"}, "no order has this e-mail address"),
    (["wallet_erase", "A-1", "NONE"], {}, "no such order: NONE"),
    (["wallet_erase", "A-1"], {"gateway": "brnad"}, r"--gateway: .* has no 'brnad'; it has: default"),
    (["wallet_erase"], {"email": "ada@example.com", "gateway": "brnad"}, r"--gateway: .* has no 'brnad'"),
]


def test_what_makes_no_sense_is_refused_and_nothing_is_done() -> None:
    order = an_order()
    for words, options, why in REFUSED:
        sure = {"yes": True, "by": "anna", "reason": "asked"} if words[0] == "wallet_erase" else {}
        with pytest.raises(CommandError, match=why):
            run(*words, **sure, **options)
    assert payments.maintenance.sending_pauses() == ()
    assert remembers(order)


# Sending is stopped


def test_a_stop_is_said_seen_and_lifted(wallet_sandbox: SandboxControl) -> None:
    order = an_order()
    assert run("wallet_stop", status=True) == "requests leave to every gateway\n"
    said = run("wallet_stop", by="anna", reason="wrong amounts")
    assert said == "default: stopped by anna: wrong amounts\n"
    with pytest.raises(payments.errors.SendingStopped):
        payments.start_checkout(order)
    assert "stopped by anna" in run("wallet_stop", status=True)
    assert run("wallet_stop", resume=True, by="bob", reason="checked") == "requests leave to every gateway\n"
    assert payments.start_checkout(order).redirect_url


@pytest.mark.parametrize(
    ("option", "lasts"), [("--for=30m", 30), ("--for=2h", 120), ("--for=1d", 1440), ("--until", 90)]
)
def test_a_stop_may_have_an_end_which_is_said(option: str, lasts: int) -> None:
    now = gateways.clock().now()
    if option == "--until":
        option += "=" + timezone.localtime(now + timedelta(minutes=lasts)).isoformat()
    said = run("wallet_stop", option, "--by=anna", "--reason=drill")
    (pause,) = payments.maintenance.sending_pauses()
    assert pause.until is not None
    assert abs(pause.until - now - timedelta(minutes=lasts)) < timedelta(minutes=5)
    end = timezone.localtime(pause.until).isoformat(sep=" ", timespec="seconds")
    assert said == f"default: stopped by anna until {end}: drill\n"


def test_an_instant_without_a_zone_is_in_the_shops_own(settings: Settings) -> None:
    settings.TIME_ZONE = "Asia/Tokyo"
    day = datetime.now(UTC).date() + timedelta(days=30)
    run("wallet_stop", f"--until={day}T00:00", "--by=anna", "--reason=x")
    (pause,) = payments.maintenance.sending_pauses()
    assert pause.until == datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=9)


# Customers' data are given and erased


def remembers(order: PaymentOrder) -> bool:
    order.refresh_from_db()
    return "checkoutDetails" in order.content


def erase(*references: str, **options: Any) -> str:
    return run("wallet_erase", *references, yes=True, by="anna", reason="asked", **options)


def test_customer_data_go_to_the_screen_or_to_a_new_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    an_order()
    (order,) = json.loads(run("wallet_customer_data", "ADA@example.com"))["orders"]
    assert order["reference"] == "A-1"
    file = tmp_path / "ada.json"
    run("wallet_customer_data", "ada@example.com", output=str(file))
    assert json.loads(file.read_text(encoding="utf-8"))["email"] == "ada@example.com"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(CommandError, match="cannot be written: File exists"):
        run("wallet_customer_data", "ada@example.com", output=str(file))


@pytest.mark.every_database
def test_an_address_is_found_in_any_letter_case_and_where_only_the_wallet_gave_it() -> None:
    orders = [an_order("E-1", "Ada@Example.com"), an_order("E-2", "x@y.z"), an_order("E-3", "x@y.z")]
    transaction = a_transaction(a_payment(orders[1]), state="EXPIRED")
    a_wallet_attempt(transaction, given={"email": "ADA@example.com"})
    said = run("wallet_erase", "E-1")
    assert said == "E-1: would be erased\n1 order. Nothing was erased; add --yes to do it.\n"
    assert remembers(orders[0])
    assert erase(email="ada@example.com") == "E-1: erased\nE-2: erased\n2 orders. Erased.\n"
    assert [remembers(order) for order in orders] == [False, False, True]


def test_what_has_not_ended_is_refused_by_name_and_the_others_are_done_and_counted(
    wallet_sandbox: SandboxControl,
) -> None:
    busy, other, out = an_order("E-1"), an_order("E-2"), StringIO()
    payments.start_checkout(busy)
    sure = {"yes": True, "by": "anna", "reason": "asked"}
    with pytest.raises(CommandError, match=r"E-1: Transaction .* has the state “Open”"):
        call_command("wallet_erase", "E-1", "E-2", stdout=out, **sure)
    assert out.getvalue() == "E-2: erased\n1 order. Erased.\n"
    assert (remembers(busy), remembers(other)) == (True, False)


def test_orders_of_a_gateway_that_the_settings_have_no_more_are_erased() -> None:
    order = an_order("E-1")
    PaymentOrder.objects.update(gateway="former")
    erase("E-1", gateway="former")
    assert not remembers(order)
    with pytest.raises(CommandError, match="no such order: E-2"):
        erase("E-2", gateway="former")


# The gateway is asked


@pytest.fixture
def unnoticed(wallet_sandbox: SandboxControl) -> PaymentOrder:
    """An order whose customer paid and never came back."""
    order = an_order("REC-1")
    wallet_sandbox.complete_checkout(payments.start_checkout(order).reference, "success")
    return order


def state(order: PaymentOrder) -> str:
    order.refresh_from_db()
    return order.state


def test_a_comparison_changes_nothing_until_it_repairs_with_its_author(unnoticed: PaymentOrder) -> None:
    *said, _ = run("wallet_reconcile").splitlines()
    assert said == [
        "default: 1 transactions to compare",
        f"{unnoticed.payments.get().reference}  STATE_DIFFERS: “Approved” at the gateway, “Open” here",
        "Differences: 1 STATE_DIFFERS.",
        "Nothing was changed.",
    ]
    assert state(unnoticed) == "OPEN"
    assert "Stored as events" in run("wallet_reconcile", repair=True, by="anna")
    assert state(unnoticed) == "PAID"
    assert TransactionEvent.objects.latest("pk").created_by == "anna"
    assert "Differences: none." in run("wallet_reconcile")
    assert "1 transactions to compare" in run("wallet_reconcile", days=36_500)


def test_a_sweep_finds_a_payment_whose_customer_never_came_back(unnoticed: PaymentOrder) -> None:
    GatewayTransaction.objects.update(next_query_at=unnoticed.created_at)
    assert "default: 1 queried" in run("wallet_sweep")
    assert state(unnoticed) == "PAID"


@pytest.mark.django_db(transaction=True)
def test_a_loop_sweeps_again_without_a_database_for_a_while_and_until_it_is_told_to_stop(
    caplog: pytest.LogCaptureFixture,
) -> None:
    swept: list[str] = []

    def watch(execute: Callable[..., object], sql: str, *others: Any) -> object:
        if "jobposition" in sql and not sql.startswith("SELECT") and "SWEEP" in str(others):
            swept.append(sql)
            if len(swept) == 1:
                raise OperationalError("server closed the connection")
            if len(swept) > 2:
                signal.raise_signal(signal.SIGINT)
        return execute(sql, *others)

    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with connection.execute_wrapper(watch):
            run("wallet_sweep", loop=True, every=0.1)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert len(swept) > 2
    assert "the database does not answer, the sweep is tried again: OperationalError" in caplog.text


@pytest.mark.wire
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "sqlite", reason="the process has a file for its database")
def test_a_loop_that_waits_long_ends_at_once_all_the_same(tmp_path: Path) -> None:
    file = tmp_path / "shop.sqlite3"
    connection.ensure_connection()
    with closing(sqlite3.connect(file)) as copy:
        connection.connection.backup(copy)
    shop = {"DATABASE_URL": f"sqlite:///{file}", "DJANGO_SETTINGS_MODULE": "tests.settings"}
    sweep = ("wallet_sweep", "--skip-checks", "-v", "2", "--loop", "--every", "3600")
    with subprocess.Popen(
        [sys.executable, "-m", "django", *sweep],
        cwd=ROOT,
        env=os.environ | shop,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert "default: 0 queried" in process.stdout.readline()
            process.send_signal(signal.SIGTERM)
            said, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0, said
    assert "Traceback" not in said


# Exports


def test_rows_go_to_the_output_as_csv_or_json_between_two_days() -> None:
    a_row(reference="R-1")
    (row,) = csv.DictReader(StringIO(run("wallet_export", "orders")))
    assert row["reference"] == "R-1"
    assert json.loads(run("wallet_export", "orders", "--format", "json")) == row
    created = ("wallet_export", "orders", "--by", "created")
    assert "R-1" in run(*created, "--since", "2026-05-17", "--until", "2026-05-18")
    assert "R-1" not in run(*created, "--until", "2026-05-17")


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("zone", "approved", "of_the_project", "of_utc"),
    [
        ("Europe/Berlin", "2026-02-28T23:30:00Z", "2026-03-01", "2026-02-28"),
        ("America/Los_Angeles", "2026-03-02T07:30:00Z", "2026-03-01", "2026-03-02"),
        ("Pacific/Kiritimati", "2026-02-28T10:00:00Z", "2026-03-01", "2026-02-28"),
        # Where the clocks change at midnight, that day begins at one.
        ("Africa/Cairo", "2026-04-23T22:00:00Z", "2026-04-24", "2026-04-23"),
        ("UTC", "2026-03-01T00:00:00Z", "2026-03-01", "2026-03-01"),
    ],
)
def test_days_are_those_of_the_project_or_of_utc(
    settings: Settings, zone: str, approved: str, of_the_project: str, of_utc: str
) -> None:
    settings.TIME_ZONE = zone
    at = datetime.fromisoformat(approved)
    a_transaction(a_payment(a_row(reference="R-1")), kind="CHECKOUT", state="APPROVED", approved_at=at)
    for what in ("orders", "transactions"):
        for days, day in (((), of_the_project), (("--days", "utc"), of_utc)):
            next_day = (date.fromisoformat(day) + timedelta(days=1)).isoformat()
            assert "R-1" in run("wallet_export", what, *days, "--since", day, "--until", next_day)
            assert "R-1" not in run("wallet_export", what, *days, "--until", day)
            assert "R-1" not in run("wallet_export", what, *days, "--since", next_day)


def test_a_support_bundle_is_written_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    order = an_order("../B/1")
    assert run("wallet_support_bundle", "../B/1") == f"wallet-order-{order.pk}.zip\n"
    file = str(tmp_path / "story.zip")
    assert run("wallet_support_bundle", "../B/1", "--output", file) == f"{file}\n"
    with zipfile.ZipFile(file) as archive:
        assert "order.json" in archive.namelist()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_an_export_has_every_letter_whatever_the_machine_writes(encoding: str) -> None:
    a_row(order_number="Łódź 🦆")
    written = BytesIO()
    out = TextIOWrapper(written, encoding=encoding)
    call_command("wallet_export", "orders", stdout=out)
    assert "Łódź 🦆" in written.getvalue().decode("utf-8")


# A reader who has gone, a user without a name, a long run

PRINTING = """
import sys
import django
django.setup()
from django.core.management.base import OutputWrapper
from wallet_gateway.management.shared import write_texts
sys.exit(3 if not write_texts(OutputWrapper(sys.stdout), ["a row\\n"] * 100_000) else 0)
"""


@pytest.fixture
def closed_pipe() -> Iterator[TextIO]:
    """A stream into a pipe from which nobody reads any more."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        yield stream


@pytest.mark.parametrize(
    ("words", "code"),
    [
        # As a closed pipe ends others: 128 and the number of its signal.
        (["wallet_export", "orders"], 128 + signal.SIGPIPE),
        (["wallet_customer_data", "ada@example.com"], 128 + signal.SIGPIPE),
        # The doctor's is that of what was found, whoever reads it.
        (["wallet_doctor"], 1),
        (["wallet_doctor", "--json"], 1),
    ],
)
def test_a_command_whose_reader_has_gone_ends_with_a_code_and_without_a_word(
    words: list[str], code: int, closed_pipe: TextIO
) -> None:
    an_order()
    with pytest.raises(SystemExit) as end:
        call_command(*words, stdout=closed_pipe)
    assert end.value.code == code


@pytest.mark.wire
def test_nothing_is_said_at_the_end_of_the_process_either(closed_pipe: TextIO) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRINTING], cwd=ROOT, stdout=closed_pipe, stderr=subprocess.PIPE, check=False
    )
    assert (done.returncode, done.stderr) == (3, b"")


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (None, "user 54321"),
        ("carla", "carla"),
        ("  carla ", "carla"),
        ("   ", "user 54321"),
        (os.fsdecode(b"caf\xe9"), "caf?"),
    ],
)
def test_who_stopped_or_erased_is_a_login_name_or_in_a_container_without_one_a_number(
    given: str | None, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 54321)
    if given is not None:
        monkeypatch.setenv("LOGNAME", given)
    assert f"stopped by {name}: fire" in run("wallet_stop", reason="fire")
    run("wallet_stop", resume=True, reason="out")
    a_transaction(a_payment(an_order("N-1")), state="EXPIRED")
    assert "N-1: erased" in run("wallet_erase", "N-1", yes=True, reason="asked")
    assert TransactionEvent.objects.filter(created_by=name).exists()


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_one_line_that_fills_and_a_log_gets_a_line_for_each_tenth() -> None:
    def written(out: StringIO, count: int) -> str:
        assert list(with_progress(range(count), total=count, out=OutputWrapper(out))) == list(range(count))
        return out.getvalue()

    text = written(Terminal(), 50)
    assert text.startswith("\r[")
    assert "\r[##############################] 100%  50 of 50" in text
    assert (text.count("\n"), text[-1]) == (1, "\n")
    lines = written(StringIO(), 1000).splitlines()
    assert len(lines) == 10
    assert " 10%  100 of 1000" in lines[0]
    assert "100%  1000 of 1000" in lines[-1]
