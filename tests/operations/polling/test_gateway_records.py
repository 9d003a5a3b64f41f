"""What the gateway has recorded of an order, asked for by the shop: complete, typed, and stored nowhere."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.operations.conftest import MakeContext, Pay, VirtualClock
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder, TransactionEvent
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import GatewayUnreachable
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture
from wallet_gateway.operations.polling.gateway_records import gateway_records
from wallet_gateway.protocol.money import Money
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db

SHIPPED_TO = {
    "first_name": "Ada",
    "last_name": "Muster",
    "telephone_number": "49-1511",
    "house_number": "7",
    "street": "Hauptstrasse",
    "city": "Wien",
    "zip_postal_code": "1010",
    "country_code": "AUT",
}


def rows() -> list[object]:
    tables = (PaymentOrder, Payment, GatewayTransaction, TransactionEvent)
    return [list(table.objects.order_by("pk").values()) for table in tables]


def test_the_details_of_a_preauthorization_and_of_its_capture_reach_the_shop(
    pay: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    payment = pay(type="preauthorization", shipping_address=SHIPPED_TO)
    captured = capture(payment=payment, context=context)
    before = rows()

    opened, followed = gateway_records(order=payment.order, context=context)

    (record,) = opened.records
    assert (opened.transaction, record.reference) == (payment.opening, payment.reference)
    assert (record.type, record.state) == ("ecom.preAuthorization", "Approved")
    assert record.amount == Money.parse("20.00", "EUR")
    assert record.transacted_at is not None
    assert abs(record.transacted_at - clock.now()) < timedelta(hours=1)
    assert record.provider_transaction_id == payment.opening.provider_transaction_id != ""
    assert (record.payer.first_name, record.payer.email) == ("Sam", "sam.sample@example.com")
    shipped_to = record.shipping_address
    assert shipped_to is not None
    assert (shipped_to.name, shipped_to.phone) == ("Ada Muster", "49-1511")
    assert (shipped_to.street, shipped_to.house_number) == ("Hauptstrasse", "7")
    assert (shipped_to.postal_code, shipped_to.city, shipped_to.country) == ("1010", "Wien", "AUT")
    assert record.billing_address is not None
    assert [one.type for one in followed.records] == ["ecom.capture"]
    assert followed.transaction == captured
    assert followed.records[0].shipping_address is None
    assert rows() == before


def test_only_what_was_sent_is_asked_about(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay(type="preauthorization")
    wallet_sandbox.fault("capture", "drop_before", times=1)
    unknown = capture(payment=payment, context=context)
    unsent = GatewayTransaction.objects.get(pk=payment.opening.pk)
    unsent.pk, unsent.reference, unsent.record_id = None, "NEVER-SENT", None
    unsent.kind, unsent.state, unsent.attempt_no = TransactionKind.AUTHORIZATION, "AWAITING_RESULT", 0
    unsent.save(force_insert=True)
    try:
        found = gateway_records(order=payment.order, context=context)
    finally:
        unsent.delete()
    assert [(one.transaction, len(one.records)) for one in found] == [(payment.opening, 1), (unknown, 0)]


def test_what_cannot_be_read_is_named_beside_what_can(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay()
    wallet_sandbox.fault("status", "unreadable_record")
    (opened,) = gateway_records(order=payment.order, context=context)
    assert len(opened.records) == len(opened.unreadable) == 1
    assert opened.unreadable[0].id is None
    assert "transactionAmount" in opened.unreadable[0].complaint


def test_repr_shows_nothing_of_a_person(pay: Pay, context: GatewayContext) -> None:
    payment = pay(type="preauthorization", shipping_address=SHIPPED_TO)
    found = gateway_records(order=payment.order, context=context)
    assert payment.reference in repr(found)
    for shown in (repr(found), repr(found[0].records[0].message)):
        for secret in ("Ada", "Muster", "Wien", "Hauptstrasse", "1511", "sample", "EW-5520"):
            assert secret not in shown


def test_a_silent_gateway_is_an_error_of_the_project(make_context: MakeContext, open_page: Pay) -> None:
    payment = open_page()
    nowhere = make_context("http://127.0.0.1:9")
    with refuses(GatewayUnreachable, ErrorCode.GATEWAY_SILENT, gateway="default"):
        gateway_records(order=payment.order, context=nowhere)
