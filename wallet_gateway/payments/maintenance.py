"""What runs by itself, and what operators do about a gateway as a whole.

Commands and bridges use this file itself: most of it is no shop's business.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

from wallet_gateway import conf, gateways
from wallet_gateway.gateways import context_of
from wallet_gateway.models import GatewayPause, MigratedDeposit, PaymentOrder
from wallet_gateway.operations.maintenance import ledger_comparison, retention
from wallet_gateway.operations.maintenance import sweep as sweeping
from wallet_gateway.operations.maintenance.ledger_comparison import ComparedTransaction
from wallet_gateway.operations.maintenance.sweep import SweepReport
from wallet_gateway.operations.migration import import_export as migration_file
from wallet_gateway.operations.migration.import_export import MAX_REPORTED, ImportReport, ImportStep
from wallet_gateway.operations.polling import due, reconciliation
from wallet_gateway.operations.polling.reconciliation import QueryReport
from wallet_gateway.operations.sending import emergency_stop
from wallet_gateway.operations.settlement import outbox
from wallet_gateway.payments import batches
from wallet_gateway.queries import authorizations, pauses, search
from wallet_gateway.queries import health as health_queries
from wallet_gateway.queries import support_bundle as support_bundles
from wallet_gateway.queries.authorizations import EndingAuthorization
from wallet_gateway.queries.health import Health
from wallet_gateway.queries.pauses import SendingPause

__all__ = [
    "MAX_REPORTED",
    "ComparedTransaction",
    "Comparison",
    "ImportReport",
    "ImportStep",
    "QueryReport",
    "SendingPause",
    "SweepReport",
    "comparison",
    "deliver_events",
    "ending_authorizations",
    "erase_customer",
    "export_migration_file",
    "gateway_aliases",
    "health",
    "import_in_steps",
    "import_migration_file",
    "orders_of",
    "query_status",
    "reconcile_due",
    "resume_sending",
    "sending_pauses",
    "stop_sending",
    "support_bundle",
    "sweep",
]


BATCH_SECONDS = 10.0
"""How long one sweep carries out rows of batches: recovery and the outbox have to have their turn."""


def gateway_aliases() -> tuple[str, ...]:
    """Return the aliases of the gateways in the settings."""
    return tuple(conf.settings().gateways)


def reconcile_due(*, gateway: str = "default", limit: int = 500) -> int:
    """Ask about everything whose time has come at one gateway; return how many were asked about."""
    return due.reconcile_due(context=context_of(gateway), limit=limit)


def query_status(subject: PaymentOrder | MigratedDeposit) -> QueryReport:
    """Ask about every transaction of an order, or of an earlier provider's payment, now; nothing is sent."""
    return reconciliation.query_all(subject, context=context_of(subject.gateway))


def sweep() -> tuple[SweepReport, ...]:
    """Do once, for every gateway, what runs by itself: recovery, expiry, unsent requests, the outbox.

    Running batches of operations are carried out for at most `BATCH_SECONDS`; the next sweep goes on.
    """
    aliases = gateway_aliases()
    sweeping.warn_of_unconfigured_gateways(aliases)
    swept = [_sweep(alias) for alias in aliases]
    rows = batches.drive(seconds=BATCH_SECONDS)
    reports = tuple(replace(report, batch_rows=rows[report.gateway]) for report in swept)
    retention.erase_old_bodies(clock=gateways.clock(), kept=timedelta(days=conf.settings().retention_days))
    sweeping.drop_old_drafts(clock=gateways.clock())
    return reports


def _sweep(alias: str) -> SweepReport:
    context = context_of(alias)
    report = sweeping.sweep(context=context)
    sweeping.run_periodic_tasks(context=context)
    return report


def deliver_events() -> int:
    """Deliver pending events to the shop's receivers; return how many were accepted."""
    return outbox.deliver_due(clock=gateways.clock())


