"""Differences in the admin: open ones first to be found, and offered to be closed by those who may."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from tests.models.rows import NOW, a_payment
from wallet_gateway.models import Discrepancy

pytestmark = pytest.mark.django_db


@pytest.fixture
def difference() -> Discrepancy:
    return Discrepancy.objects.create(
        kind="MADE_ELSEWHERE", gateway="default", payment=a_payment(), fingerprint="f", found_at=NOW
    )


def test_the_open_ones_can_be_listed_alone(operator: Client, difference: Discrepancy) -> None:
    closed = Discrepancy.objects.create(
        kind="EXECUTED_TWICE", gateway="default", fingerprint="g", found_at=NOW, closed_at=NOW
    )
    url = reverse("admin:wallet_gateway_discrepancy_changelist")

    def listed(**query: str) -> list[Discrepancy]:
        return list(operator.get(url, query).context["cl"].result_list)

    assert listed(open="yes") == [difference]
    assert listed(open="no") == [closed]
    assert listed(open="what") == listed() == [closed, difference]


def test_closing_is_offered_while_it_is_open_to_those_who_may(
    operator: Client, onlooker: Client, difference: Discrepancy
) -> None:
    url = reverse("admin:wallet_gateway_discrepancy_change", args=[difference.pk])
    close = reverse("admin:wallet_gateway_discrepancy_close", args=[difference.pk])

    assert close in operator.get(url).content.decode()
    assert close not in onlooker.get(url).content.decode()
    Discrepancy.objects.update(closed_at=NOW)
    assert close not in operator.get(url).content.decode()
