"""The columns of the list of orders, and who sees which."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.models.rows import a_payment, a_transaction, an_order
from wallet_gateway.admin.order_list import customer_of, name_of
from wallet_gateway.domain.lifecycle import OrderState, TransactionKind, TransactionState
from wallet_gateway.models import PaymentOrder
from wallet_gateway.queries.statistics import Way
from wallet_gateway.queries.ways_of_paying import ways_of_paying

pytestmark = pytest.mark.django_db

LIST = "/admin/wallet_gateway/paymentorder/"
HOSTILE = "<b>\u202eeve</b>"


def test_one_column_names_the_order_and_its_number_only_where_that_is_another() -> None:
    assert name_of(PaymentOrder(reference="S-1", order_number="S-1")).count("S-1") == 1
    both = name_of(PaymentOrder(reference="S-1", order_number=HOSTILE))
    assert "S-1" in both
    assert "&lt;b&gt;\\u202eeve&lt;/b&gt;" in both


@pytest.mark.parametrize(
    ("details", "shown"),
    [
        ({"cardholderFirstName": "Eva", "cardholderLastName": "Kim", "cardholderEmail": "e@x.org"}, "Eva Kim"),
        ({"cardholderEmail": "e@x.org"}, "e@x.org"),
        ({"cardholderFirstName": HOSTILE}, "&lt;b&gt;\\u202eeve&lt;/b&gt;"),
        ({}, "-"),
    ],
)
def test_a_customer_is_named_or_known_by_the_address(details: dict[str, Any], shown: str) -> None:
    assert shown in customer_of(PaymentOrder(content={"checkoutDetails": details}))
    assert customer_of(PaymentOrder(content={})) == "-"


def test_only_who_may_see_customers_sees_them_in_the_list(superuser: Client, onlooker: Client) -> None:
    an_order(content={"checkoutDetails": {"cardholderEmail": "eva@example.org"}})

    assert "eva@example.org" in superuser.get(LIST).content.decode()
    assert "eva@example.org" not in onlooker.get(LIST).content.decode()
    for word in ("eva@example.org", "eva"):
        assert superuser.get(LIST, {"q": word}).context["cl"].result_count == 0, "no search finds a customer"


def paid_by(kind: TransactionKind, state: TransactionState = TransactionState.APPROVED) -> PaymentOrder:
    transaction = a_transaction(a_payment(an_order()), kind=kind, state=state)
    assert transaction.payment is not None
    return transaction.payment.order


def test_the_way_of_paying_is_that_of_the_payment_that_was_approved(superuser: Client) -> None:
    page, button = paid_by(TransactionKind.CHECKOUT), paid_by(TransactionKind.AUTHORIZATION)
    refused = paid_by(TransactionKind.CHECKOUT, TransactionState.REJECTED)

    assert ways_of_paying([page.pk, button.pk, refused.pk]) == {
        page.pk: {Way.REDIRECT},
        button.pk: {Way.BUTTON},
    }
    text = superuser.get(LIST).content.decode()
    assert '<td class="field-way">Hosted page</td>' in text
    assert '<td class="field-way">Wallet button</td>' in text
    assert '<td class="field-way">-</td>' in text


def test_a_list_without_held_money_has_no_column_for_the_time_to_capture(superuser: Client) -> None:
    an_order()
    assert "column-to_capture" not in superuser.get(LIST).content.decode()


def test_a_state_is_a_word_in_the_colour_of_its_meaning(superuser: Client) -> None:
    for state in (OrderState.PAID, OrderState.PENDING, OrderState.FROZEN, OrderState.REFUNDED):
        an_order(state=state)

    text = superuser.get(LIST).content.decode()

    for tone, word in (("good", "Paid"), ("wait", "Pending"), ("bad", "Frozen"), ("plain", "Refunded")):
        assert f'<span class="wallet-badge wallet-badge--{tone}">{word}</span>' in text
