"""Orders in the admin: what the list offers to whom, and that the page costs few statements."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from tests.admin.conftest import MakePerson, PaidOrder, order_url
from wallet_gateway import payments
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]

LIST = "/admin/wallet_gateway/paymentorder/"
ACTIONS = {
    "capture_many": "capture_payment",
    "refund_many": "refund_payment",
    "reverse_many": "reverse_payment",
}


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_is_offered_and_done_only_with_its_permission(
    make_person: MakePerson, paid_order: PaidOrder, action: str
) -> None:
    order = paid_order()
    others = [name for other, name in ACTIONS.items() if other != action]
    chosen = {"action": action, "_selected_action": [order.pk]}

    without, allowed = make_person(*others), make_person(ACTIONS[action])

    assert f'value="{action}"' not in without.get(LIST).content.decode()
    assert "/operationbatch/" not in without.post(LIST, chosen).get("Location", "")
    assert f'value="{action}"' in allowed.get(LIST).content.decode()
    assert "/operationbatch/" in allowed.post(LIST, chosen)["Location"]


def test_asking_the_gateway_finds_what_was_done_elsewhere(
    operator: Client, paid_order: PaidOrder, wallet_sandbox: SandboxControl
) -> None:
    order = paid_order()
    wallet_sandbox.fault("capture", "status_after", status=500)
    payments.capture(order, Decimal("5.00"))
    assert "Unknown" in operator.get(order_url(order)).content.decode()

    url = reverse("admin:wallet_gateway_paymentorder_query", args=[order.pk])
    page = operator.post(url, follow=True).content.decode()

    assert "Capture approved" in page
    assert LogEntry.objects.get().get_change_message() == "Asked the gateway."


def test_asking_is_a_post_of_somebody_who_may_see_orders(
    operator: Client, make_person: MakePerson, paid_order: PaidOrder
) -> None:
    order = paid_order()
    url = reverse("admin:wallet_gateway_paymentorder_query", args=[order.pk])

    assert operator.get(url).status_code == 405
    assert make_person(seeing=()).post(url).status_code == 403
    assert operator.post(url.replace(str(order.pk), "999")).status_code == 404
