"""The list of an earlier provider's payments: the ways from there, and who may go them."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.admin.test_migrated_import import HERE
from tests.admin.test_migrated_refund import deposits  # noqa: F401 - a fixture
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
