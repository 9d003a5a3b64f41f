"""Which names the one import of a shop's own code has, each explained."""

from __future__ import annotations

from wallet_gateway import payments

NAMES = {
    "Approval",
    "Asked",
    "AwaitingApproval",
    "BillingAddress",
    "SendingStopped",
    "OperationError",
    "Decision",
    "Discount",
    "GatewayUnreachable",
    "ImportReport",
    "Item",
    "Money",
    "OperationOutstanding",
    "OperationRefused",
    "OrderNotPayable",
    "OrderSummary",
    "SendingPause",
    "Shipping",
    "ShippingAddress",
    "SweepReport",
    "TimelineEntry",
    "approvals_waiting",
    "approve",
    "ask_gateway",
    "attempt_for",
    "capture",
    "close_discrepancy",
    "create_order",
    "decline",
    "deliver_events",
    "errors",
    "export_migration_file",
    "get_order",
    "get_order_by_token",
    "import_migration_file",
    "order_summary",
    "order_timeline",
    "reconcile",
    "reconcile_due",
    "refund",
    "refund_migrated",
    "resolve",
    "resume_sending",
    "reverse",
    "send_again",
    "sending_pauses",
    "start_checkout",
    "stop_sending",
    "sweep",
    "AuthenticationQuestion",
    "Rotation",
    "SheetDiscount",
    "SheetFault",
    "SheetPrice",
    "SheetPricing",
    "SheetQuestion",
    "ShippingOption",
    "WalletEvent",
    "WalletOutcome",
    "WalletPolicy",
    "WalletReceipt",
    "WalletSession",
    "WalletUnavailable",
    "next_wallet_reference",
    "note_wallet_event",
    "open_wallet_session",
    "pay_with_wallet",
    "price_wallet_sheet",
    "rotate_wallet_keys",
    "wallet_outcome",
    "wallet_receipt",
}


def test_the_public_names_are_these_and_all_are_there() -> None:
    assert set(payments.__all__) == NAMES
    assert all(hasattr(payments, name) for name in NAMES)


def test_every_verb_says_what_it_does() -> None:
    assert all(getattr(payments, name).__doc__ for name in NAMES)
