"""Differences in the admin: open ones first to be found, and offered to be closed by those who may."""

from __future__ import annotations

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from tests.admin.conftest import PaidOrder
from tests.models.rows import NOW, a_payment
from wallet_gateway import payments
from wallet_gateway.models import Discrepancy, GatewayTransaction
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


@pytest.fixture
def difference() -> Discrepancy:
    return Discrepancy.objects.create(
        kind="MADE_ELSEWHERE", gateway="default", payment=a_payment(), fingerprint="f", found_at=NOW
    )


def test_closing_is_offered_while_it_is_open_to_those_who_may(
    operator: Client, onlooker: Client, difference: Discrepancy
) -> None:
    url = reverse("admin:wallet_gateway_discrepancy_change", args=[difference.pk])
    close = reverse("admin:wallet_gateway_discrepancy_close", args=[difference.pk])

    assert close in operator.get(url).content.decode()
    assert close not in onlooker.get(url).content.decode()
    Discrepancy.objects.update(closed_at=NOW)
    assert close not in operator.get(url).content.decode()


@pytest.mark.parametrize(
    ("changes", "is_offered"),
    [
        ({}, True),
        ({"kind": "EXECUTED_TWICE"}, False),
        ({"payment": None}, False),
        ({"closed_at": NOW}, True),
    ],
    ids=str,
)
def test_booking_is_offered_for_an_operation_made_elsewhere_on_a_payment(
    changes: dict[str, object], is_offered: bool, operator: Client, difference: Discrepancy
) -> None:
    Discrepancy.objects.update(**changes)
    url = reverse("admin:wallet_gateway_discrepancy_change", args=[difference.pk])
    book = reverse("admin:wallet_gateway_discrepancy_book", args=[difference.pk])
    assert (book in operator.get(url).content.decode()) is is_offered


def test_an_operation_made_elsewhere_is_booked_with_a_reason(
    operator: Client, onlooker: Client, paid_order: PaidOrder, wallet_sandbox: SandboxControl
) -> None:
    order = paid_order(type="sale")
    wallet_sandbox.portal(order.payments.get().reference, "ecom.refund", "5.00")
    payments.reconcile(order, everything=True)
    difference = Discrepancy.objects.get()
    url = reverse("admin:wallet_gateway_discrepancy_book", args=[difference.pk])
    assert onlooker.post(url, {"reason": "support did it"}).status_code == 403
    assert not GatewayTransaction.objects.filter(origin="ELSEWHERE").exists()
    order_url = reverse("admin:wallet_gateway_paymentorder_change", args=[order.pk])
    assert url in operator.get(order_url).content.decode()
    assert url not in onlooker.get(order_url).content.decode()

    page = operator.post(url, {"reason": "support did it"}, follow=True).content.decode()

    assert "Our totals contain it now." in page
    booked = GatewayTransaction.objects.get(origin="ELSEWHERE")
    assert (booked.amount_minor, booked.created_by) == (500, "anna")
    assert f"Refund {booked.reference}" in page
    assert LogEntry.objects.get().change_message == "Taken into our totals: support did it"
    order_page = operator.get(order_url).content.decode()
    assert "Refund made elsewhere" in order_page
    assert url not in order_page
    assert "already closed" in operator.post(url, {"reason": "again"}).content.decode()


ELSEWHERE = {
    "ecom.refund": ("Take €7.00 into our totals…", "€7.00 were refunded elsewhere"),
    "ecom.capture": ("Take €7.00 into our totals…", "€7.00 were captured elsewhere"),
    "ecom.reversalPreauthorization": (
        "Take it into our totals…",
        "An authorization of €7.00 was reversed elsewhere",
    ),
}


@pytest.mark.parametrize("word", ELSEWHERE)
def test_the_safe_act_is_the_one_primary_on_every_page_and_no_list_shows_the_wires_word(
    word: str, operator: Client, difference: Discrepancy
) -> None:
    params = {"type": word, "given": "7.00", "currency": "EUR", "record": "SBX-1"}
    Discrepancy.objects.update(explanation_code="made_elsewhere", explanation_params=params)
    assert difference.payment is not None
    act, told = ELSEWHERE[word]
    of_order = reverse("admin:wallet_gateway_paymentorder_change", args=[difference.payment.order_id])
    of_difference = reverse("admin:wallet_gateway_discrepancy_change", args=[difference.pk])
    for page in (operator.get(of_order).content.decode(), operator.get(of_difference).content.decode()):
        buttons = re.findall(r'<a class="(wallet-button[^"]*)" href="[^"]+"[^>]*>([^<]*…)</a>', page)
        of_row = [button for button in buttons if button[1] in {act, "Dismiss…", "Close…", "Book…"}]
        assert of_row == [("wallet-button", act), ("wallet-button wallet-button--quiet", "Dismiss…")]
    lists = [
        operator.get(reverse(f"admin:wallet_gateway_{name}_changelist")).content.decode()
        for name in ("discrepancy", "dashboard")
    ]
    for page in lists:
        assert told in page
        assert word not in page
    assert "Look at each: take it into our totals where this is offered" in lists[1]
    assert word not in Discrepancy.objects.get().explanation


@pytest.mark.parametrize(("way", "reason"), [("book", "support did it"), ("close", "is the shop's own")])
def test_ending_a_difference_from_its_orders_page_leads_back_to_the_order(
    way: str, reason: str, operator: Client, paid_order: PaidOrder, wallet_sandbox: SandboxControl
) -> None:
    order = paid_order(type="sale")
    wallet_sandbox.portal(order.payments.get().reference, "ecom.refund", "5.00")
    payments.reconcile(order, everything=True)
    order_url = reverse("admin:wallet_gateway_paymentorder_change", args=[order.pk])
    url = reverse(f"admin:wallet_gateway_discrepancy_{way}", args=[Discrepancy.objects.get().pk])
    assert f'href="{url}?back=order"' in operator.get(order_url).content.decode()
    assert f'href="{order_url}">Cancel</a>' in operator.get(f"{url}?back=order").content.decode()
    answer = operator.post(f"{url}?back=order", {"reason": reason})
    assert (answer.status_code, answer["Location"]) == (302, order_url)
