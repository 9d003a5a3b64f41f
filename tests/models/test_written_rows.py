"""Rows that the plugin writes by its own statements hold what Django itself would have written and read."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from django.db.models import Model

from tests.support.gateway import answering
from tests.support.shop import Shop
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction, OutboxEvent, Payment, PaymentOrder, TransactionEvent

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
ODD = "50 % off 'all' %s %(x)s ; -- \\ ü 漢 😀"
MOST = Decimal("999999999999.99")


def columns_of(row: Model) -> dict[str, object]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def test_texts_amounts_and_instants_are_read_back_as_they_were_written(shop: Shop) -> None:
    mug = payments.Item(product_id="MUG", product_name=ODD, unit_amount=MOST, quantity=1)
    metadata = {ODD[:20]: ODD, "k" * 40: "v" * 500} | {f"key-{number}": "" for number in range(48)}
    order = shop.order(items=[mug], amount=None, metadata=metadata, type="preauthorization")
    payment = payments.start_checkout(order)
    opening = payment.opening
    assert opening is not None
    order.refresh_from_db()
    assert (order.amount_minor, order.metadata) == (99_999_999_999_999, metadata)
    assert order.content["shoppingCartDetails"]["itemDetails"][0]["productName"] == ODD
    assert opening.expires_at is not None
    assert opening.leased_until is None
    for row in (payment, opening):
        assert row.pk is not None
        assert columns_of(type(row).objects.get(pk=row.pk)) == columns_of(row)


def test_an_answer_changes_all_its_rows_and_what_the_gateway_said_is_kept(shop: Shop) -> None:
    payment = shop.pay(type="preauthorization")
    shop.gateway.answers.append(answering(providerStateCode=ODD))
    capture = payments.capture(payment.order, Decimal("10.00"), comment=ODD, by="anna")
    order, stored = PaymentOrder.objects.get(), Payment.objects.get()
    assert (order.state, stored.state, stored.captured) == ("PART_CAPTURED", "PART_CAPTURED", 1000)
    row = GatewayTransaction.objects.get(pk=capture.pk)
    assert (row.state, row.approved_minor, row.provider_state, row.comment) == ("APPROVED", 1000, ODD, ODD)
    assert columns_of(row) == columns_of(capture)
    event = TransactionEvent.objects.filter(transaction=row).latest("pk")
    assert (event.state_after, event.occurred_at) == ("APPROVED", row.state_changed_at)
    assert json.loads(event.answer_body)["providerStateCode"] == ODD
    assert OutboxEvent.objects.get(transaction=row).amount_minor == 1000
