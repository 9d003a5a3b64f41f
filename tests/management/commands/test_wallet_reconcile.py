"""Comparing from a shell: what it says, that it changes nothing unasked, and what it refuses."""

from __future__ import annotations

from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from wallet_gateway import payments
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.management.commands.wallet_reconcile import WHAT_CANNOT_BE_FOUND
from wallet_gateway.models import PaymentOrder, TransactionEvent
from wallet_gateway.operations.maintenance import ledger_comparison
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]


def reconcile(**options: Any) -> str:
    out = StringIO()
    call_command("wallet_reconcile", stdout=out, stderr=StringIO(), **options)
    return out.getvalue()


@pytest.fixture
def unnoticed(wallet_sandbox: SandboxControl) -> PaymentOrder:
    """An order whose customer paid and never came back."""
    order = payments.create_order(reference="REC-1", currency="EUR", amount=Decimal("10.00"))
    wallet_sandbox.complete_checkout(payments.start_checkout(order).reference, "success")
    return order


def test_a_dry_run_names_the_difference_and_what_it_cannot_find(unnoticed: PaymentOrder) -> None:
    said = reconcile()
    reference = unnoticed.payments.get().reference
    assert said.splitlines() == [
        "default: 1 transactions to compare",
        f"{reference}  state: “Approved” at the gateway, “Open” here",
        "Differences: 1 state.",
        "Nothing was changed.",
        WHAT_CANNOT_BE_FOUND,
    ]
    unnoticed.refresh_from_db()
    assert unnoticed.state == OrderState.OPEN


def test_a_repair_is_evidence_with_its_author(unnoticed: PaymentOrder) -> None:
    assert "Stored as events" in reconcile(repair=True, by="anna")
    unnoticed.refresh_from_db()
    assert unnoticed.state == OrderState.PAID
    assert TransactionEvent.objects.latest("pk").created_by == "anna"
    assert "Differences: none." in reconcile()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"repair": True}, "--by"),
        ({"days": 0}, "--days must be from 1 to 36500"),
        ({"days": 999_999_999}, "--days must be from 1 to 36500"),
        ({"gateway": "nowhere"}, "has no 'nowhere'; it has: default"),
    ],
    ids=["no-author", "no-days", "days-before-all-calendars", "no-gateway"],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        reconcile(**options)


def test_the_most_days_are_within_every_calendar() -> None:
    assert "0 transactions to compare" in reconcile(days=36_500)


def test_a_gateway_that_stops_answering_ends_the_run_and_resume_goes_on(
    unnoticed: PaymentOrder, wallet_sandbox: SandboxControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_comparison, "BACKOFF", (0.0,))
    wallet_sandbox.fault("status", "not_json", times=2)
    with pytest.raises(CommandError, match="--resume"):
        reconcile()
    assert "1 state" in reconcile(resume=True)
