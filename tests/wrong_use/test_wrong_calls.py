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

ORDER = "order must be a PaymentOrder, as `payments.get_order(reference)` returns it, not"
PAYMENT = "a Payment, such as `order.payments.get(number=1)`"
EURO = Money(Decimal("1.00"), "EUR")
MUG = Item(product_id="MUG", product_name="Mug", unit_amount=Decimal("5.00"))


@dataclass
class ShopOrder:
    """The shop's own order, which has a reference of its own."""

    reference: str = "SHOP-1"


Call = Callable[[Any], object]
"""A call with an order that is paid."""

NO_ORDER: list[tuple[str, Call]] = [
    ("str", lambda _: payments.refund("SHOP-1")),  # type: ignore[arg-type]
    ("None", lambda _: payments.refund(None)),  # type: ignore[arg-type]
    ("Payment", lambda order: payments.refund(order.payments.get())),
    ("ShopOrder", lambda _: payments.refund(ShopOrder())),  # type: ignore[arg-type]
    ("one that is not stored", lambda _: payments.refund(PaymentOrder())),
    ("str", lambda _: payments.capture("SHOP-1")),  # type: ignore[arg-type]
    ("int", lambda _: payments.reverse(17)),  # type: ignore[arg-type]
    ("None", lambda _: payments.start_checkout(None)),  # type: ignore[arg-type]
    ("ShopOrder", lambda _: payments.start_checkout(ShopOrder())),  # type: ignore[arg-type]
    ("str", lambda _: payments.order_summary("SHOP-1")),  # type: ignore[arg-type]
    ("None", lambda _: orders.order_timeline(None)),  # type: ignore[arg-type]
    ("ShopOrder", lambda _: orders.receipt(ShopOrder())),  # type: ignore[arg-type]
    ("str", lambda _: payments.gateway_records("SHOP-1")),  # type: ignore[arg-type]
    ("str", lambda _: wallet.open_session("SHOP-1", session="s")),  # type: ignore[arg-type]
    ("None", lambda _: wallet.pay(None, session="s", detail={})),  # type: ignore[arg-type]
    ("str", lambda _: wallet.receipt("SHOP-1")),  # type: ignore[arg-type]
    ("str", lambda _: maintenance.erase_customer("SHOP-1", by="a", reason="b")),  # type: ignore[arg-type]
    ("str", lambda _: maintenance.support_bundle("SHOP-1")),  # type: ignore[arg-type]
]

