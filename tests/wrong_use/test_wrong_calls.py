"""Wrong calls: each is refused whole, by a sentence with the names of its arguments; nothing is stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from tests.support.gateway import StubGateway
from tests.support.shop import Shop
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.models import (
    BatchKind,
    GatewayPause,
    GatewayTransaction,
    OperationBatch,
    Payment,
    PaymentOrder,
)
from wallet_gateway.payments import (
    Discount,
    Item,
    Money,
    approvals,
    batches,
    follow_ups,
    maintenance,
    orders,
    wallet,
)
from wallet_gateway.payments.errors import IdempotencyConflict, InvalidInput, OperationError
from wallet_gateway.protocol.errors import ProtocolError

pytestmark = pytest.mark.django_db

MUG: Any = Item(product_id="MUG", product_name="Mug", unit_amount=Decimal("10.00"))
EURO = Money(Decimal("1.00"), "EUR")


# Orders; the values of their fields are in money/checkout/test_refused_orders


def create(**given: Any) -> PaymentOrder:
    """Call `create_order` with what is right but for `given`."""
    return payments.create_order(**({"reference": "SHOP-1", "currency": "EUR", "items": [MUG]} | given))


@every(
    "given",
    [
        {"items": MUG},
        {"items": [{"product_id": "MUG"}]},
        {"items": [MUG, SimpleNamespace()]},
        {"items": "mug"},
        {"shipping": Decimal("4.90")},
        {"shipping": {"name": "Parcel"}},
        {"discounts": Discount(name="x", amount=Decimal(1))},
    ],
)
def test_what_is_no_line_is_an_error_before_anything_is_stored(given: dict[str, Any]) -> None:
    with pytest.raises((TypeError, AttributeError)):
        create(**given)
    assert not PaymentOrder.objects.exists()


def test_an_unknown_gateway_and_a_used_reference_are_refused_with_what_there_is() -> None:
    with pytest.raises(ImproperlyConfigured, match="has no 'second'; it has: default"):
        create(gateway="second")
    create()
    with pytest.raises(IdempotencyConflict) as refused:
        create(order_number="A-2")
    assert refused.value.message == (
        "Reference SHOP-1 belongs to an order with other content (order_number). "
        "An order that has changed needs its own reference."
    )


# Everything else, each with an order that is paid, so that nothing else is in the way


@dataclass
class ShopOrder:
    """The shop's own order, which has a reference of its own."""

    reference: str = "SHOP-1"


Call = Callable[[Any], object]
OF_ORDERS: list[tuple[Any, Any]] = [
    *((payments.refund, no_order) for no_order in ("SHOP-1", None, ShopOrder())),
    *((payments.start_checkout, no_order) for no_order in (None, ShopOrder())),
    *((call, "SHOP-1") for call in (payments.capture, payments.reconcile, payments.order_summary)),
    *((call, "SHOP-1") for call in (payments.gateway_records, maintenance.support_bundle, wallet.receipt)),
    *((payments.reverse, 17), (orders.order_timeline, None), (orders.receipt, ShopOrder())),
    (lambda no_order: wallet.open_session(no_order, session="s"), "SHOP-1"),
    (lambda no_order: wallet.pay(no_order, session="s", detail={}), None),
    (lambda no_order: maintenance.erase_customer(no_order, by="a", reason="b"), "SHOP-1"),
]


def _of_rows(order: PaymentOrder) -> GatewayTransaction:
    return GatewayTransaction.objects.get(payment__order=order)


