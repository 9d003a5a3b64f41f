"""Wrong calls of everything but `create_order`: each is refused before anything is stored or sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from tests.payments.paid_orders import paid
from tests.tables import every
from wallet_gateway import payments
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.models import (
    BatchKind,
    GatewayPause,
    GatewayTransaction,
    OperationBatch,
    Payment,
    PaymentOrder,
)
from wallet_gateway.payments import Item, Money, approvals, batches, follow_ups, maintenance, orders, wallet
from wallet_gateway.payments.errors import InvalidInput, OperationError
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db

EURO = Money(Decimal("1.00"), "EUR")
MUG = Item(product_id="MUG", product_name="Mug", unit_amount=Decimal("5.00"))


@dataclass
class ShopOrder:
    """The shop's own order, which has a reference of its own."""

    reference: str = "SHOP-1"


Call = Callable[[Any], object]
"""A call with an order that is paid."""

WRONG_TYPE: list[Call] = [
    lambda _: payments.refund("SHOP-1"),  # type: ignore[arg-type]
    lambda _: payments.refund(None),  # type: ignore[arg-type]
    lambda order: payments.refund(order.payments.get()),
    lambda _: payments.refund(ShopOrder()),  # type: ignore[arg-type]
    lambda _: payments.refund(PaymentOrder()),
    lambda _: payments.capture("SHOP-1"),  # type: ignore[arg-type]
    lambda _: payments.reverse(17),  # type: ignore[arg-type]
    lambda _: payments.start_checkout(None),  # type: ignore[arg-type]
    lambda _: payments.start_checkout(ShopOrder()),  # type: ignore[arg-type]
    lambda _: payments.order_summary("SHOP-1"),  # type: ignore[arg-type]
    lambda _: orders.order_timeline(None),  # type: ignore[arg-type]
    lambda _: orders.receipt(ShopOrder()),  # type: ignore[arg-type]
    lambda _: payments.gateway_records("SHOP-1"),  # type: ignore[arg-type]
    lambda _: wallet.open_session("SHOP-1", session="s"),  # type: ignore[arg-type]
    lambda _: wallet.pay(None, session="s", detail={}),  # type: ignore[arg-type]
    lambda _: wallet.receipt("SHOP-1"),  # type: ignore[arg-type]
    lambda _: maintenance.erase_customer("SHOP-1", by="a", reason="b"),  # type: ignore[arg-type]
    lambda _: maintenance.support_bundle("SHOP-1"),  # type: ignore[arg-type]
    # Other arguments
    lambda _: payments.get_order(17),  # type: ignore[arg-type]
    lambda _: payments.get_order(None),  # type: ignore[arg-type]
    lambda _: orders.get_order_by_token(17),  # type: ignore[arg-type]
    lambda _: orders.attempt_for(17),  # type: ignore[arg-type]
    lambda _: orders.reconcile_attempt(None),  # type: ignore[arg-type]
    lambda _: payments.reconcile("SHOP-1"),  # type: ignore[arg-type]
    lambda order: payments.refund(order, payment=1),  # type: ignore[arg-type]
    lambda order: payments.refund(order, items=MUG),  # type: ignore[arg-type]
    lambda order: payments.refund(order, items=[{"product_id": "MUG"}]),  # type: ignore[list-item]
    lambda order: payments.refund(order, idempotency_key=17),  # type: ignore[arg-type]
    lambda order: payments.refund(order, by=17),  # type: ignore[arg-type]
    lambda order: payments.refund(order, comment=None),  # type: ignore[arg-type]
    lambda _: payments.refund_migrated(17, Decimal(5), "EUR"),  # type: ignore[arg-type]
    lambda _: follow_ups.send_again("REF-1"),  # type: ignore[arg-type]
    lambda order: follow_ups.preview(order, TransactionKind.REFUND, EURO),
    lambda order: follow_ups.preview(order.payments.get(), TransactionKind.REFUND, Decimal(1)),  # type: ignore[arg-type]
    lambda _: approvals.approve(17, by="a"),  # type: ignore[arg-type]
    lambda order: batches.draft(BatchKind.REFUND, order, by="a"),
    lambda _: batches.draft(BatchKind.REFUND, ["SHOP-1"], by="a"),  # type: ignore[list-item]
    lambda _: batches.start(17),  # type: ignore[arg-type]
    lambda _: maintenance.stop_sending("default", by="a", reason="b", until=timedelta(hours=1)),  # type: ignore[arg-type]
    lambda _: maintenance.orders_of(references="SHOP-1"),
    lambda _: maintenance.comparison("default", days="7"),  # type: ignore[arg-type]
    lambda _: maintenance.import_migration_file("deposits.csv"),
    lambda order: wallet.outcome(order),
    # Rows of another table, whose key another row has, too
    lambda order: payments.cancel(order.payments.get(), by="a"),
    lambda order: batches.pause(order, by="a"),
    lambda order: approvals.decline(order, by="a", reason="b"),
    lambda order: approvals.close_discrepancy(_transaction(order), by="a", reason="b"),  # type: ignore[arg-type]
    lambda order: payments.refund(order, payment=_transaction(order)),  # type: ignore[arg-type]
]

