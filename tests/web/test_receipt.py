"""The page of a payment that was made: goods, sums, card and the way on, for a day and for nobody by name."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.web.conftest import address
from tests.web.page_reader import Page, assert_nothing_inline
from tests.web.rows import an_attempt, an_order
from wallet_gateway import gateways
from wallet_gateway.domain.lifecycle import OrderState, TransactionKind
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder, TransactionEvent
from wallet_gateway.return_tokens import MAX_AGE, ReturnOutcome

pytestmark = pytest.mark.django_db

CART = {
    "itemDetails": [
        {"productName": "Mug <blue>", "productQuantity": 2, "totalAmount": "18.00"},
        {"productName": "Tea", "productQuantity": 1, "totalAmount": "4.00"},
    ],
    "shippingDetails": {"shippingName": "Post", "shippingAmount": "3.90"},
    "discountDetails": [{"discountName": "Spring", "discountAmount": "1.00"}],
    "totalTaxAmount": "3.98",
}
TIMES = "\N{MULTIPLICATION SIGN}"
WITH_RECEIPT = [OrderState.PAID, OrderState.AUTHORIZED, OrderState.PART_REFUNDED, OrderState.REFUNDED]


@pytest.fixture(autouse=True)
def in_one_time_zone() -> Iterator[None]:
    with timezone.override("UTC"):
        yield


def paid(
    state: OrderState = OrderState.PAID, *, ago: timedelta = timedelta(minutes=1), **columns: Any
) -> PaymentOrder:
    """Store an order that was paid with a card from the wallet's sheet, some time ago."""
    order = an_order(state, **columns)
    order.content = order.content | {"shoppingCartDetails": CART}
    order.save()
    attempt = an_attempt(order)
    Payment.objects.filter(pk=attempt.pk).update(
        authorized=2490, captured=2490, card_type="Token", card_network="VISA", card_last_four="1111"
    )
    GatewayTransaction.objects.filter(payment=attempt).update(
        kind=TransactionKind.AUTHORIZATION, approved_at=timezone.now() - ago
    )
    return order


def page_of(client: Client, order: PaymentOrder) -> Page:
    path = address("result", order.payments.get(), ReturnOutcome.SUCCESS)
    page = Page(client.get(path).content.decode())
    assert_nothing_inline(page)
    return page


@pytest.mark.parametrize("state", WITH_RECEIPT)
def test_the_page_says_what_was_paid_and_with_which_card(client: Client, state: OrderState) -> None:
    text = page_of(client, paid(state)).text
    assert f"2 {TIMES} Mug <blue> €18.00 1 {TIMES} Tea €4.00 Post €3.90" in text
    assert "Spring \N{MINUS SIGN}€1.00 Total €24.90" in text
    assert "Includes tax €3.98" in text
    assert "Card Visa •••• 1111" in text
    assert "Amount" not in text, "the total says it"


def test_it_says_when_and_how_the_order_goes_on(client: Client) -> None:
    page = page_of(client, paid(continue_url="/orders/7/"))
    (time,) = page.all("time")
    assert time.attributes["datetime"].startswith(f"{timezone.now():%Y-}")
    assert "What happens next: we get your order ready. Its page tells you how far it is." in page.text
    (link,) = page.all("a")
    assert (link.attributes["href"], link.attributes["class"]) == ("/orders/7/", "wallet__button")
    assert "See your order" in page.text


@pytest.mark.parametrize("state", WITH_RECEIPT)
def test_a_day_later_the_page_says_how_the_order_stands_and_no_more(
    client: Client, state: OrderState
) -> None:
    text = page_of(client, paid(state, ago=MAX_AGE + timedelta(minutes=1))).text
    assert "Amount €24.90" in text
    assert "Mug" not in text
    assert "1111" not in text


@pytest.mark.parametrize(
    "state", [state for state in OrderState if state not in {*WITH_RECEIPT, OrderState.PART_CAPTURED}]
)
def test_no_other_page_tells_goods_or_card(client: Client, state: OrderState) -> None:
    text = page_of(client, paid(state)).text
    assert "Mug" not in text
    assert "1111" not in text


