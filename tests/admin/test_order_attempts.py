"""The attempts on an order's page: each with its reference once, its card, and what can be done with it."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.admin.conftest import PaidOrder, order_url
from tests.models.rows import a_payment, a_transaction, a_wallet_attempt, an_order
from wallet_gateway import payments
from wallet_gateway.admin.order_page import OrderPage
from wallet_gateway.models import Discrepancy, Payment, PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


def page_of(client: Client, order: PaymentOrder) -> OrderPage:
    page: OrderPage = client.get(order_url(order)).context["page"]
    return page


def html_of(client: Client, order: PaymentOrder) -> str:
    return client.get(order_url(order)).content.decode()


def a_tried_payment(order: PaymentOrder, **columns: object) -> Payment:
    payment = a_payment(order, **columns)
    a_transaction(payment, kind="CHECKOUT", state="REJECTED", reference=payment.reference)
    return payment


def test_a_network_that_the_gateway_made_up_is_made_safe_to_show(onlooker: Client) -> None:
    order = an_order()
    a_tried_payment(order, card_network="Net\u202e<b>", card_last_four="1783")
    assert "Net\\u202e&lt;b&gt; •••• 1783" in html_of(onlooker, order)


def test_every_attempt_is_there_and_each_reference_stands_there_once(onlooker: Client) -> None:
    order = an_order()
    button = a_payment(order)
    authorization = a_transaction(button, kind="AUTHORIZATION", state="EXPIRED", reference=button.reference)
    a_wallet_attempt(authorization)
    tried = [a_tried_payment(order) for _ in range(2)]

    html, page = html_of(onlooker, order), page_of(onlooker, order)

    assert [attempt.payment.number for attempt in page.attempts] == [3, 2]
    assert page.unused == (button,)
    for payment in (button, *tried):
        assert html.count(f">{payment.reference}<") == 1
        assert html.count(f'id="wallet-attempt-{payment.number}"') == 1


def test_what_was_refunded_elsewhere_stands_beside_what_is_left_until_it_is_booked(
    operator: Client, paid_order: PaidOrder, wallet_sandbox: SandboxControl
) -> None:
    order = paid_order("28.90", type="sale")
    wallet_sandbox.portal(order.payments.get().reference, "ecom.refund", "7.00")
    order = payments.reconcile(order, everything=True)

    def left_to_refund() -> tuple[str, tuple[str, ...]]:
        (left,) = page_of(operator, order).attempts[0].left
        assert left.label == "Left to refund"
        return str(left.amount), left.elsewhere

    told = ("€7.00 were refunded elsewhere",)
    assert left_to_refund() == ("21.90 EUR", told), "true while it is frozen"
    payments.approvals.close_discrepancy(Discrepancy.objects.get(), by="anna", reason="is mine")
    assert left_to_refund() == ("28.90 EUR", told)

    Discrepancy.objects.update(closed_at=None)
    payments.approvals.book_discrepancy(Discrepancy.objects.get(), by="anna", reason="support")
    assert left_to_refund() == ("21.90 EUR", ())