WRONG: list[tuple[Call, str]] = [
    # Captures and refunds
    (
        lambda order: payments.refund(order, 9.99),  # type: ignore[arg-type]
        "The amount must be a Decimal or Money, not float.",
    ),
    (
        lambda order: payments.refund(order, "9.99"),  # type: ignore[arg-type]
        "The amount must be a Decimal or Money, not str.",
    ),
    (
        lambda order: payments.refund(order, Money(Decimal(5), "USD")),
        "The amount is in USD, but the payment is in EUR.",
    ),
    (
        lambda order: payments.refund(order, Decimal(-5)),
        (
            "This is not a valid amount in EUR: '-5' has a sign; amounts are not negative and "
            "written without one, "
            "as in 10.00"
        ),
    ),
    (
        lambda order: payments.refund(order, Decimal("4.00"), items=[MUG]),
        "The items are not valid. amount: is 4.00, but the items come to 5.00; they must be equal",
    ),
    (
        lambda order: payments.refund(order, idempotency_key="a b"),
        "An idempotency key has 1 to 64 visible ASCII characters and no spaces.",
    ),
    (
        lambda order: payments.refund(order, reason_code="because"),
        (
            "This reason code is not known for the operation. It may be empty or one of: returned, damaged, "
            "cancelled, duplicate, goodwill, other."
        ),
    ),
    (
        lambda _: payments.refund_migrated("OLD-1", 5.0, "EUR"),  # type: ignore[arg-type]
        "The amount must be a Decimal or Money, not float.",
    ),
    (
        lambda _: payments.refund_migrated("OLD-1", Decimal(5), None),  # type: ignore[arg-type]
        "This is not a valid currency: None is no currency; give a three-letter ISO 4217 code such as EUR",
    ),
    (
        lambda _: payments.refund_migrated("OLD-1", Decimal(5), "EUR", gateway="second"),
        "WALLET_GATEWAY['GATEWAYS'] has no 'second'; it has: default",
    ),
    # Decisions and batches
    (
        lambda order: approvals.resolve(_transaction(order), decision="paid", reason="x", by="a"),
        "decision must be one of: DID_NOT_HAPPEN, DID_HAPPEN.",
    ),
    (
        lambda order: batches.draft("refunds", [order], by="a"),  # type: ignore[arg-type]
        "kind must be one of: CAPTURE, REFUND, REVERSAL.",
    ),
    # Background work
    (
        lambda _: maintenance.stop_sending("default", by="a", reason="b", until=datetime(2030, 1, 1)),  # noqa: DTZ001
        (
            "The end of a stop must lie in the future, within a year, and have a time zone. Leave it out "
            "if the stop has no end."
        ),
    ),
    (
        lambda _: maintenance.stop_sending("default", by="a", reason=""),
        "The reason is missing. Say why.",
    ),
    (
        lambda _: maintenance.stop_sending("default", by="", reason="b"),
        "The name of the person who decides is missing.",
    ),
    # The wallet button
    (
        lambda order: wallet.record_event(order, reference="x", session="s", event="boo"),
        "event must be one of: READY, UNAVAILABLE, RESULT, ERROR, CLOSED.",
    ),
    # Amounts
    (lambda _: Money(9.99, "EUR"), "9.99 is no Decimal; give one, or use Money.parse"),  # type: ignore[arg-type]
    (
        lambda _: Money(Decimal(1), None),  # type: ignore[arg-type]
        "None is no currency; give a three-letter ISO 4217 code such as EUR",
    ),
]


def _transaction(order: PaymentOrder) -> GatewayTransaction:
    return GatewayTransaction.objects.get(payment__order=order)


@pytest.fixture
def order(wallet_sandbox: SandboxControl) -> PaymentOrder:
    """An order that is paid, so that nothing else is in the way of a call."""
    return paid(wallet_sandbox)


def stored() -> tuple[int, ...]:
    """Return how many rows there are of what a call could store."""
    stops = GatewayPause.objects.exclude(stopped_at=None)
    rows = (PaymentOrder.objects, Payment.objects, GatewayTransaction.objects, OperationBatch.objects, stops)
    versions = PaymentOrder.objects.values_list("version", flat=True)
    return (*(each.count() for each in rows), *versions)


@every("call", WRONG_TYPE)
def test_a_wrong_type_is_an_error_before_anything_is_stored_or_sent(
    call: Call, order: PaymentOrder, wallet_sandbox: SandboxControl
) -> None:
    before, sent = stored(), len(wallet_sandbox.journal())
    with pytest.raises((TypeError, AttributeError, ValueError, ImproperlyConfigured, InvalidInput)):
        call(order)
    assert (stored(), len(wallet_sandbox.journal())) == (before, sent)


@every(("call", "sentence"), WRONG)
def test_a_wrong_call_is_refused_with_a_sentence(
    call: Call, sentence: str, order: PaymentOrder, wallet_sandbox: SandboxControl
) -> None:
    before, sent = stored(), len(wallet_sandbox.journal())
    with pytest.raises((OperationError, ProtocolError, ImproperlyConfigured)) as refused:
        call(order)
    assert str(refused.value) == sentence
    assert (stored(), len(wallet_sandbox.journal())) == (before, sent)
