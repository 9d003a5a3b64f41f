"""Log lines carry fields by which a collector groups them: reference, gateway, code and state."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from tests.support.gateway import refusing
from tests.support.shop import Shop, order_of
from wallet_gateway import payments, signals
from wallet_gateway.client.errors import NotSentReason
from wallet_gateway.payments.errors import GatewayUnreachable

pytestmark = pytest.mark.django_db
Fields = dict[str, str]


def checkout_that_cannot_leave(shop: Shop) -> Fields:
    order = shop.order()
    with shop.cut_off(NotSentReason.REFUSED_CONNECTION), pytest.raises(GatewayUnreachable):
        payments.start_checkout(order)
    return {"reference": order.reference, "gateway": "default", "code": "nothing_sent"}


def query_without_an_answer(shop: Shop) -> Fields:
    payment = shop.begin()
    shop.busy(503)
    shop.ask(payment)
    return {"reference": payment.reference, "gateway": "default", "state": "OPEN"}


def receiver_that_fails(shop: Shop) -> Fields:
    def fail(**_: object) -> None:
        raise ValueError("odd")

    signals.order_paid.connect(fail)
    try:
        payment = shop.pay()
    finally:
        signals.order_paid.disconnect(fail)
    return {"reference": order_of(payment).reference, "gateway": "default", "code": "PAID"}


def stop_by_a_person(_shop: Shop) -> Fields:
    payments.maintenance.stop_sending("default", by="anna", reason="odd answers")
    payments.maintenance.resume_sending("default", by="anna", reason="mended")
    return {"gateway": "default"}


def pause_that_the_gateway_asks_for(shop: Shop) -> Fields:
    payment, shop.gateway.retry_after = shop.pay(), 60
    shop.gateway.answers.append(refusing(503))
    payments.refund(order_of(payment), Decimal("1.00"))
    return {"gateway": "default", "code": "RETRY_AFTER"}


@pytest.mark.parametrize(
    "happens",
    [
        checkout_that_cannot_leave,
        query_without_an_answer,
        receiver_that_fails,
        stop_by_a_person,
        pause_that_the_gateway_asks_for,
    ],
)
def test_a_line_carries_what_it_is_about(
    happens: Callable[[Shop], Fields], shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.clear()
    fields = happens(shop)
    assert any(fields.items() <= vars(record).items() for record in caplog.records), caplog.text
