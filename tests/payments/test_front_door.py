"""Which names the public API has, each explained; a change here is a change for every shop."""

from __future__ import annotations

import inspect

import pytest

from wallet_gateway import payments

VERBS = {
    "create_order",
    "cancel",
    "gateway_records",
    "get_order",
    "start_checkout",
    "reconcile",
    "capture",
    "refund",
    "reverse",
    "refund_migrated",
    "order_summary",
    "sweep",
}
VALUES = {"Actor", "BillingAddress", "Discount", "Item", "Money", "Shipping", "ShippingAddress"}
MODULES = {
    "orders": {
        "GatewayRecord",
        "OrderSummary",
        "Payer",
        "Receipt",
        "ReceiptAmount",
        "ReceiptLine",
        "RecordedAddress",
        "TimelineEntry",
        "TransactionRecords",
        "UnreadableRecord",
        "access_token",
        "attempt_for",
        "customer_data",
        "get_order_by_token",
        "order_timeline",
        "receipt",
        "reconcile_attempt",
    },
    "prices": {"PriceLine", "items_from"},
    "follow_ups": {
        "RefundLimit",
        "give_up_unsent",
        "mark_refusal_seen",
        "preview",
        "send_again",
        "shown_body",
    },
    "wallet": {
        "abandon",
        "AuthenticationQuestion",
        "KeySurvey",
        "KeyUse",
        "Rotation",
        "SheetDiscount",
        "SheetFault",
        "SheetPrice",
        "SheetPricing",
        "SheetQuestion",
        "ShippingOption",
        "WalletEvent",
        "WalletLimit",
        "WalletLimits",
        "WalletOutcome",
        "WalletPolicy",
        "WalletReceipt",
        "WalletSession",
        "check_open",
        "next_reference",
        "record_event",
        "open_session",
        "outcome",
        "pay",
        "price_sheet",
        "raise_limits",
        "receipt",
        "rotate_keys",
        "survey_keys",
    },
    "approvals": {
        "Approval",
        "Decision",
        "approve",
        "book_discrepancy",
        "close_discrepancy",
        "decline",
        "resolve",
        "waiting",
    },
    "maintenance": {
        "ComparedTransaction",
        "Comparison",
        "ForgottenTests",
        "ImportReport",
        "ImportStep",
        "MAX_REPORTED",
        "QueryReport",
        "SendingPause",
        "SweepReport",
        "check_account",
        "comparison",
        "deliver_events",
        "expiring_authorizations",
        "erase_customer",
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
        "wrong_accounts",
    },
}


def test_the_top_has_what_every_shop_needs_and_a_module_for_each_subject() -> None:
    assert set(payments.__all__) == VERBS | VALUES | MODULES.keys() | {"batches", "errors"}


@pytest.mark.parametrize("name", MODULES)
def test_a_module_has_these_names_beside_those_at_the_top(name: str) -> None:
    assert set(getattr(payments, name).__all__) - VERBS == MODULES[name]


@pytest.mark.parametrize("name", ["", *MODULES, "batches", "errors"])
def test_every_public_name_is_there_and_says_what_it_is(name: str) -> None:
    module = getattr(payments, name) if name else payments
    for public in module.__all__:
        assert getattr(module, public).__doc__, public


@pytest.mark.parametrize("name", ["", *MODULES, "batches"])
def test_no_traceback_that_leaves_a_public_function_has_variables(name: str) -> None:
    module = getattr(payments, name) if name else payments
    functions = {public: getattr(module, public) for public in module.__all__}
    functions = {public: given for public, given in functions.items() if inspect.isfunction(given)}
    assert [public for public, given in functions.items() if given.__code__.co_name != "hidden"] == []
