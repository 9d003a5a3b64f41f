"""The emergency stop from a shell."""

from __future__ import annotations

from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command

from wallet_gateway import payments
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


def test_who_gives_no_name_is_known_by_the_login(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "carla")
    assert "stopped by carla: fire" in stop(reason="fire")


def test_a_stop_without_a_reason_is_refused_and_nothing_is_stopped() -> None:
    with pytest.raises(CommandError, match="default: The reason is missing"):
        stop(by="anna")
    assert payments.maintenance.sending_pauses() == ()


def test_resuming_what_nobody_stopped_is_refused() -> None:
    with pytest.raises(CommandError, match="No person has stopped"):
        stop(resume=True, by="anna", reason="x")


def test_a_gateway_that_does_not_exist_is_named() -> None:
    with pytest.raises(ImproperlyConfigured, match="'nowhere'"):
        stop(gateway="nowhere", by="anna", reason="x")
