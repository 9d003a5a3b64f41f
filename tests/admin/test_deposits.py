"""The list of an earlier provider's payments: the ways from there, and who may go them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client

from tests.admin.test_deposit_import import HERE
from tests.admin.test_deposit_refund import deposits  # noqa: F401 - a fixture
from tests.models.rows import a_deposit, an_approval
from wallet_gateway import gateways
from wallet_gateway.models import MigratedDeposit

pytestmark = pytest.mark.django_db


def test_the_lists_action_and_the_row_lead_to_the_page(
    clerk: Client,
    deposits: list[MigratedDeposit],  # noqa: F811 - the fixture
) -> None:
    chosen = [deposit.pk for deposit in deposits]
    answer = clerk.post(HERE, {"action": "refund_many", "_selected_action": chosen})
    assert answer.headers["Location"].startswith(f"{HERE}refund/?ids=")
    assert f"{HERE}refund/?ids={chosen[0]}" in clerk.get(f"{HERE}{chosen[0]}/change/").content.decode()


def test_the_page_of_a_deposit_shows_what_waits_for_a_second_person(clerk: Client) -> None:
    deposit = a_deposit()
    until = gateways.clock().now() + timedelta(days=1)
    given = {"payment": None, "deposit": deposit, "kind": "DETACHED_REFUND", "expires_at": until}
    asked = an_approval(created_by="bert", **given)
    an_approval(state="DECLINED", amount_minor=700, **given)

    page = clerk.get(f"{HERE}{deposit.pk}/change/").content.decode()

    assert "Detached refund of €5.00" in page
    assert "Asked for by bert" in page
    assert f"/approval/{asked.pk}/decide/" in page
    assert "€7.00" not in page
