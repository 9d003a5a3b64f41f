"""Which names the public API has, each explained; a change here is a change for every shop."""

from __future__ import annotations

import inspect
from types import ModuleType

from tests.support.tables import every
from wallet_gateway import payments

TOP = """
create_order cancel gateway_records get_order start_checkout reconcile capture refund reverse refund_migrated
order_summary sweep
"""
VALUES = "Actor BillingAddress Discount Item Money Shipping ShippingAddress"
MODULES = {
    "orders": """
        GatewayRecord OrderSummary Payer Receipt ReceiptAmount ReceiptLine RecordedAddress TimelineEntry
        TransactionRecords UnreadableRecord access_token attempt_for customer_data get_order_by_token
        order_timeline receipt reconcile_attempt
    """,
    "prices": "PriceLine items_from",
    "follow_ups": "RefundLimit give_up_unsent mark_refusal_seen preview send_again shown_body",
    "wallet": """
        AuthenticationQuestion KeySurvey KeyUse Rotation SheetDiscount SheetFault SheetPrice SheetPricing
        SheetQuestion ShippingOption WalletEvent WalletLimit WalletLimits WalletOutcome WalletPolicy
        WalletReceipt WalletSession abandon check_open next_reference open_session outcome pay price_sheet
        raise_limits receipt record_event rotate_keys survey_keys
    """,
    "approvals": "Approval Decision approve book_discrepancy close_discrepancy decline resolve waiting",
    "maintenance": """
        ComparedTransaction Comparison ForgottenTests ImportReport ImportStep MAX_REPORTED QueryReport
        SendingPause SweepReport check_account comparison deliver_events erase_customer
        expiring_authorizations export_migration_file forget_accounts forget_tests gateway_aliases health
        import_in_steps import_migration_file orders_of query_status reconcile_due resume_sending
        sending_pauses stop_sending support_bundle wrong_accounts
    """,
    "errors": """
        AwaitingApproval CardRefused ErrorCode GatewayRefused GatewayUnreachable IdempotencyConflict
        InsideTransaction InvalidInput InvalidState OperationError OperationOutstanding OperationRefused
        OrderNotPayable PriceChanged SendingStopped TryAgain WalletUnavailable message_of
    """,
}


def module_of(name: str) -> ModuleType:
    module = getattr(payments, name) if name else payments
    assert isinstance(module, ModuleType)
    return module


def test_the_top_has_what_every_shop_needs_and_a_module_for_each_subject() -> None:
    assert set(payments.__all__) == {*TOP.split(), *VALUES.split(), *MODULES, "batches"}


@every("name", MODULES)
def test_a_module_has_these_names_beside_those_at_the_top(name: str) -> None:
    assert set(module_of(name).__all__) - set(TOP.split()) == set(MODULES[name].split())


@every("name", ["", *MODULES, "batches"])
def test_every_public_name_says_what_it_is_and_its_traceback_has_no_variables(name: str) -> None:
    module = module_of(name)
    for public in module.__all__:
        given = getattr(module, public)
        assert given.__doc__, public
        if inspect.isfunction(given) and name != "errors":
            assert given.__code__.co_name == "hidden", public