OTHERS: list[Call] = [
    lambda order: payments.refund(order.payments.get()),
    lambda _: payments.refund(PaymentOrder()),
    # Other arguments
    lambda _: payments.get_order(17),  # type: ignore[arg-type]
    lambda _: orders.reconcile_attempt(None),  # type: ignore[arg-type]
    lambda order: payments.refund(order, payment=1),  # type: ignore[arg-type]
    lambda order: payments.refund(order, items=MUG),
    lambda order: payments.refund(order, items=[{"product_id": "MUG"}]),  # type: ignore[list-item]
    lambda order: payments.refund(order, idempotency_key=17),  # type: ignore[arg-type]
    lambda order: payments.refund(order, comment=None),  # type: ignore[arg-type]
    lambda _: payments.refund_migrated(17, Decimal(5), "EUR"),  # type: ignore[arg-type]
    lambda order: follow_ups.preview(order, TransactionKind.REFUND, EURO),
    lambda order: follow_ups.preview(order.payments.get(), TransactionKind.REFUND, Decimal(1)),  # type: ignore[arg-type]
    lambda order: batches.draft(BatchKind.REFUND, order, by="a"),
    lambda _: batches.draft(BatchKind.REFUND, ["SHOP-1"], by="a"),  # type: ignore[list-item]
    lambda _: maintenance.stop_sending("default", by="a", reason="b", until=timedelta(hours=1)),  # type: ignore[arg-type]
    lambda _: maintenance.orders_of(references="SHOP-1"),
    lambda _: maintenance.import_migration_file("deposits.csv"),
    lambda order: wallet.outcome(order),
    # Rows of another table, whose key another row has, too
    lambda order: payments.cancel(order.payments.get(), by="a"),
    lambda order: batches.pause(order, by="a"),
    lambda order: approvals.decline(order, by="a", reason="b"),
    lambda order: approvals.close_discrepancy(_of_rows(order), by="a", reason="b"),  # type: ignore[arg-type]
    lambda order: payments.refund(order, payment=_of_rows(order)),  # type: ignore[arg-type]
]
WRONG: list[tuple[Call, str]] = [
    (lambda order: payments.refund(order, 9.99), "The amount must be a Decimal or Money, not float."),  # type: ignore[arg-type]
    (lambda order: payments.refund(order, "9.99"), "The amount must be a Decimal or Money, not str."),  # type: ignore[arg-type]
    (
        lambda order: payments.refund(order, Money(Decimal(5), "USD")),
        "The amount is in USD, but the payment is in EUR.",
    ),
    (
        lambda order: payments.refund(order, Decimal(-5)),
        "This is not a valid amount in EUR: '-5' is no amount",
    ),
    (
        lambda order: payments.refund(order, Decimal("4.00"), items=[MUG]),
        "The items are not valid. amount: is 4.00, but the items come to 10.00; they must be equal",
    ),
    (
        lambda order: payments.refund(order, idempotency_key="a b"),
        "An idempotency key has 1 to 64 visible ASCII characters and no spaces.",
    ),
    (
        lambda order: payments.refund(order, reason_code="because"),
        "This reason code is not known for the operation. It may be empty or one of: returned, damaged, ",
    ),
    (
        lambda _: payments.refund_migrated("OLD-1", Decimal(5), None),  # type: ignore[arg-type]
        "This is not a valid currency: None is no currency; give a three-letter ISO 4217 code such as EUR",
    ),
    (
        lambda _: payments.refund_migrated("OLD-1", Decimal(5), "EUR", gateway="second"),
        "WALLET_GATEWAY['GATEWAYS'] has no 'second'; it has: default",
    ),
    (
        lambda order: approvals.resolve(_of_rows(order), decision="paid", reason="x", by="a"),
        "decision must be one of: DID_NOT_HAPPEN, DID_HAPPEN.",
    ),
    (
        lambda order: batches.draft("refunds", [order], by="a"),  # type: ignore[arg-type]
        "kind must be one of: CAPTURE, REFUND, REVERSAL.",
    ),
    (
        lambda _: maintenance.stop_sending("default", by="a", reason="b", until=datetime(2030, 1, 1)),  # noqa: DTZ001
        "The end of a stop must lie in the future, within a year, and have a time zone.",
    ),
    (lambda _: maintenance.stop_sending("default", by="a", reason=""), "The reason is missing. Say why."),
    (
        lambda _: maintenance.stop_sending("default", by="", reason="b"),
        "The name of the person who decides is missing.",
    ),
    (
        lambda order: wallet.record_event(order, reference="x", session="s", event="boo"),
        "event must be one of: READY, UNAVAILABLE, RESULT, ERROR, CLOSED.",
    ),
    (lambda _: Money(9.99, "EUR"), "9.99 is no Decimal; give one, or use Money.parse"),  # type: ignore[arg-type]
    (
        lambda _: Money(Decimal(1), None),  # type: ignore[arg-type]
        "None is no currency; give a three-letter ISO 4217 code such as EUR",
    ),
]


def stored() -> tuple[int, ...]:
    """Return how many rows there are of what a call could store."""
    stops = GatewayPause.objects.exclude(stopped_at=None)
    rows = (PaymentOrder.objects, Payment.objects, GatewayTransaction.objects, OperationBatch.objects, stops)
    versions = PaymentOrder.objects.values_list("version", flat=True)
    return (*(each.count() for each in rows), *versions)


def is_refused(gateway: StubGateway, call: Callable[[], object], *kinds: type[Exception]) -> str:
    """See that a call is refused, and that nothing was stored or sent."""
    before = (stored(), len(gateway.sent), len(gateway.asked))
    with pytest.raises(kinds) as refused:
        call()
    assert (stored(), len(gateway.sent), len(gateway.asked)) == before
    return str(refused.value)


OF_TYPES = (TypeError, AttributeError, ValueError, ImproperlyConfigured, InvalidInput)


def test_a_wrong_type_is_an_error_before_anything_is_stored_or_sent(shop: Shop, gateway: StubGateway) -> None:
    order = shop.pay().order
    for call in OTHERS:
        is_refused(gateway, partial(call, order), *OF_TYPES)
    for call, no_order in OF_ORDERS:
        is_refused(gateway, partial(call, no_order), *OF_TYPES)


def test_a_wrong_call_is_refused_with_a_sentence(shop: Shop, gateway: StubGateway) -> None:
    order = shop.pay().order
    for call, sentence in WRONG:
        said = is_refused(gateway, partial(call, order), OperationError, ProtocolError, ImproperlyConfigured)
        assert said.startswith(sentence)


@every("nobody", [None, 7, b"anna", SimpleNamespace(pk=1)])
def test_who_acts_is_a_user_an_actor_or_a_name(nobody: Any, shop: Shop, gateway: StubGateway) -> None:  # noqa: ANN401
    order = shop.pay().order
    calls: list[Call] = [
        lambda order: payments.refund(order, by=nobody),
        lambda order: payments.cancel(order, by=nobody),
        lambda order: batches.draft(BatchKind.REFUND, [order], by=nobody),
        lambda _: maintenance.stop_sending("default", by=nobody, reason="b"),
        lambda order: maintenance.erase_customer(order, by=nobody, reason="b"),
        lambda order: approvals.resolve(_of_rows(order), decision="DID_NOT_HAPPEN", by=nobody, reason="b"),
    ]
    for call in calls:
        said = is_refused(gateway, partial(call, order), TypeError)
        assert said == f"by must be a user, an Actor or a name, not {type(nobody).__name__}"
