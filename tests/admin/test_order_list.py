"""The columns of the list of orders, and who sees which."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.test import Client

from tests.models.rows import a_payment, an_order
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder

pytestmark = pytest.mark.django_db

LIST = "/admin/wallet_gateway/paymentorder/"


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
