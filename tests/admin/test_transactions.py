"""Transactions in the admin: what the page tells of one, and the way out of one that waits."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.admin.conftest import MakePerson
from tests.explanations import commented
from tests.models.rows import NOW, a_transaction
from wallet_gateway.models import GatewayTransaction

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


# Refused afterwards


def refused(kind: str = "REFUND", **columns: Any) -> GatewayTransaction:
    given = {"refusal_unseen_since": NOW, **commented("no funds"), **columns}
    return a_transaction(kind=kind, state="REJECTED", **given)


def pages_of(transaction: GatewayTransaction) -> tuple[str, str, str]:
    """Where the button is: the dashboard, the page of the transaction and that of its order."""
    assert transaction.payment is not None
    admin = "admin:wallet_gateway"
    return (
        reverse(f"{admin}_dashboard_changelist"),
        reverse(f"{admin}_gatewaytransaction_change", args=[transaction.pk]),
        reverse(f"{admin}_paymentorder_change", args=[transaction.payment.order_id]),
    )


def seen_url(transaction: GatewayTransaction) -> str:
    return reverse("admin:wallet_gateway_gatewaytransaction_refusal_seen", args=[transaction.pk])


@pytest.mark.parametrize("page", range(3))
def test_a_refusal_is_marked_as_seen_by_a_button_and_named_with_who_and_when(
    make_person: MakePerson, page: int
) -> None:
    transaction, clerk = refused(), make_person("refund_payment")
    page_url = pages_of(transaction)[page]
    assert f'formaction="{seen_url(transaction)}"' in clerk.get(page_url).content.decode()

    answer = clerk.post(seen_url(transaction), {"back": page_url}, follow=True)

    assert answer.redirect_chain == [(page_url, 302)]
    assert "Marked as seen." in answer.content.decode()
    assert seen_url(transaction) not in answer.content.decode()
    transaction.refresh_from_db()
    assert transaction.refusal_unseen_since is None
    assert transaction.refusal_seen_by
    assert transaction.refusal_seen_by in clerk.get(pages_of(transaction)[1]).content.decode()
    assert LogEntry.objects.get().object_id == str(transaction.pk)
