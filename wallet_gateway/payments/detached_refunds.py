"""Refunds of payments made through a former provider, and the file that brings them here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal

from wallet_gateway import gateways
from wallet_gateway.gateways import context_of
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.operations.follow_ups import detached_refunds
from wallet_gateway.operations.follow_ups.execute import Initiator
from wallet_gateway.operations.migration import import_export as migration_file
from wallet_gateway.operations.migration.import_export import ImportReport
from wallet_gateway.protocol.money import Money


def refund_migrated(
    parent_transaction_id: str,
    amount: Decimal | Money,
    currency: str,
    *,
    gateway: str = "default",
    order_number: str | None = None,
    idempotency_key: str | None = None,
    by: str = "",
    reason_code: str = "",
    comment: str = "",
) -> GatewayTransaction:
    """Refund a payment made through another provider; `approved_amount` of the result may be less.

    Raises `InvalidState` when more is asked than a known deposit has left, and `AwaitingApproval`
    where the settings demand a second person.
    """
    return detached_refunds.refund_migrated(
        parent_transaction_id=parent_transaction_id,
        amount=amount,
        currency=currency,
        context=context_of(gateway),
        who=Initiator(idempotency_key=idempotency_key, by=by, reason_code=reason_code, comment=comment),
        order_number=order_number,
    )


def import_migration_file(
    lines: Iterable[str | bytes], *, gateway: str = "default", keep_good: bool = False, dry_run: bool = False
) -> ImportReport:
    """Read a migration file, opened as binary, into deposits; bad rows are reported by line and reason."""
    return migration_file.import_migration_file(
        lines, gateway=gateway, clock=gateways.clock(), keep_good=keep_good, dry_run=dry_run
    )


def export_migration_file(*, gateway: str = "default") -> Iterator[str]:
    """Write the known deposits of a gateway as a migration file, line by line."""
    return migration_file.export_migration_file(gateway=gateway)
