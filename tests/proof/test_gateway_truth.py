"""What the gateway has carried out, beside rows that do not count with it."""

from __future__ import annotations

from decimal import Decimal

import pytest

from proof.gateway_truth import DepositTruth, GatewayTruth, check_sent_once
from wallet_gateway import gateways, payments
from wallet_gateway.models import Discrepancy, GatewayTransaction, MigratedDeposit, Payment, PaymentOrder
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.invariants import BooksDisagree
from wallet_gateway.testing.orders import create_order, pay

pytestmark = pytest.mark.django_db


@pytest.fixture
def order(wallet_sandbox: SandboxControl) -> PaymentOrder:
    """An order of 25.00, of which 5.00 were given back."""
    order = pay(create_order(), control=wallet_sandbox)
    payments.refund(order, amount=Decimal("5.00"))
    order.refresh_from_db()
    return order


def truth(order: PaymentOrder) -> GatewayTruth:
    return GatewayTruth(order, gateways.gateway("default"))


def test_rows_of_what_really_happened_are_allowed_for_and_known(
    order: PaymentOrder, wallet_sandbox: SandboxControl
) -> None:
    truth(order).check_allowed_for()
    truth(order).check_known()
    check_sent_once(wallet_sandbox)


def test_a_refund_that_we_call_rejected_and_that_was_carried_out_is_found(order: PaymentOrder) -> None:
    GatewayTransaction.objects.filter(kind="REFUND").update(state="REJECTED", approved_minor=None)
    with pytest.raises(BooksDisagree, match="what was carried out can be REJECTED here"):
        truth(order).check_allowed_for()


def test_a_refund_that_is_in_our_books_alone_is_found(order: PaymentOrder) -> None:
    GatewayTransaction.objects.filter(kind="REFUND").update(reference="NOBODY-KNOWS-IT")
    with pytest.raises(BooksDisagree, match="what is approved here was carried out there"):
        truth(order).check_allowed_for()


def test_a_counter_that_does_not_count_with_a_refund_is_found(order: PaymentOrder) -> None:
    Payment.objects.update(refunded=0)
    with pytest.raises(BooksDisagree, match="each refund there is counted with here"):
        truth(order).check_allowed_for()
    with pytest.raises(BooksDisagree, match="refunded is what the gateway carried out"):
        truth(order).check_known()


def test_a_refund_in_the_portal_that_nobody_was_told_of_is_found(
    order: PaymentOrder, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.portal(order.payments.get().reference, "ecom.refund", "1.00")
    with pytest.raises(BooksDisagree, match="refunded is what the gateway carried out"):
        truth(order).check_known()


# What the gateway itself has carried out twice


@pytest.fixture
def doubled(order: PaymentOrder, wallet_sandbox: SandboxControl) -> PaymentOrder:
    """The order, with one more refund, which the gateway has carried out twice."""
    wallet_sandbox.behaviour(duplicates="execute")
    wallet_sandbox.fault("refund", "duplicate", times=1)
    payments.refund(order, amount=Decimal("3.00"))
    return order


def tolerant(order: PaymentOrder) -> GatewayTruth:
    return GatewayTruth(order, gateways.gateway("default"), may_double=True)


def test_a_double_is_not_expected_unless_it_is_said_so(doubled: PaymentOrder) -> None:
    with pytest.raises(BooksDisagree, match="carried out once, not 2 times"):
        truth(doubled)


def test_a_double_of_the_gateway_must_be_named(doubled: PaymentOrder) -> None:
    assert len(tolerant(doubled).doubles) == 1
    with pytest.raises(BooksDisagree, match="a difference names what the gateway has carried out twice"):
        tolerant(doubled).check_doubles_named()
    payments.reconcile(doubled, everything=True)
    tolerant(doubled).check_doubles_named()
    tolerant(doubled).check_allowed_for()
    tolerant(doubled).check_known()


def test_a_double_that_was_accepted_must_be_booked_beside_the_first(doubled: PaymentOrder) -> None:
    payments.reconcile(doubled, everything=True)
    accept(GatewayTransaction.objects.get(state="ANOMALY"))
    with pytest.raises(BooksDisagree, match="refunded is what the gateway carried out"):
        tolerant(doubled).check_known()
    payments.reconcile(doubled, everything=True)
    difference = Discrepancy.objects.get(closed_at=None)
    payments.approvals.book_discrepancy(difference, reason="seen", by="anna")
    tolerant(doubled).check_allowed_for()
    tolerant(doubled).check_known()


def test_a_double_that_was_accepted_and_never_booked_is_found(doubled: PaymentOrder) -> None:
    payments.reconcile(doubled, everything=True)
    accept(GatewayTransaction.objects.get(state="ANOMALY"))
    payments.reconcile(doubled, everything=True)
    difference = Discrepancy.objects.get(closed_at=None)
    payments.approvals.close_discrepancy(difference, reason="seen", by="anna")
    with pytest.raises(BooksDisagree, match="refunded is what the gateway carried out"):
        tolerant(doubled).check_known()


def accept(transaction: GatewayTransaction) -> None:
    happened = payments.approvals.Decision.DID_HAPPEN
    payments.approvals.resolve(transaction, decision=happened, reason="seen", by="anna")


def test_what_was_done_in_the_portal_in_place_of_a_lost_request_is_that_request(
    order: PaymentOrder, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.fault("refund", "drop_before", times=1)
    lost = payments.refund(order, amount=Decimal("4.00"))
    record = wallet_sandbox.portal(order.payments.get().reference, "ecom.refund", "4.00")
    GatewayTransaction.objects.filter(pk=lost.pk).update(
        state="APPROVED", approved_minor=400, record_id=record["id"]
    )
    Payment.objects.update(refunded=900, refund_reserved=0)
    truth(order).check_allowed_for()
    truth(order).check_known()


def test_a_deposit_is_compared_as_well(wallet_sandbox: SandboxControl) -> None:
    wallet_sandbox.migration_file(
        "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\n"
        "OLD-1,2026-01-15T10:30:00,30.00,EUR,0.00,PRV-1\n"
    )
    assert payments.refund_migrated("OLD-1", Decimal("5.00"), "EUR").state == "APPROVED"
    deposit = MigratedDeposit.objects.get()
    assert deposit.refunded == 500
    DepositTruth(deposit, gateways.gateway("default")).check_known()
    deposit.refunded = 400
    with pytest.raises(BooksDisagree, match="refunded is what the gateway carried out"):
        DepositTruth(deposit, gateways.gateway("default")).check_known()
    GatewayTransaction.objects.update(state="REJECTED", approved_minor=None)
    with pytest.raises(BooksDisagree, match="what was carried out can be REJECTED"):
        DepositTruth(deposit, gateways.gateway("default")).check_known()