def test_an_expired_link_tells_neither(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    order = paid()
    path = address("result", order.payments.get(), ReturnOutcome.SUCCESS)
    monkeypatch.setattr("django.core.signing.time.time", lambda: 9_999_999_999.0)
    html = client.get(path).content.decode()
    assert "This link has expired" in html
    assert "Mug" not in html
    assert "1111" not in html


def test_nobody_is_named(client: Client) -> None:
    html = page_of(client, paid()).html
    assert "ada@example.com" not in html
    assert "Lovelace" not in html


@pytest.mark.parametrize(("waited", "installed"), [(True, True), (True, False), (False, True)])
def test_a_confirmation_is_promised_where_one_will_come_and_only_there(
    client: Client, waited: bool, installed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = apps.is_installed
    monkeypatch.setattr(apps, "is_installed", lambda app: installed if app.endswith(".mails") else known(app))
    order = paid()
    state = "UNKNOWN" if waited else "OPEN"
    transaction = GatewayTransaction.objects.get()
    TransactionEvent.objects.create(
        transaction=transaction, kind="FAULT", state_after=state, occurred_at=order.created_at
    )
    assert ("We mail you a confirmation." in page_of(client, order).text) is (waited and installed)


@pytest.mark.parametrize("is_test", [True, False])
@pytest.mark.parametrize("state", [OrderState.PAID, OrderState.PENDING, OrderState.FAILED, OrderState.OPEN])
def test_a_page_says_when_no_real_money_moves(
    client: Client, state: OrderState, is_test: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateways, "is_test", lambda alias: is_test)
    order = an_order(state)
    an_attempt(order)
    order.payments.update(is_test=is_test)
    assert ("TEST No real money moves." in page_of(client, order).text) is is_test


def test_the_shops_own_page_takes_its_place_only_for_who_has_paid_and_within_the_shop(
    client: Client,
) -> None:
    order = paid(continue_url="/orders/7/", redirect_when_paid=True)
    path = address("result", order.payments.get(), ReturnOutcome.CANCEL)
    assert client.get(path)["Location"] == "/orders/7/"
    pay = reverse("wallet_gateway:pay", args=[order.token])
    assert client.get(pay, follow=True).redirect_chain[-1] == ("/orders/7/", 303)

    for state in set(OrderState) - {OrderState.PAID, OrderState.AUTHORIZED, OrderState.PART_CAPTURED}:
        PaymentOrder.objects.update(state=state)
        assert client.get(path).status_code == 200, state
    PaymentOrder.objects.update(state=OrderState.PAID, continue_url="https://evil.example/")
    assert client.get(path).status_code == 200


@pytest.mark.parametrize("name", ["pay", "return", "result", "relative", "query"])
def test_who_has_paid_is_never_sent_in_circles_or_below_our_own_page(client: Client, name: str) -> None:
    order = paid(redirect_when_paid=True, continue_url="/orders/7/")
    result = address("result", order.payments.get(), ReturnOutcome.SUCCESS)
    addresses = {
        "pay": "http://127.0.0.1:8000" + reverse("wallet_gateway:pay", args=[order.token]),
        "return": address("return", order.payments.get(), ReturnOutcome.SUCCESS),
        "result": result,
        "relative": "orders/7",
        "query": "?order=7",
    }
    PaymentOrder.objects.update(continue_url=addresses[name])
    page = page_of(client, PaymentOrder.objects.get())
    assert "Your payment went through" in page.text


def test_an_expired_link_leads_nowhere(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    order = paid(continue_url="/orders/7/", redirect_when_paid=True)
    path = address("result", order.payments.get(), ReturnOutcome.SUCCESS)
    monkeypatch.setattr("django.core.signing.time.time", lambda: 9_999_999_999.0)
    assert client.get(path).status_code == 200
