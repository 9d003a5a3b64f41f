"""Background work, and what operators do about a gateway as a whole or about the records of an earlier one.

Mainly for management commands, the admin and the integrations; few shops need it in their own code.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from wallet_gateway import conf, gateways
from wallet_gateway.domain.actors import By
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of
from wallet_gateway.models import GatewayPause, MigratedDeposit, PaymentOrder
from wallet_gateway.operations.argument_types import check_list, check_order, check_type, wrong_type
from wallet_gateway.operations.batches.approve import expire_waiting_batches
from wallet_gateway.operations.maintenance import ledger_comparison, retention
from wallet_gateway.operations.maintenance import sweep as sweeping
from wallet_gateway.operations.maintenance.ledger_comparison import ComparedTransaction
from wallet_gateway.operations.maintenance.sweep import SweepReport
from wallet_gateway.operations.migration import import_export as migration_file
from wallet_gateway.operations.migration.import_export import MAX_REPORTED, ImportReport, ImportStep
from wallet_gateway.operations.polling import due, reconciliation
from wallet_gateway.operations.polling.reconciliation import QueryReport
from wallet_gateway.operations.sending import emergency_stop
from wallet_gateway.operations.sending.emergency_stop import Stoppable, UnusableGateway
from wallet_gateway.operations.settlement import outbox
from wallet_gateway.operations.settlement.db_transactions import check_outside_transaction
from wallet_gateway.payments import batches
from wallet_gateway.queries import authorizations, pauses, search
from wallet_gateway.queries import health as health_queries
from wallet_gateway.queries import support_bundle as support_bundles
from wallet_gateway.queries.authorizations import ExpiringAuthorization
from wallet_gateway.queries.health import Health
from wallet_gateway.queries.pauses import SendingPause

logger = logging.getLogger("wallet_gateway.sweep")

__all__ = [
    "MAX_REPORTED",
    "ComparedTransaction",
    "Comparison",
    "ImportReport",
    "ImportStep",
    "QueryReport",
    "SendingPause",
    "SweepReport",
    "check_account",
    "comparison",
    "deliver_events",
    "erase_customer",
    "expiring_authorizations",
    "export_migration_file",
    "forget_accounts",
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
    "wrong_accounts",
]


BATCH_SECONDS = 10.0
"""How long one sweep executes rows of batches, so that recovery and the outbox are not delayed."""


@sensitive_variables()
def gateway_aliases() -> tuple[str, ...]:
    """Return the aliases of the gateways that can be used now."""
    return tuple(conf.settings().gateways)


@sensitive_variables()
def wrong_accounts() -> Mapping[str, str]:
    """Return what is wrong with each account outside the settings that cannot be used, by alias.

    Under an empty alias stands why the accounts cannot be read at all. No secret is in these texts.
    """
    return conf.account_problems()


@sensitive_variables()
def check_account(alias: str, account: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what would be wrong with an account outside the settings, such as in the clean() of a form.

    Each text names the field and what is expected; none shows a secret. Empty if the account can be used.
    Raises `ImproperlyConfigured` where `GATEWAYS` is a dict.
    """
    return tuple(f"{one.setting}: {one.expected}" for one in conf.check_account(alias, account))


@sensitive_variables()
def forget_accounts() -> None:
    """Let this process read accounts outside the settings again at their next use, if they have changed.

    Without it a process sees a change within five seconds.
    """
    conf.forget_accounts()


@sensitive_variables()
def reconcile_due(*, gateway: str = "default", limit: int = 500) -> int:
    """Query the status of all transactions of one gateway that are due; return their number."""
    check_outside_transaction("payments.maintenance.reconcile_due")
    return due.reconcile_due(context=context_of(gateway), limit=limit)


@sensitive_variables()
def query_status(subject: PaymentOrder | MigratedDeposit) -> QueryReport:
    """Query every transaction of an order or a migrated deposit now; nothing that moves money is sent."""
    check_outside_transaction("payments.maintenance.query_status")
    check_type("subject", subject, PaymentOrder, MigratedDeposit)
    return reconciliation.query_all(subject, context=context_of(subject.gateway))


@sensitive_variables()
def sweep() -> tuple[SweepReport, ...]:
    """Do the background work of every gateway once: recovery, expiry, unsent requests, the outbox.

    Running batches are executed for at most `BATCH_SECONDS`; the next sweep continues.
    """
    check_outside_transaction("payments.sweep")
    aliases = gateway_aliases()
    sweeping.warn_of_unconfigured_gateways(aliases)
    swept = [report for alias in aliases if (report := _sweep(alias)) is not None]
    rows = batches.drive(seconds=BATCH_SECONDS)
    reports = tuple(replace(report, batch_rows=rows[report.gateway]) for report in swept)
    if not reports:
        # What is known of payments is told to the shop, even while no gateway can be used.
        deliver_events()
    retention.erase_old_bodies(clock=gateways.clock(), kept=timedelta(days=conf.settings().retention_days))
    sweeping.drop_old_drafts(clock=gateways.clock())
    expire_waiting_batches(clock=gateways.clock())
    return reports


def _sweep(alias: str) -> SweepReport | None:
    try:
        context = context_of(alias)
    except ImproperlyConfigured as error:
        # The rows keep the instants at which they are due, and the other gateways are swept.
        logger.error("gateway %s is not swept: %s", alias, error)
        return None
    report = sweeping.sweep(context=context)
    sweeping.run_periodic_tasks(context=context)
    return report


@sensitive_variables()
def deliver_events() -> int:
    """Deliver pending events to the shop's receivers; return how many were accepted."""
    check_outside_transaction("payments.maintenance.deliver_events")
    return outbox.deliver_due(clock=gateways.clock())


