"""Payments of a former provider through the wired door."""

from __future__ import annotations

from decimal import Decimal

import pytest

from wallet_gateway import payments
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db

FILE = [
    "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\n",
    "OLD-1,2026-01-02T03:04:05,30.00,EUR,0.00,P-1\n",
]


def test_an_older_payment_is_imported_refunded_and_exported(wallet_sandbox: SandboxControl) -> None:
    wallet_sandbox.migration_file("".join(FILE))
    assert payments.maintenance.import_migration_file(FILE).accepted == 1

    refund = payments.refund_migrated("OLD-1", Decimal("12.50"), "EUR")

    assert refund.state == TransactionState.APPROVED
    assert "OLD-1" in "".join(payments.maintenance.export_migration_file())
    assert "12.50" in "".join(payments.maintenance.export_migration_file())
