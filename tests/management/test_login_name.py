"""Commands that name their user, run by a user that has no name, as in many containers."""

from __future__ import annotations

import os
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from wallet_gateway import payments
from wallet_gateway.management.login_name import login_name
from wallet_gateway.models import GoLiveCheck, Payment, TransactionEvent
from wallet_gateway.testing.control import SandboxControl

NAMES = ("LOGNAME", "USER", "LNAME", "USERNAME")


@pytest.fixture
def without_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in NAMES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 54321)


def run(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, **options)
    return out.getvalue()


@pytest.mark.usefixtures("without_a_name")
@pytest.mark.django_db(transaction=True)
def test_the_emergency_stop_works_and_names_the_number() -> None:
    assert run("wallet_stop", "--status") == "requests leave to every gateway\n"
    assert "stopped by user 54321: fire" in run("wallet_stop", reason="fire")
    assert run("wallet_stop", resume=True, reason="out") == "requests leave to every gateway\n"


@pytest.mark.usefixtures("without_a_name")
@pytest.mark.django_db(transaction=True)
def test_erasing_and_recording_a_payment_name_the_number(wallet_sandbox: SandboxControl) -> None:
    order = payments.create_order(reference="N-1", currency="EUR", amount=Decimal("1.00"))
    wallet_sandbox.complete_checkout(payments.start_checkout(order).reference, "success")
    payments.reconcile(order)
    payments.sweep()
    # As though real money had moved: a test is on no bank statement.
    Payment.objects.update(is_test=False)
    run("wallet_doctor", record_payment="N-1")
    assert GoLiveCheck.objects.get().checked_by == "user 54321"

    assert "N-1: erased" in run("wallet_erase", "N-1", yes=True, reason="asked")
    assert TransactionEvent.objects.filter(created_by="user 54321").exists()


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("carla", "carla"),
        ("  carla ", "carla"),
        ("   ", "user 54321"),
        (os.fsdecode(b"caf\xe9"), "caf?"),
    ],
)
@pytest.mark.usefixtures("without_a_name")
def test_a_name_of_the_environment_is_one_that_can_be_stored(
    monkeypatch: pytest.MonkeyPatch, given: str, name: str
) -> None:
    monkeypatch.setenv("LOGNAME", given)
    assert login_name() == name
