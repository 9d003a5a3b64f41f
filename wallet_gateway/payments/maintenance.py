"""Background work, and what operators do about a gateway as a whole or about the records of an earlier one.

Mainly for management commands, the admin and the integrations; few shops need it in their own code.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from wallet_gateway import conf, gateways
from wallet_gateway.domain.actors import By
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of
from wallet_gateway.ledger import outbox
from wallet_gateway.ledger.transactions import check_outside_transaction
from wallet_gateway.models import GatewayPause, MigratedDeposit, PaymentOrder
from wallet_gateway.operations.checkout.orders import check_unambiguous
from wallet_gateway.operations.inputs import check_row
from wallet_gateway.operations.maintenance import forgotten_tests as tests
from wallet_gateway.operations.maintenance import ledger_comparison, retention
from wallet_gateway.operations.maintenance import sweep as sweeping
from wallet_gateway.operations.maintenance.forgotten_tests import ForgottenTests
from wallet_gateway.operations.maintenance.ledger_comparison import ComparedTransaction, Comparison
from wallet_gateway.operations.maintenance.sweep import SweepReport
from wallet_gateway.operations.migration import import_export as migration_file
from wallet_gateway.operations.migration.import_export import MAX_REPORTED, ImportReport, ImportStep
from wallet_gateway.operations.polling import due, reconciliation
from wallet_gateway.operations.polling.reconciliation import QueryReport
from wallet_gateway.operations.sending import emergency_stop
from wallet_gateway.operations.sending.emergency_stop import Stoppable, UnusableGateway
from wallet_gateway.payments import batches
from wallet_gateway.reports import health as health_reports
from wallet_gateway.reports import search, work
from wallet_gateway.reports import support_bundle as support_bundles
from wallet_gateway.reports.health import Health
from wallet_gateway.reports.work import ExpiringAuthorization, SendingPause

logger = logging.getLogger("wallet_gateway.sweep")

__all__ = [
    "MAX_REPORTED",
    "ComparedTransaction",
    "Comparison",
    "ForgottenTests",
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
    "forget_tests",
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
    """Return the aliases of the gateways that can be used now.

    :returns: as in the settings: `("default",)`.
    """
    return tuple(conf.settings().gateways)


@sensitive_variables()
def wrong_accounts() -> Mapping[str, str]:
    """Return what is wrong with each account outside the settings that cannot be used.

    :returns: sentences by alias, without secrets; under an empty alias why no account can be read.
    """
    return conf.wrong_accounts()


@sensitive_variables()
def check_account(alias: str, account: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what would be wrong with an account outside the settings, such as in the clean() of a form.

    :param alias: its alias: `"brand-2"`.
    :param account: what a dict of `GATEWAYS` would hold: `{"BASE_URL": "live", "MERCHANT_ID": ...}`.
    :returns: a text for each wrong field with what is expected, without secrets; empty if it can be used.
    :raises ImproperlyConfigured: where `GATEWAYS` is a dict.
    """
    return tuple(map(str, conf.check_account(alias, account)))


@sensitive_variables()
def forget_accounts() -> None:
    """Let this process read accounts outside the settings again at their next use, if they have changed.

    Without it a process sees a change within five seconds.
    """
    conf.forget_accounts()


@sensitive_variables()
def reconcile_due(*, gateway: str = "default", limit: int = 500) -> int:
    """Query the status of the transactions of one gateway that are due, as the sweep does.

    :param gateway: its alias in the settings.
    :param limit: how many at most: `500`.
    :returns: how many were queried.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    :raises ImproperlyConfigured: for a gateway that is not in the settings.
    """
    check_outside_transaction("payments.maintenance.reconcile_due")
    return due.reconcile_due(context=context_of(gateway), limit=limit)


