"""What the gateway has recorded of an order, asked for by the shop: complete, typed, and stored nowhere."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import transaction as db_transaction

from tests.money.polling.asking import fail_queries
from tests.support.gateway import record
from tests.support.refusals import refuses
from tests.support.shop import Shop, order_of
from wallet_gateway import payments
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder, TransactionEvent
from wallet_gateway.payments.errors import GatewayUnreachable
from wallet_gateway.testing import orders
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db

SHIPPED_TO = payments.ShippingAddress(
    first_name="Ada",
    last_name="Muster",
    telephone_number="49-15112233445",
    house_number="7",
    street="Hauptstrasse",
    city="Wien",
    zip_postal_code="1010",
    country_code="AUT",
)


def rows() -> list[object]:
    tables = (PaymentOrder, Payment, GatewayTransaction, TransactionEvent)
    return [list(table.objects.order_by("pk").values()) for table in tables]


def test_the_details_of_a_preauthorization_and_of_its_capture_reach_the_shop(
    wallet_sandbox: SandboxControl,
) -> None:
    order = payments.create_order(
        reference="R-1",
        currency="EUR",
        amount=Decimal("20.00"),
        type="preauthorization",
        shipping_address=SHIPPED_TO,
    )
    order = orders.pay(order, control=wallet_sandbox)
    payment = order.payments.get()
    captured = payments.capture(order)
    before = rows()

    found = payments.gateway_records(order)

    opened, followed = found
    (told,) = opened.records
    assert (opened.transaction, told.reference) == (payment.opening, payment.reference)
    assert (told.type, told.state) == ("ecom.preAuthorization", "Approved")
    assert told.amount == payments.Money.parse("20.00", "EUR")
    assert told.transacted_at is not None
    assert abs(told.transacted_at - payment.opening.state_changed_at) < timedelta(hours=1)
    assert told.provider_transaction_id == payment.opening.provider_transaction_id != ""
    assert (told.payer.first_name, told.payer.email) == ("Sam", "sam.sample@example.com")
    shipped_to = told.shipping_address
    assert shipped_to is not None
    assert (shipped_to.name, shipped_to.phone) == ("Ada Muster", "49-15112233445")
    assert (shipped_to.street, shipped_to.house_number) == ("Hauptstrasse", "7")
    assert (shipped_to.postal_code, shipped_to.city, shipped_to.country) == ("1010", "Wien", "AUT")
    assert told.billing_address is not None
    assert (followed.transaction, [one.type for one in followed.records]) == (captured, ["ecom.capture"])
    assert followed.records[0].shipping_address is None
    assert rows() == before
    for shown in (repr(found), repr(told.message)):
        for secret in ("Ada", "Muster", "Wien", "Hauptstrasse", "15112233445", "sample", "EW-5520"):
            assert secret not in shown
    assert payment.reference in repr(found)


def test_only_what_was_sent_is_asked_about(shop: Shop) -> None:
    payment = shop.pay()
    lost = shop.lose_answer(payments.refund, order_of(payment), Decimal("5.00"))
    unsent = GatewayTransaction.objects.get(pk=payment.opening.pk)
    unsent.pk, unsent.reference, unsent.record_id = None, "NEVER-SENT", None
    unsent.kind, unsent.state, unsent.attempt_no = "AUTHORIZATION", "AWAITING_RESULT", 0
    unsent.save(force_insert=True)
    found = payments.gateway_records(order_of(payment))
    unsent.delete()
    assert [(one.transaction, len(one.records)) for one in found] == [(payment.opening, 1), (lost, 0)]


def test_what_cannot_be_read_is_named_beside_what_can(shop: Shop) -> None:
    payment = shop.pay()
    own = record(payment.reference)
    shop.report(payment, own, own | {"id": None, "transactionAmount": "lots"})
    (opened,) = payments.gateway_records(order_of(payment))
    assert len(opened.records) == len(opened.unreadable) == 1
    assert opened.unreadable[0].id is None
    assert "transactionAmount" in opened.unreadable[0].complaint


def test_a_silent_gateway_is_an_error_of_the_project(shop: Shop) -> None:
    order = order_of(shop.begin())
    fail_queries(shop, times=4)
    with refuses(GatewayUnreachable, ErrorCode.GATEWAY_SILENT, gateway="default"):
        payments.gateway_records(order)


@pytest.mark.django_db(transaction=True)
def test_neither_records_nor_money_are_asked_for_in_a_transaction_of_the_caller(shop: Shop) -> None:
    payment = shop.pay()
    asked = len(shop.gateway.asked)
    for call in (payments.gateway_records, payments.refund):
        with db_transaction.atomic(), pytest.raises(RuntimeError):
            call(order_of(payment))
    assert (len(shop.gateway.asked), shop.gateway.sent) == (asked, [])
