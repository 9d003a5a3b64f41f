"""An alias that neither the settings nor an order have is refused."""

from __future__ import annotations

import pytest
from django.core.management import CommandError

from tests.models.rows import an_order
from wallet_gateway.management.gateway_option import check_has_orders

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("alias", [None, "default", "former"])
def test_aliases_of_the_settings_and_of_orders_are_known(alias: str | None) -> None:
    an_order(gateway="former")
    check_has_orders(alias)


@pytest.mark.parametrize("alias", ["brnad", "", "\udcff"])
def test_any_other_is_refused_with_those_of_the_settings(alias: str) -> None:
    with pytest.raises(CommandError, match=r"^--gateway: .* it has: default$"):
        check_has_orders(alias)