@sensitive_variables()
def query_status(subject: PaymentOrder | MigratedDeposit) -> QueryReport:
    """Query every transaction of an order or a migrated deposit now; nothing that moves money is sent.

    :param subject: a `PaymentOrder` or a `MigratedDeposit`.
    :returns: how many queries, how many without an answer, and what has changed.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.maintenance.query_status")
    return reconciliation.query_all(subject, context=context_of(subject.gateway))


@sensitive_variables()
def sweep() -> tuple[SweepReport, ...]:
    """Do the background work of every gateway once: recovery, expiry, unsent requests, the outbox.

    Running batches are executed for at most `BATCH_SECONDS`; the next sweep continues.

    :returns: a report for each gateway that can be used.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
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
    """Deliver pending events to the shop's receivers.

    :returns: how many were accepted; a receiver that raises is called again later.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.maintenance.deliver_events")
    return outbox.deliver_due(clock=gateways.clock())


@sensitive_variables()
def stop_sending(gateway: str, *, by: By, reason: str, until: datetime | None = None) -> GatewayPause:
    """Stop all new requests to a gateway; status queries continue.

    A stop that lasts at least as long stays as it is.

    :param gateway: its alias in the settings: `"default"`.
    :param by: the person: a user such as `request.user`, an `Actor`, or a name.
    :param reason: why, not empty: `"the provider has an outage"`.
    :param until: an aware datetime within a year; None until a person calls `resume_sending`.
    :returns: the row of the stop.
    :raises InvalidInput: `argument_invalid`.
    :raises ImproperlyConfigured: for a gateway that is not in the settings.
    """
    return emergency_stop.stop_sending(context=_stoppable(gateway), by=by, reason=reason, until=until)


@sensitive_variables()
def resume_sending(gateway: str, *, by: By, reason: str) -> GatewayPause:
    """Allow new requests again after `stop_sending`.

    :param gateway: its alias in the settings: `"default"`.
    :param by: the person: a user such as `request.user`, an `Actor`, or a name.
    :param reason: why, not empty.
    :returns: the row of the stop that has ended.
    :raises InvalidState: `wrong_state`.
    :raises InvalidInput: `argument_invalid`.
    :raises ImproperlyConfigured: for a gateway that is not in the settings.
    """
    return emergency_stop.resume_sending(context=_stoppable(gateway), by=by, reason=reason)


def _stoppable(alias: str) -> Stoppable:
    """Return what a stop needs; an account that is wrong now may be right in a moment, so it is stopped."""
    if alias in conf.wrong_accounts():
        return UnusableGateway(alias=alias, clock=gateways.clock())
    return context_of(alias)


@sensitive_variables()
def sending_pauses() -> tuple[SendingPause, ...]:
    """Return the gateways to which nothing new is sent.

    :returns: for each its alias, until when, and who or what decided this.
    """
    return work.sending_pauses(gateways.clock().now())


@sensitive_variables()
def expiring_authorizations(limit: int = 100) -> tuple[ExpiringAuthorization, ...]:
    """Return the authorizations that expire soon, by `CAPTURE["DAYS"]` of their gateway.

    :param limit: how many at most: `100`.
    :returns: payment, amount left and end of each, the most urgent first.
    """
    configured = conf.settings().gateways
    windows = {alias: given.policy.capture_window for alias, given in configured.items()}
    return work.expiring_authorizations(
        windows, now=gateways.clock().now(), limit=limit, live=gateways.live_aliases()
    )


@sensitive_variables()
def orders_of(
    *, references: Collection[str] = (), email: str = "", gateway: str | None = None
) -> tuple[PaymentOrder, ...]:
    """Return the orders with these references, and those of an e-mail address.

    The address may be the one that the shop gave or the one that a wallet gave.

    :param references: the shop's references, as texts: `["ORDER-1001"]`.
    :param email: an address, in any letter case; empty for none.
    :param gateway: alias of the gateway whose orders alone are returned: `"default"`; None for all.
    :returns: the orders that are there, in the order of their creation.
    :raises InvalidInput: `ambiguous_reference` for one that without `gateway` does not say which order is
        meant, as in `payments.get_order`.
    """
    _check_several("references", references)
    if gateway is None:
        _check_unambiguous(references)
    return search.orders_of(references=references, email=email, gateway=gateway)


def _check_unambiguous(references: Collection[str]) -> None:
    known = search.orders_of(references=references) if references else ()
    for reference in dict.fromkeys(references):
        if same := [order for order in known if order.reference == reference]:
            check_unambiguous(same)


@sensitive_variables()
def erase_customer(order: PaymentOrder, *, by: By, reason: str) -> PaymentOrder:
    """Erase the customer's personal data from an order; amounts, states and references remain.

    :param order: one whose transactions have all ended.
    :param by: the person: a user such as `request.user`, an `Actor`, or a name.
    :param reason: why, not empty: `"request of the customer"`.
    :returns: the order without the data.
    :raises InvalidState: `too_early`.
    :raises InvalidInput: `argument_invalid`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.maintenance.erase_customer")
    check_row(order, PaymentOrder)
    return retention.erase_customer(order, by=by, reason=reason, clock=gateways.clock())


