"""Differences in the admin: open ones first to be found, and offered to be closed by those who may."""

from __future__ import annotations

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from tests.admin.conftest import PaidOrder
from tests.models.rows import NOW, a_payment
from tests.operations.test_errors import RAISED
from wallet_gateway import payments
from wallet_gateway.findings import _MESSAGES
from wallet_gateway.models import Discrepancy, GatewayTransaction
from wallet_gateway.testing.control import SandboxControl

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


def test_whoever_closes_without_booking_reads_what_that_means(
    operator: Client, difference: Discrepancy
) -> None:
    url = reverse("admin:wallet_gateway_discrepancy_close", args=[difference.pk])
    page = operator.get(url).content.decode()
    book = reverse("admin:wallet_gateway_discrepancy_book", args=[difference.pk])
    assert "the same money could be captured or refunded again" in page
    assert f'<a class="wallet-button" href="{book}">Take it into our totals…</a>' in page
    assert '<button class="wallet-button wallet-button--quiet" type="submit">Dismiss</button>' in page
    Discrepancy.objects.update(kind="EXECUTED_TWICE")
    page = operator.get(url).content.decode()
    assert "could be captured or refunded again" not in page
    assert '<button class="wallet-button" type="submit">Close</button>' in page


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


def test_one_word_for_it_in_menu_list_and_findings(operator: Client, difference: Discrepancy) -> None:
    index = operator.get(reverse("admin:index")).content.decode()
    listed = operator.get(reverse("admin:wallet_gateway_discrepancy_changelist")).content.decode()
    shown = re.sub(r"<[^>]*>", "", index + listed)
    assert "Differences" in shown
    assert "iscrepanc" not in shown
    texts = [*map(str, _MESSAGES.values()), *(refusal.sentence for _name, refusal, _given in RAISED)]
    assert not [text for text in texts if "iscrepanc" in str(text)]


def test_what_only_needs_to_be_closed_has_one_button(operator: Client, difference: Discrepancy) -> None:
    Discrepancy.objects.update(kind="EXECUTED_TWICE")
    page = operator.get(reverse("admin:wallet_gateway_discrepancy_change", args=[difference.pk]))
    assert [(button.label, button.is_quiet) for button in page.context["buttons"]] == [("Close…", True)]


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


def test_the_way_back_is_an_order_only_where_there_is_one(operator: Client, difference: Discrepancy) -> None:
    Discrepancy.objects.update(payment=None)
    url = reverse("admin:wallet_gateway_discrepancy_close", args=[difference.pk])
    answer = operator.post(f"{url}?back=order", {"reason": "seen"})
    assert answer["Location"] == reverse("admin:wallet_gateway_discrepancy_change", args=[difference.pk])
