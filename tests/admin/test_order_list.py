"""The columns of the list of orders, and who sees which."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.test import Client

from tests.models.rows import a_payment, a_transaction, an_order
from wallet_gateway import payments
from wallet_gateway.admin.order_list import name_of
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.models import PaymentOrder

pytestmark = pytest.mark.django_db

LIST = "/admin/wallet_gateway/paymentorder/"
HOSTILE = "<b>\u202eeve</b>"


def test_one_column_names_the_order_and_its_number_only_where_that_is_another() -> None:
    assert name_of(PaymentOrder(reference="S-1", order_number="S-1")).count("S-1") == 1
    both = name_of(PaymentOrder(reference="S-1", order_number=HOSTILE))
    assert "S-1" in both
    assert "&lt;b&gt;\\u202eeve&lt;/b&gt;" in both


def test_only_who_may_see_customers_sees_them_in_the_list(superuser: Client, onlooker: Client) -> None:
    an_order(content={"checkoutDetails": {"cardholderEmail": "eva@example.org"}})

    assert "eva@example.org" in superuser.get(LIST).content.decode()
    assert "eva@example.org" not in onlooker.get(LIST).content.decode()


@pytest.mark.parametrize("word", [" EVA@example.org ", "Adams", "adam", "1881"])
def test_only_who_may_see_customers_finds_orders_by_them(
    superuser: Client, onlooker: Client, word: str
) -> None:
    payments.create_order(
        reference="S-4",
        currency="EUR",
        amount=Decimal("10.00"),
        cardholder_email="eva@example.org",
        cardholder_first_name="Eva",
        cardholder_last_name="Adams",
    )
    a_payment(PaymentOrder.objects.get(), card_last_four="1881")
    an_order(content={"checkoutDetails": {"cardholderEmail": "eve@example.org"}})

    found, of_onlooker = (person.get(LIST, {"q": word}) for person in (superuser, onlooker))

    assert [order.reference for order in found.context["cl"].result_list] == ["S-4"]
    assert "in the newest 10,000 orders" in found.content.decode()
    assert of_onlooker.context["cl"].result_count == 0
    assert "e-mail address" not in of_onlooker.content.decode()


def test_the_way_of_paying_is_named(superuser: Client) -> None:
    for kind in (TransactionKind.CHECKOUT, TransactionKind.AUTHORIZATION):
        a_transaction(a_payment(an_order()), kind=kind, state=TransactionState.APPROVED)
    an_order()

    text = superuser.get(LIST).content.decode()

    for shown in ("Hosted page", "Wallet button", "-"):
        assert f'<td class="field-way">{shown}</td>' in text


def test_a_list_without_held_money_has_no_column_for_the_time_to_capture(superuser: Client) -> None:
    an_order()
    assert "column-to_capture" not in superuser.get(LIST).content.decode()
