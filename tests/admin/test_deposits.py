"""The list of an earlier provider's payments: the ways from there, and who may go them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client

from tests.admin.test_deposit_import import HERE
from tests.admin.test_deposit_refund import deposits  # noqa: F401 - a fixture
from tests.models.rows import a_deposit, a_transaction, an_approval
from wallet_gateway import gateways
from wallet_gateway.models import MigratedDeposit

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("page", ["import/", "export/default/", "refund/?ids=1"])
def test_without_the_permission_the_workbench_is_closed(page: str, onlooker: Client) -> None:
    assert onlooker.get(HERE + page).status_code == 403
    assert "import/" not in onlooker.get(HERE).content.decode()


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


def test_the_page_of_a_deposit_shows_refunds_that_wait_for_a_person(clerk: Client) -> None:
    deposit = a_deposit(is_known=True, amount_minor=5000)
    kind = "DETACHED_REFUND"
    lost = a_transaction(deposit=deposit, kind=kind, state="UNKNOWN", amount_minor=100)
    unsent = a_transaction(deposit=deposit, kind=kind, state="NOT_SENT", amount_minor=200)
    a_transaction(deposit=deposit, kind=kind, state="APPROVED", amount_minor=300)

    page = clerk.get(f"{HERE}{deposit.pk}/change/").content.decode()

    assert "Detached refund of €1.00: Unknown." in page
    assert "Detached refund of €2.00: Not sent." in page
    assert "€3.00" not in page
    assert f"/{unsent.pk}/send-again/" in page
    assert f"/{lost.pk}/send-again/" not in page
