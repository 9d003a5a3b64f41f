"""Which modules move money, and which tests are about each of them: those first that say the rule itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

NEAR: Final = ("-m", "not browser and not slow and not exhaustive")
"""Options for pytest: with a browser or many processes a test says nothing that a nearer one does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Modules that are tested together, and the share of their faults that tests have to notice."""

    name: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]
    share: float = 0.9


def _of(name: str, modules: str, tests: str, *, share: float = 0.9) -> Subject:
    return Subject(
        name=name,
        modules=tuple(f"wallet_gateway.{module}" for module in modules.split()),
        tests=tuple(f"tests/{test}" for test in tests.split()),
        share=share,
    )


SUBJECTS: Final = (
    _of(
        "outcomes",
        "domain.evidence",
        "domain/test_outcomes.py domain/test_status_records.py domain/test_record_attribution.py"
        " domain/test_elsewhere.py domain/test_gateway_records.py"
        " money/test_bookings.py money/test_judged_one_by_one.py money/test_it_did_happen.py"
        " money/test_second_executions.py money/test_unit_mix_ups.py money/test_words_of_states.py"
        " money/test_made_elsewhere.py money/polling/test_unreadable.py money/polling/test_pages.py",
        share=1,
    ),
    _of(
        "states",
        "domain.states",
        "domain/test_limits.py domain/test_lifecycle.py domain/test_totals.py"
        " models/test_constraints.py models/test_orders.py money/follow_ups money/test_bookings.py"
        " money/test_conflicts.py money/test_late_payments.py",
        share=1,
    ),
    _of(
        "money",
        "protocol.money formats",
        "protocol/test_money.py test_formats.py protocol/test_follow_ups.py protocol/test_migration_file.py"
        " protocol/test_status.py",
    ),
    _of(
        "schedule",
        "domain.polling_schedule",
        "domain/test_polling_schedule.py domain/test_cancellation.py money/polling/test_pages.py"
        " money/polling/test_repeated.py money/polling/test_pending.py",
    ),
    _of(
        "apply",
        "ledger.apply",
        "money/test_bookings.py money/test_conflicts.py money/test_late_payments.py money/test_outbox.py"
        " money/test_judged_one_by_one.py money/polling/test_pages.py money/test_other_amounts.py"
        " money/test_made_elsewhere.py",
    ),
    _of("transactions", "ledger.transactions", "money/test_conflicts.py money/checkout"),
    _of(
        "follow_ups",
        "payments.follow_ups payments.execution payments.detached_refunds",
        "money/follow_ups/test_amounts.py money/follow_ups/test_sent_once.py"
        " money/follow_ups/test_detached_refunds.py money/follow_ups/test_second_person.py"
        " money/follow_ups/test_refused_afterwards.py money/checkout/test_inputs.py"
        " money/approvals/test_day_limits.py",
    ),
    _of(
        "sending",
        "payments.sending",
        "money/sending money/follow_ups/test_sent_once.py money/follow_ups/test_detached_refunds.py"
        " money/follow_ups/test_refused_afterwards.py",
    ),
    _of(
        "approvals",
        "domain.policy payments.second_person payments.approvals",
        "money/approvals money/test_made_elsewhere.py money/follow_ups/test_second_person.py"
        " money/test_other_amounts.py money/test_it_did_happen.py",
    ),
    _of("tokens", "return_tokens access_tokens", "test_tokens.py"),
    _of(
        "encryption",
        "encryption",
        "money/wallet/test_stored_secrets.py money/wallet/test_leaks.py payments/test_errors.py",
    ),
    _of(
        "messages",
        "protocol.status protocol.follow_ups protocol.checkout protocol.cart"
        " protocol.authorizations protocol.wire protocol.field_types protocol.codes"
        " protocol.migration_file protocol.strict_json protocol.accounts",
        "protocol",
    ),
    _of(
        "secrets",
        "client.redaction protocol.card_numbers protocol.cryptograms protocol.secret_names error_reports",
        "client/test_redaction.py test_error_reports.py protocol/test_card_numbers.py"
        " protocol/test_cryptograms.py",
    ),
    _of(
        "client",
        "client.gateway client.transport client.connection client.errors",
        "client",
    ),
    _of(
        "checkout",
        "payments.order_creation payments.checkout domain.orders",
        "money/checkout payments/test_prices.py domain/test_references.py domain/test_continue_url.py",
    ),
    _of(
        "polling",
        "payments.polling payments.reconciliation payments.status",
        "money/polling money/any_gateway money/test_made_elsewhere.py",
    ),
    _of(
        "wallet",
        "payments.wallet_card payments.wallet_result payments.wallet_session payments.wallet_limits"
        " payments.wallet_pricing wallet_keys domain.cards",
        "money/wallet domain/test_card_security.py domain/test_wallet_outcomes.py",
    ),
    _of(
        "outbox",
        "ledger.outbox ledger.repair ledger.discrepancies payments.cancellation",
        "money money/polling/test_repeated.py",
    ),
    _of(
        "batches",
        "payments.batches payments.sweeper payments.comparison payments.migration",
        "money/batches money/maintenance money/migration",
    ),
    _of(
        "settings",
        "conf.accounts conf.fields conf.model",
        "conf",
    ),
    _of(
        "doors",
        "api.base api.inputs api.problems api.views web.security web.views",
        "api web",
    ),
    _of(
        "questions",
        "reports.orders reports.exports reports.health reports.receipts reports.work reports.search"
        " reports.statistics",
        "reports",
    ),
)
