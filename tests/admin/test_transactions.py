"""Transactions in the admin: what the page tells of one, and the way out of one that waits."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.explanations import commented
from tests.models.rows import a_transaction

pytestmark = pytest.mark.django_db


def test_the_page_of_a_transaction_links_its_order_and_costs_few_statements(operator: Client) -> None:
    transaction = a_transaction(
        **commented("why"), created_by="ben", reason_code="shipped", comment="first parcel"
    )
    url = reverse("admin:wallet_gateway_gatewaytransaction_change", args=[transaction.pk])

    with CaptureQueriesContext(connection) as asked:
        page = operator.get(url).content.decode()

    assert len(asked) <= 15
    assert transaction.payment is not None
    order = transaction.payment.order
    assert f'href="/admin/wallet_gateway/paymentorder/{order.pk}/change/">{order.reference}</a>' in page
    for text in ("€5.00 (5.00 EUR)", "why", "ben", "Goods shipped: first parcel"):
        assert text in page


@pytest.mark.parametrize(
    ("state", "ways"), [("NOT_SENT", 2), ("ANOMALY", 1), ("APPROVED", 0), ("SENDING", 0)]
)
def test_a_transaction_that_waits_shows_its_ways_out(operator: Client, state: str, ways: int) -> None:
    transaction = a_transaction(state=state)
    page = operator.get(reverse("admin:wallet_gateway_gatewaytransaction_change", args=[transaction.pk]))

    text = page.content.decode()
    assert text.count("/send-again/") + text.count("/decide/") == ways