WRONG: list[tuple[Call, str]] = [
    # Reading
    (lambda _: payments.get_order(17), "reference must be a text, not int."),  # type: ignore[arg-type]
    (lambda _: payments.get_order(None), "reference must be a text, not None."),  # type: ignore[arg-type]
    (lambda _: orders.get_order_by_token(17), "token must be a text, not int."),  # type: ignore[arg-type]
    (lambda _: orders.attempt_for(17), "reference must be a text, not int."),  # type: ignore[arg-type]
    (lambda _: orders.reconcile_attempt(None), "reference must be a text, not None."),  # type: ignore[arg-type]
    (
        lambda _: payments.reconcile("SHOP-1"),  # type: ignore[arg-type]
        (
            f"subject must be a PaymentOrder, as `payments.get_order(reference)` returns it, or "
            f"{PAYMENT}, not str."
        ),
    ),
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
    (lambda order: payments.refund(order, payment=1), f"payment must be {PAYMENT}, not int."),  # type: ignore[arg-type]
    (
        lambda order: payments.refund(order, items=MUG),  # type: ignore[arg-type]
        "The items are not valid. items: is one Item; give a list: items=[Item(…)]",
    ),
    (
        lambda order: payments.refund(order, items=[{"product_id": "MUG"}]),  # type: ignore[list-item]
        "The items are not valid. items[0]: must be an Item, not dict: write Item(**…)",
    ),
    (
        lambda order: payments.refund(order, Decimal("4.00"), items=[MUG]),
        "The items are not valid. amount: is 4.00, but the items come to 5.00; they must be equal",
    ),
    (
        lambda order: payments.refund(order, idempotency_key=17),  # type: ignore[arg-type]
        "idempotency_key must be a text, not int.",
    ),
    (
        lambda order: payments.refund(order, idempotency_key="a b"),
        "An idempotency key has 1 to 64 visible ASCII characters and no spaces.",
    ),
    (
        lambda order: payments.refund(order, by=17),  # type: ignore[arg-type]
        "by must be a user, an `Actor`, or the name of a program, not int.",
    ),
    (lambda order: payments.refund(order, comment=None), "comment must be a text, not None."),  # type: ignore[arg-type]
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
        lambda _: payments.refund_migrated(17, Decimal(5), "EUR"),  # type: ignore[arg-type]
        "parent_transaction_id must be a text, not int.",
    ),
    (
        lambda _: payments.refund_migrated("OLD-1", Decimal(5), "EUR", gateway="second"),
        "WALLET_GATEWAY['GATEWAYS'] has no 'second'; it has: default",
    ),
    (
        lambda _: follow_ups.send_again("REF-1"),  # type: ignore[arg-type]
        "transaction must be a GatewayTransaction, as `payments.refund(order)` returns it, not str.",
    ),
    (
        lambda order: follow_ups.preview(order, TransactionKind.REFUND, EURO),
        f"payment must be {PAYMENT}, not PaymentOrder.",
    ),
    (
        lambda order: follow_ups.preview(order.payments.get(), TransactionKind.REFUND, Decimal(1)),  # type: ignore[arg-type]
        'amount must be a Money, such as `Money(Decimal("10.00"), "EUR")`, not Decimal.',
    ),
    # Decisions and batches
    (
        lambda order: approvals.resolve(_transaction(order), decision="paid", reason="x", by="a"),
        "decision must be one of: DID_NOT_HAPPEN, DID_HAPPEN.",
    ),
    (
        lambda _: approvals.approve(17, by="a"),  # type: ignore[arg-type]
        "approval must be an Approval, as `payments.approvals.waiting()` returns it, not int.",
    ),
    (
        lambda order: batches.draft("refunds", [order], by="a"),  # type: ignore[arg-type]
        "kind must be one of: CAPTURE, REFUND, REVERSAL.",
    ),
    (
        lambda order: batches.draft(BatchKind.REFUND, order, by="a"),
        (
            "orders must be a list, each part of it a PaymentOrder, as "
            "`payments.get_order(reference)` returns it, "
            "not PaymentOrder."
        ),
    ),
    (
        lambda _: batches.draft(BatchKind.REFUND, ["SHOP-1"], by="a"),  # type: ignore[list-item]
        "orders[0] must be a PaymentOrder, as `payments.get_order(reference)` returns it, not str.",
    ),
    (
        lambda _: batches.start(17),  # type: ignore[arg-type]
        "batch must be an OperationBatch, as `payments.batches.draft(…)` returns it, not int.",
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
        lambda _: maintenance.stop_sending("default", by="a", reason="b", until=timedelta(hours=1)),  # type: ignore[arg-type]
        "until must be an aware datetime, such as `timezone.now() + timedelta(hours=1)`, not timedelta.",
    ),
    (
        lambda _: maintenance.stop_sending("default", by="a", reason=""),
        "The reason is missing. Say why.",
    ),
    (
        lambda _: maintenance.stop_sending("default", by="", reason="b"),
        "The name of the person who decides is missing.",
    ),
    (
        lambda _: maintenance.orders_of(references="SHOP-1"),
        "references must be a list, each part of it a text, not str.",
    ),
    (
        lambda _: maintenance.comparison("default", days="7"),  # type: ignore[arg-type]
        "days must be a whole number, not str.",
    ),
    (
        lambda _: maintenance.import_migration_file("deposits.csv"),
        'lines must be the lines of a file, such as `open(path, "rb")`, not str.',
    ),
    # The wallet button
    (
        lambda order: wallet.record_event(order, reference="x", session="s", event="boo"),
        "event must be one of: READY, UNAVAILABLE, RESULT, ERROR, CLOSED.",
    ),
    (
        lambda order: wallet.outcome(order),
        f"payment must be {PAYMENT}, not PaymentOrder.",
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
    return tuple(each.count() for each in rows)


@every(("given", "call"), NO_ORDER)
def test_what_is_no_order_is_named_by_its_type(given: str, call: Call, order: PaymentOrder) -> None:
    with pytest.raises(InvalidInput) as refused:
        call(order)
    assert refused.value.message == f"{ORDER} {given}."


@every(("call", "sentence"), WRONG)
def test_a_wrong_call_is_refused_with_a_sentence(
    call: Call, sentence: str, order: PaymentOrder, wallet_sandbox: SandboxControl
) -> None:
    before, sent = stored(), len(wallet_sandbox.journal())
    with pytest.raises((OperationError, ProtocolError, ImproperlyConfigured)) as refused:
        call(order)
    assert str(refused.value) == sentence
    assert (stored(), len(wallet_sandbox.journal())) == (before, sent)


def test_there_are_fifty() -> None:
    assert len(WRONG) + len(NO_ORDER) >= 50