def stop_sending(gateway: str, *, by: str, reason: str) -> GatewayPause:
    """Let nothing new be sent to a gateway until a person resumes it; status queries go on.

    Raises `InvalidInput` without an author or a reason.
    """
    return emergency_stop.stop_sending(context=context_of(gateway), by=by, reason=reason)


def resume_sending(gateway: str, *, by: str, reason: str) -> GatewayPause:
    """Let requests leave again after `stop_sending`; raises `InvalidState` when nobody stopped it."""
    return emergency_stop.resume_sending(context=context_of(gateway), by=by, reason=reason)


def sending_pauses() -> tuple[SendingPause, ...]:
    """Return which gateways nothing new is sent to at present, until when, and who or what decided so."""
    return pauses.sending_pauses(gateways.clock().now())


def ending_authorizations(limit: int = 100) -> tuple[EndingAuthorization, ...]:
    """Return the authorizations that lapse soon, the most urgent first."""
    configured = conf.settings().gateways
    windows = {alias: given.policy.capture_window for alias, given in configured.items()}
    return authorizations.ending_authorizations(windows, now=gateways.clock().now(), limit=limit)


def orders_of(*, references: Collection[str] = (), email: str = "") -> tuple[PaymentOrder, ...]:
    """Return the orders with these references, and those of an e-mail address, which reads all orders.

    The address may be the one that the shop gave or the one that a wallet gave, in any letter case.
    """
    return search.orders_of(references=references, email=email)


def erase_customer(order: PaymentOrder, *, by: str, reason: str) -> PaymentOrder:
    """Erase what an order tells of its customer; its sums stay. Raises `InvalidState`."""
    return retention.erase_customer(order, by=by, reason=reason, clock=gateways.clock())


def support_bundle(order: PaymentOrder) -> bytes:
    """Return one order's whole story as a zip without personal data."""
    return support_bundles.support_bundle(order)


def health() -> Health:
    """Return how payments are: ages and numbers for a monitor, without personal data."""
    return health_queries.health(gateways.clock().now(), gateway_aliases())


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A comparison of our books with one gateway's, which happens while its rows are read."""

    total: int
    """How many transactions there are to compare."""
    rows: Iterator[ComparedTransaction]


def comparison(gateway: str, *, days: int, repair_as: str = "", resume: bool = False) -> Comparison:
    """Compare what was made or moved at one gateway within so many days; repair it where an author is given.

    `resume` goes on where the last comparison was broken off. Reading the rows raises `GatewayUnreachable`
    when the gateway stops answering.
    """
    context, touched = context_of(gateway), timedelta(days=days)
    after = ledger_comparison.position(context=context) if resume else 0
    rows = ledger_comparison.compare_all(context=context, touched=touched, after=after, repair_as=repair_as)
    return Comparison(
        total=ledger_comparison.comparable(context=context, touched=touched).filter(pk__gt=after).count(),
        rows=rows,
    )


# The records of an earlier provider


def import_migration_file(
    lines: Iterable[str | bytes], *, gateway: str = "default", keep_good: bool = False, dry_run: bool = False
) -> ImportReport:
    """Read a migration file, opened as binary, into deposits; bad rows are reported by line and reason."""
    return migration_file.import_migration_file(
        lines, gateway=gateway, clock=gateways.clock(), keep_good=keep_good, dry_run=dry_run
    )


def import_in_steps(
    lines: Iterable[str | bytes], *, gateway: str = "default", keep_good: bool = False, dry_run: bool = False
) -> Generator[ImportStep, None, ImportReport]:
    """Import as `import_migration_file` does, and yield the progress after each batch of rows.

    Each batch is committed separately. An interrupted import is completed with `keep_good`: the rows that it
    has stored are reported as known.
    """
    return migration_file.import_in_steps(
        lines, gateway=gateway, clock=gateways.clock(), keep_good=keep_good, dry_run=dry_run
    )


def export_migration_file(*, gateway: str = "default") -> Iterator[str]:
    """Write the known deposits of a gateway as a migration file, line by line."""
    return migration_file.export_migration_file(gateway=gateway)
