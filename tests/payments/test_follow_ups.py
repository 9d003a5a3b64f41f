"""Capture, refund and reversal through the wired door, and which payment is meant."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.db import transaction as db_transaction

from tests.payments.paid_orders import paid
from tests.refusals import refuses
from wallet_gateway import payments
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.operations.errors import InvalidInput
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


def test_money_is_captured_refunded_and_reversed(wallet_sandbox: SandboxControl) -> None:
    order = paid(wallet_sandbox, type="preauthorization")
    assert payments.capture(order, Decimal("5.00"), idempotency_key="c1").state == TransactionState.APPROVED
    assert payments.capture(order, Decimal("5.00"), idempotency_key="c1") == payments.capture(
        order, idempotency_key="c1"
    )
    assert payments.refund(order, payments.Money.parse("5.00", "EUR")).state == TransactionState.APPROVED

    other = paid(wallet_sandbox, "SHOP-2", type="preauthorization")
    assert payments.reverse(other, by="grace").created_by == "grace"
    other.refresh_from_db()
    assert other.state == OrderState.REVERSED


def test_a_sandbox_that_was_restarted_and_has_forgotten_the_payment_says_so(
    wallet_sandbox: SandboxControl,
) -> None:
    order = paid(wallet_sandbox)
    wallet_sandbox.reset()
    refund = payments.refund(order)
    assert refund.state == TransactionState.REJECTED
    assert "UnknownOriginal" in refund.explanation
    assert refund.explanation.endswith("in another folder, pay a new order.")


def test_the_reason_is_kept_with_the_transaction(wallet_sandbox: SandboxControl) -> None:
    order = paid(wallet_sandbox, type="preauthorization")
    captured = payments.capture(order, Decimal("5.00"), reason_code="part-shipped", comment="parcel 1")
    refunded = payments.refund(order, reason_code="returned")
    assert (captured.reason_code, captured.comment) == ("part-shipped", "parcel 1")
    assert (refunded.reason_code, refunded.comment) == ("returned", "")

    other = paid(wallet_sandbox, "SHOP-2", type="preauthorization")
    with pytest.raises(
        payments.errors.OperationRefused, match=r"reason code is not known for the operation.*: cancelled"
    ):
        payments.reverse(other, reason_code="returned")
    assert payments.reverse(other, reason_code="cancelled").reason_code == "cancelled"


def test_an_order_without_money_has_nothing_to_operate_on(wallet_sandbox: SandboxControl) -> None:
    order = payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal("20.00"))

    with pytest.raises(payments.errors.InvalidState):
        payments.capture(order)
    with pytest.raises(payments.errors.InvalidState):
        payments.refund(order)
    with pytest.raises(payments.errors.InvalidState):
        payments.reverse(order)


def test_a_payment_of_another_order_is_not_operated_on(wallet_sandbox: SandboxControl) -> None:
    mine, other = paid(wallet_sandbox, "SHOP-1"), paid(wallet_sandbox, "SHOP-2")
    foreign = other.payments.get()

    for verb in (payments.capture, payments.refund, payments.reverse):
        with refuses(
            InvalidInput, ErrorCode.ARGUMENT_INVALID, says="does not belong to order", order="SHOP-1"
        ):
            verb(mine, payment=foreign)
    assert payments.refund(other, payment=foreign).state == TransactionState.APPROVED


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

    with refuses(InvalidInput, ErrorCode.SEVERAL_PAYMENTS, count=2):
        payments.refund(order)
    assert payments.refund(order, payment=order.payments.get(number=1)).state == TransactionState.APPROVED


def test_verbs_refuse_to_run_inside_somebody_elses_transaction(
    wallet_sandbox: SandboxControl, transactional_db: None
) -> None:
    order = paid(wallet_sandbox)
    before = len(wallet_sandbox.journal())

    with db_transaction.atomic(), pytest.raises(RuntimeError):
        payments.refund(order)
    assert len(wallet_sandbox.journal()) == before


def test_items_are_given_as_for_an_order(wallet_sandbox: SandboxControl) -> None:
    order = paid(wallet_sandbox, type="preauthorization")
    mug = payments.Item(product_id="MUG", product_name="Mug", unit_amount=Decimal("5.00"), quantity=2)
    parcel = payments.Shipping(name="Parcel", amount=Decimal("2.00"))
    off = payments.Discount(name="Welcome", amount=Decimal("1.00"))

    captured = payments.capture(order, items=[mug], shipping=parcel, discounts=[off])
    refunded = payments.refund(order, Decimal("10.00"), items=[mug])

    assert (str(captured.approved_amount), str(refunded.approved_amount)) == ("11.00 EUR", "10.00 EUR")
    sent = [entry["body"] for entry in wallet_sandbox.journal()[-2:]]
    assert [len(body["shoppingCartDetails"]) for body in sent] == [3, 1]
