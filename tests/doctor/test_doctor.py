"""`manage.py wallet_doctor` of a shop that is well and of one that is not: words, JSON and an exit code."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from email.utils import format_datetime
from io import StringIO
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from pytest_django import Settings

from tests.client.servers import RawServer, Request, unused_port
from tests.conf.test_settings import with_gateway
from tests.models.rows import a_payment, a_transaction, an_order
from wallet_gateway import gateways, payments
from wallet_gateway.models import GoLiveCheck, Payment, WalletKey
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db

Row = dict[str, Any]


def doctor(**options: Any) -> tuple[str, int]:
    out = StringIO()
    try:
        call_command("wallet_doctor", stdout=out, **options)
    except SystemExit as end:
        return out.getvalue(), int(str(end.code))
    return out.getvalue(), 0


def examined(subject: str = "", **options: Any) -> list[Row]:
    """Return what the doctor finds, of one subject or of all."""
    said, code = doctor(json=True, **options)
    found: list[Row] = json.loads(said)
    assert code == any(row["level"] == "error" for row in found)
    return [row for row in found if row["subject"].startswith(subject)]


def errors(**options: Any) -> list[str]:
    return [row["code"] for row in examined(**options) if row["level"] == "error"]


# The whole examination


def test_a_shop_that_works_is_well_and_going_live_asks_for_more(wallet_sandbox: SandboxControl) -> None:
    payments.sweep()
    said, code = doctor()
    assert code == 0
    assert "ok       gateway default: reached, and it takes our credentials" in said
    assert "ERROR" not in said
    found = examined()
    assert {tuple(row) for row in found} == {("level", "code", "subject", "params", "text", "advice")}
    assert {row["subject"].split(" ")[0] for row in found} >= {"keys", "database", "gateway", "sweep"}
    assert [entry["operation"] for entry in wallet_sandbox.journal()] == ["status"] * 2
    assert errors(go_live=True)


def test_what_is_wrong_comes_with_advice(wallet_sandbox: SandboxControl) -> None:
    said, code = doctor(go_live=True)
    assert code == 1
    assert "ERROR    sweep: default was never swept\n         Run manage.py wallet_sweep" in said


def test_with_wrong_settings_or_without_time_zones_nothing_else_is_tried(settings: Settings) -> None:
    settings.USE_TZ = False
    assert {row["subject"] for row in examined()} == {"settings"}
    assert "Set USE_TZ = True." in doctor()[0]
    settings.USE_TZ = True
    settings.WALLET_GATEWAY = {"PUBLIC_ORIGIN": "nowhere", "GATEWAYS": {}}
    found = examined()
    assert {row["subject"] for row in found} == {"settings"}
    assert any("PUBLIC_ORIGIN" in row["text"] for row in found)


@contextmanager
def asked(question: str, answer: str | Exception) -> Iterator[None]:
    """Let a database answer each statement that holds a text otherwise, or not at all."""

    def instead(execute: Callable[..., object], sql: str, params: Any, *others: Any) -> object:  # noqa: ANN401
        if question not in sql:
            return execute(sql, params, *others)
        if isinstance(answer, Exception):
            raise answer
        return execute(f"SELECT '{answer}'", (), *others)

    with connection.execute_wrapper(instead):
        yield


ISOLATION = {"sqlite": "SELECT 'serializable'", "postgresql": "SHOW transaction_iso", "mysql": "SELECT @@t"}
DURABILITY = {"sqlite": "PRAGMA synchronous", "postgresql": "SHOW synchronous", "mysql": "SELECT @@innodb"}


@pytest.mark.every_database
def test_a_database_is_asked_for_its_isolation_its_clock_and_whether_it_keeps_what_is_committed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (found,) = examined("database")
    assert found["level"] == "ok", found
    for level, expected in (
        ("READ-UNCOMMITTED", "error"),
        ("read committed", "ok"),
        ("repeatable read", "warning"),
        ("serializable", "ok"),
    ):
        with asked(ISOLATION[connection.vendor], level):
            assert [row["level"] for row in examined("database")] == [expected]
    with asked(DURABILITY[connection.vendor], "something else"):
        (found,) = [row for row in examined("settings") if row["code"] == "wallet_gateway.W004"]
        assert "something else" in found["text"]
    if connection.vendor != "sqlite":  # which runs in this process
        now = timezone.now
        monkeypatch.setattr(timezone, "now", lambda: now() - timedelta(minutes=2))
        assert [row["text"] for row in examined("clock of the database")] == ["+120 s off this machine"]


def test_a_database_that_is_away_is_one_error_and_the_settings_are_judged_all_the_same() -> None:
    with asked("", OperationalError("no route to user:password@host")):
        said, code = doctor()
        assert errors() == ["database_silent"]
    assert (code, "password" in said) == (1, False)


def test_migrations_that_were_not_run_and_tables_that_are_gone_are_one_error_before_any_row_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("wallet_gateway", "0001_initial")
    with asked("SELECT * FROM", AssertionError("rows were read")):
        (found,) = [row for row in examined() if row["level"] == "error"]
    assert (found["code"], found["advice"]) == ("not_migrated", "Run manage.py migrate.")
    assert "0001_initial" in found["text"]
    recorder.record_applied("wallet_gateway", "0001_initial")
    table, there = WalletKey._meta.db_table, connection.introspection.table_names()
    without = [name for name in there if name != table]
    monkeypatch.setattr(connection.introspection, "table_names", lambda *_: without)
    (found,) = [row for row in examined() if row["level"] == "error"]
    assert (found["code"], found["params"]) == ("not_migrated", {"missing": table})


def test_a_stored_key_that_no_key_of_the_settings_opens_is_an_error(
    wallet_sandbox: SandboxControl, settings: Settings
) -> None:
    gateways.gateway("default").current_api_key()
    assert [row["level"] for row in examined("keys")] == ["ok"]
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "FERNET_KEYS": [Fernet.generate_key().decode()]}
    assert [(row["level"], row["code"]) for row in examined("keys")] == [("error", "keys_unreadable")]


# What waits


def test_a_sweep_that_never_ran_is_an_error_once_a_payment_waits_for_one() -> None:
    def level() -> list[str]:
        return [row["level"] for row in examined("sweep") if row["code"] == "never_swept"]

    assert level() == ["warning"]
    now = gateways.clock().now()
    waiting = a_transaction(gateway="default", state="APPROVED", next_query_at=None)
    for minutes, expected in ((1440, "warning"), (-4, "warning"), (-6, "error")):
        waiting.next_query_at = now + timedelta(minutes=minutes)
        waiting.save()
        assert level() == [expected]
    waiting.gateway = "another"
    waiting.save()
    assert level() == ["warning"]
    waiting.delete()
    payments.sweep()
    assert [row["text"] for row in examined("sweep")] == ["every gateway was swept within 5 minutes"]


def test_what_waits_for_a_person_is_a_warning_with_the_way_to_the_runbook() -> None:
    payments.maintenance.stop_sending("default", by="anna", reason="x")
    (found,) = [row for row in examined() if row["code"] == "sending_paused"]
    assert (found["level"], found["text"]) == ("warning", "nothing is sent to default")
    assert found["params"] == {"gateway": "default"}
    assert "runbook" in found["advice"]


def test_going_live_wants_the_live_profile_and_a_payment_that_a_person_has_compared(
    wallet_sandbox: SandboxControl, settings: Settings
) -> None:
    def found() -> list[tuple[str, str]]:
        return [(row["level"], row["code"]) for row in examined("going live", go_live=True)]

    assert found() == [("error", "profile_not_live"), ("error", "no_payment_compared")]
    order = payments.create_order(reference="LIVE-1", currency="EUR", amount=Decimal("1.00"))
    wallet_sandbox.complete_checkout(payments.start_checkout(order).reference, "success")
    payments.reconcile(order)
    with pytest.raises(CommandError, match="paid in a test"):
        doctor(record_payment="LIVE-1", by="anna", amount="1.00")
    assert found()[1] == ("warning", "tests_stored")

    Payment.objects.update(is_test=False)
    said, _ = doctor(record_payment="LIVE-1", by="anna", amount="1.00", go_live=True)
    assert "going live with default: 1.00 EUR, order LIVE-1, compared by anna" in said

    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "PUBLIC_ORIGIN": "https://shop.example"}
    live = {"BASE_URL": "https://gateway.invalid", "PROFILE": "prod", "MERCHANT_ID": "M-100", "WALLET": None}
    with_gateway(settings, **live)
    assert ("error", "profile_not_live") not in found()


COMPARED = [
    *(("EUR", 500, "5.00", True), ("EUR", 500, "5", True), ("EUR", 500, "500.00", False)),
    *(("EUR", 500, "500", False), ("EUR", 500, "", False), ("EUR", 500, "5,00", False)),
    *(("JPY", 2000, "2000", True), ("JPY", 2000, "20.00", False), ("JPY", 2000, "20", False)),
    *(("KWD", 5000, "5.000", True), ("KWD", 5000, "50.00", False), ("LAK", 5_000_000, "50000.00", True)),
]


@pytest.mark.parametrize(("currency", "minor", "shown", "is_same"), COMPARED)
def test_only_a_payment_is_recorded_of_which_the_bank_statement_shows_the_same_amount(
    currency: str, minor: int, shown: str, is_same: bool
) -> None:
    order = an_order(reference="PAID", currency=currency, amount_minor=minor)
    a_payment(order, captured=minor, authorized=minor, is_test=False)
    if not is_same:
        with pytest.raises(CommandError, match=r"(the bank statement shows|misread the decimal point)"):
            doctor(record_payment="PAID", by="anna", amount=shown)
    else:
        doctor(record_payment="PAID", by="anna", amount=shown)
    assert [check.amount_minor for check in GoLiveCheck.objects.all()] == [minor] * is_same


def test_an_order_that_proves_nothing_is_not_recorded() -> None:
    a_payment(an_order(reference="NO-MONEY"))
    a_payment(an_order(reference="ELSEWHERE", gateway="former"), captured=100, authorized=100)
    for options, words in (
        ({"record_payment": "NONE"}, "no order has the reference 'NONE'"),
        ({"record_payment": "NONE", "gateway": "brnad"}, r"--gateway: .* has no 'brnad'; it has: default"),
        ({"record_payment": "NO-MONEY"}, "no money"),
        ({"record_payment": "NO-MONEY", "by": " "}, "name of whoever"),
        ({"record_payment": "ELSEWHERE"}, "paid elsewhere"),
    ):
        with pytest.raises(CommandError, match=words):
            doctor(**{"by": "anna", "amount": "1.00", **options})


# One harmless question to a gateway


def of_gateway(settings: Settings, base_url: str, merchant_id: str = "MERCHANT-7") -> list[Row]:
    with_gateway(settings, BASE_URL=base_url, MERCHANT_ID=merchant_id)
    return examined()


def answering(status: str, body: bytes, *, ahead: timedelta = timedelta()) -> RawServer:
    date = format_datetime(datetime.now(UTC) + ahead, usegmt=True)

    def behave(connection: socket.socket, request: Request) -> bool:
        head = f"HTTP/1.1 {status}\r\nDate: {date}\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        return True

    return RawServer(behave)


@pytest.mark.wire
@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        ("401 Unauthorized", b'{"code":"4010001","details":{"message":"no"}}', "credentials"),
        ("404 Not Found", b"<html>nginx</html>", "as agreed"),
        ("200 OK", b'{"hello":"world"}', "as agreed"),
    ],
)
def test_each_wrong_answer_is_told_in_plain_words(
    status: str, body: bytes, words: str, settings: Settings
) -> None:
    with answering(status, body) as server:
        (found, *_) = [row for row in of_gateway(settings, server.base_url) if "gateway" in row["subject"]]
    assert (words in found["text"], found["level"], bool(found["advice"])) == (True, "error", True)


@pytest.mark.wire
@pytest.mark.parametrize(("minutes", "level"), [(0, "ok"), (5, "warning"), (-5, "warning")])
def test_the_clock_is_compared_with_the_gateways(minutes: int, level: str, settings: Settings) -> None:
    with answering("200 OK", b"[]", ahead=timedelta(minutes=minutes)) as server:
        of_gateway(settings, server.base_url)
        assert [row["level"] for row in examined("clock of")] == [level]


def test_a_sandbox_that_was_not_started_is_named_with_the_command_that_starts_it(settings: Settings) -> None:
    port = unused_port()
    (found,) = [
        row
        for row in of_gateway(settings, f"http://127.0.0.1:{port}", "SANDBOX-MERCHANT")
        if row["subject"] == "gateway default"
    ]
    assert (found["level"], found["advice"]) == (
        "error",
        f"Start it: python -m wallet_gateway.sandbox --port {port}",
    )
    assert found["text"].startswith(f"no sandbox answers at http://127.0.0.1:{port}: ")


@pytest.mark.parametrize("named_by", ["HTTPS_PROXY", "PROXY"])
def test_the_proxy_is_named_with_who_has_named_it_and_without_its_password(
    named_by: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = f"http://ada:hunter2@127.0.0.1:{unused_port()}"
    monkeypatch.setenv("HTTPS_PROXY", proxy if named_by == "HTTPS_PROXY" else "http://elsewhere.example:3128")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    own = {"PROXY": proxy} if named_by == "PROXY" else {}
    with_gateway(settings, BASE_URL="https://gateway.example", MERCHANT_ID="MERCHANT-7", **own)
    found = examined()
    assert "gateway_unreachable" in [row["code"] for row in found]
    words = f"reached through the proxy {proxy.replace('ada:hunter2@', '')}, as {named_by} says"
    assert words in [row["text"] for row in found]
    assert "hunter2" not in repr(found)


# The key of the wallet button


@pytest.fixture
def wallet_key(wallet_sandbox: SandboxControl) -> WalletKey:
    """The key that the shop has stored for its buttons."""
    gateways.gateway("default").current_api_key()
    return WalletKey.objects.get()


def about_key() -> list[Row]:
    return [row for row in examined("gateway default") if "key" in row["text"]]


def test_the_stored_wallet_key_is_tried_without_moving_anything(
    wallet_key: WalletKey, wallet_sandbox: SandboxControl
) -> None:
    assert [(row["level"], row["text"]) for row in about_key()] == [("ok", "it takes the stored wallet key")]
    sent = [entry["operation"] for entry in wallet_sandbox.journal()]
    assert sent == ["public_key", "status", "get_payment_account"]


@pytest.mark.parametrize(
    "lose", [lambda sandbox: sandbox.reset(), lambda sandbox: sandbox.advance_clock(7200)]
)
def test_a_refused_wallet_key_is_named_and_the_next_button_gets_another(
    lose: Callable[[SandboxControl], object], wallet_key: WalletKey, wallet_sandbox: SandboxControl
) -> None:
    # Twice: no browser asks here, so nothing has to wait a minute.
    for _ in range(2):
        lose(wallet_sandbox)
        (found,) = about_key()
        assert (found["level"], found["code"]) == ("warning", "wallet_key_refused")
        assert found["text"] == "it no longer takes the stored wallet key, so no wallet button could pay"
        assert found["advice"] == "Nothing to do: the next button that is shown gets a new key."
        assert about_key() == []
        gateways.gateway("default").current_api_key()
        assert [row["level"] for row in about_key()] == ["ok"]


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        ("error_body", 400, "in_order"),
        ("bare_error", 404, "in_order"),
        # To a new key as well: the refusal is not about the key.
        ("error_body", 401, "wallet_key_not_tried"),
        ("status_before", 401, "wallet_key_not_tried"),
        ("error_body", 403, "wallet_key_not_tried"),
        ("status_before", 503, "wallet_key_not_tried"),
        ("drop_before", None, "wallet_key_not_tried"),
        ("not_json", None, "wallet_key_not_tried"),
    ],
)
def test_a_gateway_that_answers_otherwise_about_an_unknown_account_fails_no_healthy_shop(
    fault: str, status: int | None, code: str, wallet_key: WalletKey, wallet_sandbox: SandboxControl
) -> None:
    payments.sweep()
    wallet_sandbox.fault("get_payment_account", fault, status=status, times=5)
    (found,) = about_key()
    assert found["code"] == code
    assert "could not be tried" in found["text"] or code == "in_order"
    assert errors() == []
    wallet_key.refresh_from_db()
    assert wallet_key.refused_at is None
