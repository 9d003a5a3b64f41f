"""Background work, and what operators do about a gateway as a whole or about the records of an earlier one.

Mainly for management commands, the admin and the integrations; few shops need it in their own code.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from wallet_gateway import conf, gateways
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of
from wallet_gateway.ledger import outbox
from wallet_gateway.ledger.transactions import check_outside_transaction
from wallet_gateway.models import MigratedDeposit, PaymentOrder
from wallet_gateway.payments import reconciliation
from wallet_gateway.payments.comparison import ComparedTransaction, Comparison, comparison
from wallet_gateway.payments.emergency_stop import resume_sending, stop_sending
from wallet_gateway.payments.inputs import check_several
from wallet_gateway.payments.migration import (
    MAX_REPORTED,
    ImportReport,
    ImportStep,
    export_migration_file,
    import_in_steps,
    import_migration_file,
)
from wallet_gateway.payments.order_creation import check_unambiguous
from wallet_gateway.payments.polling import reconcile_due
from wallet_gateway.payments.reconciliation import QueryReport
from wallet_gateway.payments.retention import ForgottenTests, erase_customer, forget_tests
from wallet_gateway.payments.sweeper import SweepReport, sweep
from wallet_gateway.reports import health as health_reports
from wallet_gateway.reports import search, work
from wallet_gateway.reports.health import Health
from wallet_gateway.reports.support_bundle import support_bundle
from wallet_gateway.reports.work import ExpiringAuthorization, SendingPause

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
def query_status(subject: PaymentOrder | MigratedDeposit) -> QueryReport:
    """Query every transaction of an order or a migrated deposit now; nothing that moves money is sent.

    :param subject: a `PaymentOrder` or a `MigratedDeposit`.
    :returns: how many queries, how many without an answer, and what has changed.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.maintenance.query_status")
    return reconciliation.query_all(subject, context=context_of(subject.gateway))


@sensitive_variables()
def deliver_events() -> int:
    """Deliver pending events to the shop's receivers.

    :returns: how many were accepted; a receiver that raises is called again later.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.maintenance.deliver_events")
    return outbox.deliver_due(clock=gateways.clock())


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
    check_several("references", references)
    if gateway is None and references:
        known = search.orders_of(references=references)
        for reference in dict.fromkeys(references):
            if same := [order for order in known if order.reference == reference]:
                check_unambiguous(same)
    return search.orders_of(references=references, email=email, gateway=gateway)


@sensitive_variables()
def health() -> Health:
    """Return the state of payments as ages and numbers for a monitor, without personal data.

    :returns: the numbers, and as `problems` what a person should look at.
    """
    return health_reports.health(
        gateways.clock().now(), gateway_aliases(), wrong_accounts(), gateways.live_aliases()
    )