@sensitive_variables()
def stop_sending(gateway: str, *, by: By, reason: str, until: datetime | None = None) -> GatewayPause:
    """Stop all new requests to a gateway; status queries continue.

    Sending resumes by itself at `until`, an aware datetime; without it, when a person resumes sending. A stop
    that lasts at least as long stays as it is. Raises `InvalidInput` without an author or a reason, and for
    an end that is not in the future or more than a year away.
    """
    if until is not None:
        check_type("until", until, datetime)
    return emergency_stop.stop_sending(context=_stoppable(gateway), by=by, reason=reason, until=until)


@sensitive_variables()
def resume_sending(gateway: str, *, by: By, reason: str) -> GatewayPause:
    """Allow new requests again after `stop_sending`; raises `InvalidState` if sending was not stopped."""
    return emergency_stop.resume_sending(context=_stoppable(gateway), by=by, reason=reason)


def _stoppable(alias: str) -> Stoppable:
    """Return what a stop needs; an account that is wrong now may be right in a moment, so it is stopped."""
    if alias in conf.wrong_accounts():
        return UnusableGateway(alias=alias, clock=gateways.clock())
    return context_of(alias)


@sensitive_variables()
def sending_pauses() -> tuple[SendingPause, ...]:
    """Return the gateways to which nothing new is sent, until when, and who or what decided this."""
    return pauses.sending_pauses(gateways.clock().now())


@sensitive_variables()
def expiring_authorizations(limit: int = 100) -> tuple[ExpiringAuthorization, ...]:
    """Return the authorizations that expire soon, the most urgent first."""
    configured = conf.settings().gateways
    windows = {alias: given.policy.capture_window for alias, given in configured.items()}
    return authorizations.expiring_authorizations(windows, now=gateways.clock().now(), limit=limit)


@sensitive_variables()
def orders_of(*, references: Collection[str] = (), email: str = "") -> tuple[PaymentOrder, ...]:
    """Return the orders with these references, and those of an e-mail address, which reads all orders.

    The address may be the one that the shop gave or the one that a wallet gave, in any letter case.
    """
    check_list("references", references, str)
    return search.orders_of(references=references, email=email)


@sensitive_variables()
def erase_customer(order: PaymentOrder, *, by: By, reason: str) -> PaymentOrder:
    """Erase the customer's personal data from an order; its amounts remain. Raises `InvalidState`."""
    check_outside_transaction("payments.maintenance.erase_customer")
    check_order(order)
    return retention.erase_customer(order, by=by, reason=reason, clock=gateways.clock())


@sensitive_variables()
def support_bundle(order: PaymentOrder) -> bytes:
    """Return one order's full history as a zip without personal data."""
    check_order(order)
    return support_bundles.support_bundle(order)


@sensitive_variables()
def health() -> Health:
    """Return the state of payments as ages and numbers for a monitor, without personal data."""
    return health_queries.health(gateways.clock().now(), gateway_aliases(), wrong_accounts())


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A comparison of the shop's records with one gateway's; it runs while `rows` is read."""

    total: int
    """The number of transactions to compare."""
    rows: Iterator[ComparedTransaction]


@sensitive_variables()
def comparison(gateway: str, *, days: int, repair_as: str = "", resume: bool = False) -> Comparison:
    """Compare the transactions of one gateway that were created or changed in the last `days`.

    `repair_as` is the person in whose name differences are recorded; empty to change nothing. `resume`
    continues an interrupted comparison. Reading the rows raises `GatewayUnreachable` when the gateway stops
    answering.
    """
    check_outside_transaction("payments.maintenance.comparison")
    check_type("days", days, int)
    context, touched = context_of(gateway), timedelta(days=days)
    after = ledger_comparison.position(context=context) if resume else 0
    rows = ledger_comparison.compare_all(context=context, touched=touched, after=after, repair_as=repair_as)
    return Comparison(
        total=ledger_comparison.comparable(context=context, touched=touched).filter(pk__gt=after).count(),
        rows=rows,
    )


# The records of an earlier provider


@sensitive_variables()
def import_migration_file(
    lines: Iterable[str | bytes], *, gateway: str = "default", keep_good: bool = False, dry_run: bool = False
) -> ImportReport:
    """Store the deposits of a migration file, opened as binary; report bad rows by line and reason."""
    check_outside_transaction("payments.maintenance.import_migration_file")
    _check_lines(lines)
    return migration_file.import_migration_file(
        lines, gateway=gateway, clock=gateways.clock(), keep_good=keep_good, dry_run=dry_run
    )


@sensitive_variables()
def import_in_steps(
    lines: Iterable[str | bytes], *, gateway: str = "default", keep_good: bool = False, dry_run: bool = False
) -> Generator[ImportStep, None, ImportReport]:
    """Import as `import_migration_file` does, and yield the progress after each batch of rows.

    Each batch is committed separately. An interrupted import is completed with `keep_good`: the rows that it
    has stored are reported as known.
    """
    check_outside_transaction("payments.maintenance.import_in_steps")
    _check_lines(lines)
    return migration_file.import_in_steps(
        lines, gateway=gateway, clock=gateways.clock(), keep_good=keep_good, dry_run=dry_run
    )


def _check_lines(lines: object) -> None:
    if isinstance(lines, str | bytes) or not isinstance(lines, Iterable):
        raise wrong_type("lines", lines, 'the lines of a file, such as `open(path, "rb")`')


@sensitive_variables()
def export_migration_file(*, gateway: str = "default") -> Iterator[str]:
    """Return the known deposits of a gateway as the lines of a migration file."""
    return migration_file.export_migration_file(gateway=gateway)
