"""Deposits of an earlier provider in the admin: what was paid, what was given back."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from tests.models.rows import a_deposit

pytestmark = pytest.mark.django_db


def test_a_known_deposit_tells_its_four_sums(operator: Client) -> None:
    deposit = a_deposit(
        known=True, amount_minor=5000, refunded_before=1000, refunded=500, refund_reserved=250
    )

    page = operator.get(reverse("admin:wallet_gateway_migrateddeposit_change", args=[deposit.pk]))

    for amount in ("50.00", "10.00", "5.00", "2.50", "32.50"):
        assert f">{amount}\N{NO-BREAK SPACE}EUR<" in page.content.decode()


def test_of_an_unknown_deposit_nothing_is_invented(operator: Client) -> None:
    a_deposit(parent_transaction_id="OLD-1")

    page = operator.get(reverse("admin:wallet_gateway_migrateddeposit_changelist"), {"q": "OLD-1"})

    assert '<td class="field-deposited">?</td>' in page.content.decode()
