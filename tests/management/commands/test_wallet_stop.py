"""The emergency stop from a shell."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from wallet_gateway import gateways, payments
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db(transaction=True)


def stop(**options: Any) -> str:
    out = StringIO()
    call_command("wallet_stop", stdout=out, **options)
    return out.getvalue()


def test_a_stop_is_said_seen_and_lifted(wallet_sandbox: SandboxControl) -> None:
    order = payments.create_order(reference="STOP-1", currency="EUR", amount=Decimal("10.00"))
    assert stop(status=True) == "requests leave to every gateway\n"
    assert stop(by="anna", reason="wrong amounts") == "default: stopped by anna: wrong amounts\n"
    with pytest.raises(payments.errors.SendingStopped):
        payments.start_checkout(order)
    assert "stopped by anna" in stop(status=True)

    assert stop(resume=True, by="bob", reason="checked") == "requests leave to every gateway\n"
    assert payments.start_checkout(order).redirect_url


def test_a_stop_without_a_reason_is_refused_and_nothing_is_stopped() -> None:
    with pytest.raises(CommandError, match="default: The reason is missing"):
        stop(by="anna")
    assert payments.maintenance.sending_pauses() == ()


def test_resuming_what_nobody_stopped_is_refused() -> None:
    with pytest.raises(CommandError, match="No person has stopped"):
        stop(resume=True, by="anna", reason="x")


@pytest.mark.parametrize(
    ("option", "lasts"), [("--for=30m", 30), ("--for=2h", 120), ("--for=1d", 1440), ("--until", 90)]
)
def test_a_stop_may_have_an_end_which_is_said(option: str, lasts: int) -> None:
    now = gateways.clock().now()
    if option == "--until":
        option += "=" + timezone.localtime(now + timedelta(minutes=lasts)).isoformat()
    out = StringIO()
    call_command("wallet_stop", option, "--by=anna", "--reason=drill", stdout=out)
    (pause,) = payments.maintenance.sending_pauses()
    assert pause.until is not None
    assert abs(pause.until - now - timedelta(minutes=lasts)) < timedelta(minutes=5)
    end = timezone.localtime(pause.until).isoformat(sep=" ", timespec="seconds")
    assert out.getvalue() == f"default: stopped by anna until {end}: drill\n"


@pytest.mark.parametrize(
    "words",
    [
        ["--for=2"],
        ["--for=0h"],
        ["--for=2h", "--until=2999-01-01T00:00"],
        ["--until=tomorrow"],
        ["--until=2026-13-01T00:00"],
        ["--until=2001-01-01T00:00"],
        ["--resume", "--for=2h"],
        ["--status", "--for=2h"],
    ],
)
def test_an_end_that_is_none_is_refused_and_nothing_is_stopped(words: list[str]) -> None:
    with pytest.raises(CommandError):
        call_command("wallet_stop", *words, "--by=anna", "--reason=drill", stdout=StringIO())
    assert payments.maintenance.sending_pauses() == ()


def test_an_instant_without_a_zone_is_in_the_shops_own(settings: Settings) -> None:
    settings.TIME_ZONE = "Asia/Tokyo"
    day = datetime.now(UTC).date() + timedelta(days=30)
    call_command("wallet_stop", f"--until={day}T00:00", "--by=anna", "--reason=x", stdout=StringIO())
    (pause,) = payments.maintenance.sending_pauses()
    assert pause.until == datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=9)