@sensitive_variables()
def forget_tests(*, gateway: str | None = None, dry_run: bool = False) -> ForgottenTests:
    """Delete the orders of which every payment is marked as a test: the only deletion of money rows.

    An order without a payment, or with one that is live or of unknown mode, is never deleted. A hash of each
    reference is kept, so that an operation in the provider's portal is still known as ours.

    :param gateway: alias of the gateway whose orders alone are deleted: `"default"`; None for all.
    :param dry_run: count them only.
    :returns: how many orders were deleted, and how many were kept: with an attempt or operation that has not
        ended, or that a row of the shop refers to.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.maintenance.forget_tests")
    return tests.forget_tests(gateway, dry_run=dry_run)


@sensitive_variables()
def support_bundle(order: PaymentOrder) -> bytes:
    """Return one order's full history without personal data, to be sent to somebody who helps.

    :param order: any order.
    :returns: the bytes of a zip file.
    """
    return support_bundles.support_bundle(order)


@sensitive_variables()
def health() -> Health:
    """Return the state of payments as ages and numbers for a monitor, without personal data.

    :returns: the numbers, and as `problems` what a person should look at.
    """
    return health_reports.health(
        gateways.clock().now(), gateway_aliases(), wrong_accounts(), gateways.live_aliases()
    )


@sensitive_variables()
def comparison(
    gateway: str, *, days: int, repair_as: str = "", resume: bool = False, unsent: bool = False
) -> Comparison:
    """Compare the transactions of one gateway that were created or changed lately with its records.

    It keeps to the gateway's `QUERIES["RATE"]` and runs while the rows are read. Reading them raises
    `GatewayUnreachable` when the gateway stops answering; `resume` continues there.

    :param gateway: its alias in the settings: `"default"`.
    :param days: how far back, a whole number: `30`.
    :param repair_as: the person in whose name differences are recorded; empty to change nothing.
    :param resume: continue an interrupted comparison.
    :param unsent: include what was not sent as far as these records say: after a restored backup the gateway
        may know more of it.
    :returns: the number of transactions, and the rows to read.
    :raises GatewayUnreachable: `gateway_silent`, while the rows are read.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    :raises ImproperlyConfigured: for a gateway that is not in the settings.
    """
    check_outside_transaction("payments.maintenance.comparison")
    context, touched = context_of(gateway), timedelta(days=days)
    after = ledger_comparison.position(context=context) if resume else 0
    rows = ledger_comparison.compare_all(
        context=context, touched=touched, after=after, repair_as=repair_as, unsent=unsent
    )
    compared = ledger_comparison.comparable(context=context, touched=touched, unsent=unsent)
    return Comparison(
        total=compared.filter(pk__gt=after).count(),
        rows=rows,
    )


# The records of an earlier provider


@sensitive_variables()
def import_migration_file(
    lines: Iterable[str | bytes], *, gateway: str = "default", keep_good: bool = False, dry_run: bool = False
) -> ImportReport:
    """Store the deposits of a migration file; with a bad row nothing is stored, unless `keep_good`.

    :param lines: the lines of the file, such as `open(path, "rb")`.
    :param gateway: alias of the gateway through which they are refunded.
    :param keep_good: store the good rows of a file with bad ones.
    :param dry_run: check the file and store nothing.
    :returns: how many rows are good, and the bad ones by line and reason.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.maintenance.import_migration_file")
    _check_several("lines", lines)
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

    :param lines: the lines of the file, such as `open(path, "rb")`.
    :param gateway: alias of the gateway through which they are refunded.
    :param keep_good: store the good rows of a file with bad ones.
    :param dry_run: check the file and store nothing.
    :returns: a generator of steps, whose value at the end is the report.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.maintenance.import_in_steps")
    _check_several("lines", lines)
    return migration_file.import_in_steps(
        lines, gateway=gateway, clock=gateways.clock(), keep_good=keep_good, dry_run=dry_run
    )


def _check_several(name: str, texts: Iterable[str | bytes]) -> None:
    """Raise `TypeError` for one text in place of several: the types take it for its characters."""
    if isinstance(texts, str | bytes):
        raise TypeError(f"{name} must be several texts, such as a list of them, not one")


@sensitive_variables()
def export_migration_file(*, gateway: str = "default") -> Iterator[str]:
    """Return the known deposits of a gateway as the lines of a migration file.

    :param gateway: its alias: `"default"`.
    :returns: the lines with their line ends, for `file.writelines`; rows are read while it runs.
    """
    return migration_file.export_migration_file(gateway=gateway, is_live=not gateways.is_test(gateway))
