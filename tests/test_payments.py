"""The one import of a shop's own code: which names it has, and each verb once through the wired door."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from wallet_gateway import payments, signals
from wallet_gateway.domain.lifecycle import IntentState, OrderState
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db

NAMES = {
    "AnotherRequestWaits",
    "Approval",
    "Asked",
    "AwaitingApproval",
    "BadAmount",
    "BillingAddress",
    "CheckoutInProgress",
    "CheckoutPaused",
    "CheckoutRefused",
    "CheckoutUnavailable",
    "Decision",
    "Discount",
    "GatewayUnreachable",
    "ImportReport",
    "InvalidOrder",
    "Item",
    "KeyConflict",
    "Money",
    "OperationError",
    "OperationOutstanding",
    "OperationRefused",
    "OrderConflict",
    "OrderNotPayable",
    "OrderSummary",
    "SendingPause",
    "SendingStopped",
    "Shipping",
    "ShippingAddress",
    "SweepReport",
    "TimelineEntry",
    "UnableToApprove",
    "UnableToCapture",
    "UnableToRefund",
    "UnableToRefundMigrated",
    "UnableToResolve",
    "UnableToReverse",
    "UnableToSendAgain",
    "UnableToStop",
    "approvals_waiting",
    "approve",
    "ask_gateway",
    "attempt_for",
    "capture",
    "close_discrepancy",
    "create_order",
    "decline",
    "deliver_facts",
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
    "InvalidWalletResult",
    "Rotation",
    "SheetDiscount",
    "SheetFault",
    "SheetPrice",
    "SheetPricing",
    "SheetQuestion",
    "ShippingOption",
    "TooManyWalletResults",
    "UnknownWalletReference",
    "WalletCardRefused",
    "WalletEvent",
    "WalletOutcome",
    "WalletPolicy",
    "WalletReceipt",
    "WalletPriceChanged",
    "WalletSession",
    "WalletTryAgain",
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


def paid(sandbox: SandboxControl, reference: str = "SHOP-1", type: str = "sale") -> PaymentOrder:  # noqa: A002
    order = payments.create_order(reference=reference, currency="EUR", amount=Decimal("20.00"), type=type)
    attempt = payments.start_checkout(order)
    sandbox.complete_checkout(attempt.reference, "success")
    return payments.reconcile(payments.attempt_for(attempt.reference))


def test_an_order_is_found_by_the_shops_reference_and_by_its_token(wallet_sandbox: SandboxControl) -> None:
    order = payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal("20.00"))

    assert payments.get_order("SHOP-1") == order
    assert payments.get_order_by_token(order.token) == order
    with pytest.raises(PaymentOrder.DoesNotExist):
        payments.get_order("shop-1")


def test_an_order_for_a_gateway_that_is_not_configured_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="second"):
        payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal("20.00"), gateway="second")


def test_reconcile_takes_an_order_as_well_as_an_attempt(wallet_sandbox: SandboxControl) -> None:
    order = payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal("20.00"))
    wallet_sandbox.complete_checkout(payments.start_checkout(order).reference, "success")

    assert payments.reconcile(order).state == OrderState.PAID


def test_money_is_captured_refunded_and_reversed(wallet_sandbox: SandboxControl) -> None:
    order = paid(wallet_sandbox, type="preauthorization")
    assert payments.capture(order, Decimal("5.00"), key="c1").state == IntentState.APPROVED
    assert payments.capture(order, Decimal("5.00"), key="c1") == payments.capture(order, key="c1")
    assert payments.refund(order, payments.Money.parse("5.00", "EUR")).state == IntentState.APPROVED

    other = paid(wallet_sandbox, "SHOP-2", type="preauthorization")
    assert payments.reverse(other, author="grace").author == "grace"
    other.refresh_from_db()
    assert other.state == OrderState.REVERSED


def test_an_order_without_money_has_nothing_to_operate_on(wallet_sandbox: SandboxControl) -> None:
    order = payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal("20.00"))

    with pytest.raises(payments.UnableToCapture):
        payments.capture(order)
    with pytest.raises(payments.UnableToRefund):
        payments.refund(order)
    with pytest.raises(payments.UnableToReverse):
        payments.reverse(order)


FILE = [
    "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\n",
    "OLD-1,2026-01-02T03:04:05,30.00,EUR,0.00,P-1\n",
]


def test_an_older_payment_is_imported_refunded_and_exported(wallet_sandbox: SandboxControl) -> None:
    wallet_sandbox.migration_file("".join(FILE))
    assert payments.import_migration_file(FILE).accepted == 1

    refund = payments.refund_migrated("OLD-1", Decimal("12.50"), "EUR")

    assert refund.state == IntentState.APPROVED
    assert "OLD-1" in "".join(payments.export_migration_file())
    assert "12.50" in "".join(payments.export_migration_file())


def test_a_decision_without_need_is_refused(wallet_sandbox: SandboxControl) -> None:
    order = paid(wallet_sandbox)
    intent = order.payments.get().opening

    with pytest.raises(payments.UnableToResolve):
        payments.resolve(intent, decision="DID_NOT_HAPPEN", reason="a guess", author="grace")


def test_a_sweep_covers_every_gateway(wallet_sandbox: SandboxControl, settings: Settings) -> None:
    gateways = settings.WALLET_GATEWAY["GATEWAYS"]
    settings.WALLET_GATEWAY = {
        **settings.WALLET_GATEWAY,
        "GATEWAYS": {**gateways, "second": gateways["default"]},
    }

    assert [report.gateway for report in payments.sweep()] == ["default", "second"]
    assert payments.reconcile_due(gateway="second") == 0
    assert payments.deliver_facts() == 0


def test_a_payment_of_another_order_is_not_operated_on(wallet_sandbox: SandboxControl) -> None:
    mine, other = paid(wallet_sandbox, "SHOP-1"), paid(wallet_sandbox, "SHOP-2")
    foreign = other.payments.get()

    for verb, refusal in (
        (payments.capture, payments.UnableToCapture),
        (payments.refund, payments.UnableToRefund),
        (payments.reverse, payments.UnableToReverse),
    ):
        with pytest.raises(refusal, match="is not one of order SHOP-1"):
            verb(mine, payment=foreign)
    assert payments.refund(other, payment=foreign).state == IntentState.APPROVED


def test_a_payment_that_was_reversed_is_passed_over(wallet_sandbox: SandboxControl) -> None:
    order = paid(wallet_sandbox, type="preauthorization")
    payments.reverse(order)
    order.refresh_from_db()
    again = payments.start_checkout(order)
    wallet_sandbox.complete_checkout(again.reference, "success")
    payments.reconcile(again)

    assert payments.capture(order).payment == again
    assert payments.refund(order).payment == again


def test_of_two_payments_the_shop_says_which_one_it_means(wallet_sandbox: SandboxControl) -> None:
    order = paid(wallet_sandbox)
    second = order.payments.get()
    second.pk, second.number, second.reference = None, 2, "SECOND"
    second.captured = 0
    second.save(force_insert=True)

    with pytest.raises(payments.UnableToRefund, match="has 2 payments; say which one is meant"):
        payments.refund(order)
    assert payments.refund(order, payment=order.payments.get(number=1)).state == IntentState.APPROVED


def test_verbs_refuse_to_run_inside_somebody_elses_transaction(
    wallet_sandbox: SandboxControl, transactional_db: None
) -> None:
    order = paid(wallet_sandbox)
    before = len(wallet_sandbox.journal())

    with transaction.atomic(), pytest.raises(RuntimeError):
        payments.refund(order)
    assert len(wallet_sandbox.journal()) == before


def statements(captured: CaptureQueriesContext) -> list[str]:
    quiet = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK")
    return [q["sql"] for q in captured.captured_queries if not q["sql"].upper().startswith(quiet)]


def test_finding_an_attempt_paid_takes_eight_statements_the_signal_among_them(
    wallet_sandbox: SandboxControl,
) -> None:
    order = payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal("20.00"))
    attempt = payments.start_checkout(order)
    wallet_sandbox.complete_checkout(attempt.reference, "success")
    told: list[object] = []

    def hear(**given: object) -> None:
        told.append(given["reference"])

    signals.order_paid.connect(hear)
    try:
        with CaptureQueriesContext(connection) as captured:
            assert payments.reconcile(attempt).state == OrderState.PAID
    finally:
        signals.order_paid.disconnect(hear)

    assert told == ["SHOP-1"]
    assert len(statements(captured)) <= 8, statements(captured)


def test_looking_at_a_settled_attempt_takes_two_statements(wallet_sandbox: SandboxControl) -> None:
    attempt = paid(wallet_sandbox).payments.select_related("order").get()

    with CaptureQueriesContext(connection) as captured:
        payments.reconcile(attempt)
    assert len(statements(captured)) <= 2, statements(captured)
