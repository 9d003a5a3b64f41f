"""The page of one order: its money, what is possible for this person now, and everything that happened."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from tests.admin.conftest import MakePerson, PaidOrder, operation_url, order_url
from tests.admin.scenery import CONTENT
from tests.models.rows import NOW, a_payment, a_transaction, a_wallet_attempt, an_approval, an_order
from tests.statements import statements
from wallet_gateway import payments
from wallet_gateway.models import Discrepancy, GatewayTransaction, PaymentOrder, TransactionEvent
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


def page_of(client: Client, order: object) -> str:
    return client.get(order_url(order)).content.decode()  # type: ignore[arg-type]


def test_the_money_is_there_at_a_glance(operator: Client, paid_order: PaidOrder) -> None:
    order = paid_order("30.00")
    payments.capture(order, Decimal("20.00"))
    payments.refund(order, Decimal("7.50"))

    page = operator.get(order_url(order)).context["page"]

    assert {str(label): str(amount) for label, amount in page.figures} == {
        "Authorized": "30.00 EUR",
        "Captured": "20.00 EUR",
        "Refunded": "7.50 EUR",
        "Under way": "0.00 EUR",
        "Not captured yet": "10.00 EUR",
    }


def test_the_providers_id_of_each_transaction_is_shown_and_finds_its_order(
    operator: Client, paid_order: PaidOrder
) -> None:
    paid_order()
    order = paid_order("30.00")
    captured = payments.capture(order, Decimal("20.00"))
    payments.reconcile(order, everything=True)
    rows = GatewayTransaction.objects.filter(payment__order=order)
    ids = list(rows.values_list("provider_transaction_id", flat=True))
    page = page_of(operator, order)
    assert len(ids) == 2
    assert all(id_ and id_ in page for id_ in ids)
    for model, found in (("paymentorder", order.pk), ("gatewaytransaction", captured.pk)):
        listed = operator.get(f"/admin/wallet_gateway/{model}/", {"q": ids[0]}).context["cl"].result_list
        assert [row.pk for row in listed] == [found]


def test_what_is_possible_has_a_button_and_what_is_not_has_a_reason(
    operator: Client, paid_order: PaidOrder
) -> None:
    order = paid_order()
    page = page_of(operator, order)
    assert operation_url(order, "capture") in page
    assert operation_url(order, "reversal") in page
    assert operation_url(order, "refund") not in page
    assert "Refund: Nothing is captured." in page

    payments.capture(order)
    page = page_of(operator, order)

    assert operation_url(order, "capture") not in page
    assert operation_url(order, "refund") in page
    assert "Reverse: A capture has been made" in page


@pytest.mark.parametrize("slug", ["capture", "reversal"])
def test_a_button_is_there_only_with_its_permission(
    onlooker: Client, make_person: MakePerson, paid_order: PaidOrder, slug: str
) -> None:
    order = paid_order()
    codename = {"capture": "capture_payment", "reversal": "reverse_payment"}[slug]

    assert operation_url(order, slug) not in page_of(onlooker, order)
    assert operation_url(order, slug) in page_of(make_person(codename), order)


def test_the_story_says_who_and_why_newest_first(operator: Client, paid_order: PaidOrder) -> None:
    order = paid_order()
    payments.capture(order, Decimal("5.00"), by="ben", reason_code="shipped", comment="first parcel")

    lines = operator.get(order_url(order)).context["page"].lines

    assert [str(line.text) for line in lines][:2] == ["Capture approved", "Capture requested"]
    assert (lines[1].by, lines[1].detail) == ("ben", "Goods shipped: first parcel")
    assert lines[-1].text == "Order created"


def test_an_unknown_outcome_is_a_task_with_a_way_out(
    operator: Client, onlooker: Client, paid_order: PaidOrder, wallet_sandbox: SandboxControl
) -> None:
    order = paid_order()
    wallet_sandbox.fault("capture", "status_before", status=500)
    transaction = payments.capture(order, Decimal("5.00"))
    way_out = f"/gatewaytransaction/{transaction.pk}/decide/"

    page = page_of(operator, order)

    assert "Waits for a person" in page
    assert "Capture of €5.00: Unknown." in page
    assert way_out in page
    assert way_out not in page_of(onlooker, order)


def test_a_frozen_order_says_why_and_how_to_go_on(
    operator: Client, onlooker: Client, paid_order: PaidOrder, wallet_sandbox: SandboxControl
) -> None:
    order = paid_order("28.90", type="sale")
    assert "This payment is frozen" not in page_of(operator, order)
    wallet_sandbox.portal(order.payments.get().reference, "ecom.refund", "7.00")
    payments.reconcile(order, everything=True)
    difference = Discrepancy.objects.get()

    page = page_of(operator, order)

    assert "This payment is frozen" in page
    assert "€7.00 were refunded elsewhere, for instance in the provider&#x27;s portal." in page
    for way in ("book", "close"):
        url = reverse(f"admin:wallet_gateway_discrepancy_{way}", args=[difference.pk])
        assert page.count(url) == 1
        assert url not in page_of(onlooker, order)
    assert "Waits for a person" not in page
    left = "<dt>Left to refund</dt><dd><bdi>€21.90</bdi></dd>"
    assert left in page, "true while it is frozen"
    confirm = reverse(
        "admin:wallet_gateway_paymentorder_operation", args=[order.pk, order.payments.get().pk, "refund"]
    )
    assert "<dt>Left to refund</dt><dd><bdi>€21.90</bdi></dd>" in operator.get(confirm).content.decode()

    payments.approvals.close_discrepancy(difference, by="anna", reason="is mine")
    assert "This payment is frozen" not in page_of(operator, order)
    payments.approvals.book_discrepancy(difference, by="anna", reason="it was support")
    assert left in page_of(operator, order)


def a_long_order() -> PaymentOrder:
    """Make an order with three attempts, five refunds, differences and approvals."""
    order = an_order(content=CONTENT)
    soon = timezone.now() + timedelta(days=1)
    for number in range(3):
        payment = a_payment(order, authorized=2000, captured=2000, is_frozen=True)
        opening = a_transaction(payment, kind="AUTHORIZATION", state="APPROVED", reference=payment.reference)
        a_wallet_attempt(opening, given={"email": "sam@mail.example"})
        for _ in range(5):
            refund = a_transaction(payment, kind="REFUND", state="ANOMALY")
            event = {"state_after": "ANOMALY", "answer_body": "[]", "occurred_at": NOW}
            TransactionEvent.objects.create(transaction=refund, kind="ANSWER", **event)
        for name in ("open", "closed"):
            Discrepancy.objects.create(
                kind="EXECUTED_TWICE",
                gateway="default",
                payment=payment,
                transaction=opening,
                fingerprint=f"{number} {name}",
                is_freezing=True,
                found_at=NOW,
                closed_at=NOW if name == "closed" else None,
            )
        an_approval(payment=payment, subject=refund, decision="DID_NOT_HAPPEN", expires_at=soon)
    return order


def test_the_page_takes_at_most_fifteen_statements_however_long_the_order_is(superuser: Client) -> None:
    order = a_long_order()
    superuser.get(order_url(order))
    with CaptureQueriesContext(connection) as captured:
        page = page_of(superuser, order)
    asked = statements(captured)
    assert page.count("The gateway has carried out one request more than once.") == 3
    assert len(asked) <= 15, "\n".join(asked)
    empty = an_order()
    with CaptureQueriesContext(connection) as captured:
        page_of(superuser, empty)
    # One more looks for amounts to book, where anything contradicts our records.
    assert len(statements(captured)) == len(asked) - 1
