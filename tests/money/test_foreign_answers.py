"""Answers that are right and look unlike the sandbox's: a byte order mark, and long addresses of pages."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from django.test import Client

from tests.money.gateway import StubGateway
from tests.money.shop import Shop
from wallet_gateway import payments
from wallet_gateway.testing.plugin import WalletApplication

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

pytestmark = pytest.mark.django_db

MARK = b"\xef\xbb\xbf"


@pytest.fixture
def marked(wallet_application: WalletApplication, gateway: StubGateway, shop: Shop) -> Shop:
    """A shop whose gateway begins each answer with a byte order mark."""

    def application(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        return [MARK + b"".join(gateway(environ, start))]

    wallet_application(application)
    return shop


def test_payment_refund_and_button_read_answers_with_a_byte_order_mark(marked: Shop) -> None:
    marked.pay()
    assert payments.get_order("S-1").is_paid
    refund = payments.refund(payments.get_order("S-1"), Decimal("10.00"), by="anna")
    assert refund.state == "APPROVED"
    marked.press_button(marked.order())
    assert payments.get_order("S-2").is_paid


def page_of(length: int) -> str:
    start = "http://127.0.0.1:8001/pay/1?state="
    return start + "s" * (length - len(start))


@pytest.mark.every_database
@pytest.mark.parametrize("length", [2_049, 8_192])
def test_the_customer_is_sent_to_a_long_address(shop: Shop, client: Client, length: int) -> None:
    shop.gateway.pages.append(lambda _: (200, {"redirectUrl": page_of(length)}))
    order = shop.order()
    sent = client.post(f"/wallet/checkout/{order.token}/")
    assert (sent.status_code, sent["Location"]) == (303, page_of(length))
    assert payments.start_checkout(order).redirect_url == page_of(length)


def test_a_longer_address_is_no_page(shop: Shop) -> None:
    shop.gateway.pages.append(lambda _: (200, {"redirectUrl": page_of(8_193)}))
    with pytest.raises(payments.errors.OperationError):
        payments.start_checkout(shop.order())
    assert "at most 8192 characters" in payments.get_order("S-1").payments.get().opening.explanation
