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


def test_the_limit_that_only_the_gateway_knows_is_read_as_numbers(wallet_sandbox: SandboxControl) -> None:
    wallet_sandbox.migration_file("".join(FILE).replace(",0.00,", ",4.00,"))

    refused = payments.refund_migrated("OLD-1", Decimal("27.00"), "EUR")
    granted = payments.refund_migrated("OLD-1", Decimal("1.00"), "EUR")

    assert refused.state == TransactionState.REJECTED
    assert refused.refund_limit == payments.follow_ups.RefundLimit(
        deposit=Decimal("30.00"),
        refunded=Decimal("4.00"),
        maximum=Decimal("26.00"),
        requested=Decimal("27.00"),
    )
    assert granted.refund_limit is None


def test_another_refusal_has_no_limit(wallet_sandbox: SandboxControl) -> None:
    refused = payments.refund_migrated("UNKNOWN", Decimal("1.00"), "EUR")
    assert (refused.state, refused.refund_limit) == (TransactionState.REJECTED, None)
