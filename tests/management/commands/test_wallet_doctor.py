"""The examination from a shell: words for people, JSON for programs, an exit code for both."""

from __future__ import annotations

import json
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import Settings

from wallet_gateway import payments
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db(transaction=True)


def doctor(**options: Any) -> tuple[str, int]:
    out = StringIO()
    try:
        call_command("wallet_doctor", stdout=out, **options)
    except SystemExit as end:
        return out.getvalue(), int(str(end.code))
    return out.getvalue(), 0


def test_a_well_shop_is_told_so_and_the_exit_code_is_0(wallet_sandbox: SandboxControl) -> None:
    payments.sweep()
    said, code = doctor()
    assert code == 0
    assert "ok       gateway default: reached, and it takes our credentials" in said
    assert "ERROR" not in said


def test_what_is_wrong_comes_with_advice_and_exit_code_1(wallet_sandbox: SandboxControl) -> None:
    said, code = doctor(go_live=True)
    assert code == 1
    assert "ERROR    sweep: default was never swept\n         Run manage.py wallet_sweep" in said


@pytest.mark.parametrize("json", [False, True])
def test_what_keeps_rows_from_being_read_is_said_and_not_a_traceback(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, json: bool
) -> None:
    others = [name for name in connection.introspection.table_names() if "wallet" not in name]
    monkeypatch.setattr(connection.introspection, "table_names", lambda *_: others)
    said, code = doctor(json=json)
    assert (code, "Run manage.py migrate." in said) == (1, True)
    settings.USE_TZ = False
    said, code = doctor(json=json)
    assert (code, "Set USE_TZ = True." in said) == (1, True)


def test_programs_get_json(wallet_sandbox: SandboxControl) -> None:
    payments.sweep()
    said, code = doctor(json=True)
    assert code == 0
    assert {tuple(entry) for entry in json.loads(said)} == {
        ("level", "code", "subject", "params", "text", "advice")
    }


def test_a_payment_that_a_person_compared_is_recorded(wallet_sandbox: SandboxControl) -> None:
    order = payments.create_order(reference="DOC-1", currency="EUR", amount=Decimal("1.00"))
    wallet_sandbox.complete_checkout(payments.start_checkout(order).reference, "success")
    payments.reconcile(order)
    order.payments.update(is_test=False)
    said, _ = doctor(record_payment="DOC-1", by="anna", go_live=True)
    assert "going live with default: 1.00 EUR, order DOC-1, compared by anna" in said


def test_an_order_that_is_not_there_or_has_no_money_is_refused() -> None:
    with pytest.raises(CommandError, match="no order has the reference 'NONE'"):
        doctor(record_payment="NONE")
    with pytest.raises(CommandError, match=r"--gateway: .* has no 'brnad'; it has: default"):
        doctor(record_payment="NONE", gateway="brnad")
    payments.create_order(reference="DOC-2", currency="EUR", amount=Decimal("1.00"))
    with pytest.raises(CommandError, match="no money"):
        doctor(record_payment="DOC-2", by="anna")
