"""The history on an order's page: each reference where it began, and what was made elsewhere."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.test import Client

from tests.admin.conftest import PaidOrder, order_url
from tests.models.rows import a_payment, a_transaction, an_order
from wallet_gateway import payments
from wallet_gateway.admin.order_timeline import Line
from wallet_gateway.models import Discrepancy, PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


def lines_of(client: Client, order: PaymentOrder) -> tuple[Line, ...]:
    lines: tuple[Line, ...] = client.get(order_url(order)).context["page"].lines
    return lines


def test_a_reference_stands_with_the_entry_that_began_it(operator: Client, paid_order: PaidOrder) -> None:
    order = paid_order("30.00")
    captured = payments.capture(order, Decimal("5.00"))
    told = [(str(line.text), line.reference) for line in lines_of(operator, order)]
    assert ("Capture requested", captured.reference) in told
    assert [text for text, reference in told if reference] == ["Capture requested"]


def test_an_entry_names_its_attempt_where_there_are_several(onlooker: Client) -> None:
    order = an_order()
    first = a_payment(order)
    a_transaction(first, kind="CHECKOUT", state="REJECTED", reference=first.reference)
    assert "Attempt 1</a>" not in onlooker.get(order_url(order)).content.decode()
    second = a_payment(order)
    a_transaction(second, kind="CHECKOUT", state="REJECTED", reference=second.reference)
    assert {line.attempt for line in lines_of(onlooker, order)} == {None, 1, 2}
    page = onlooker.get(order_url(order)).content.decode()
    assert '<a class="wallet-story__attempt" href="#wallet-attempt-1">Attempt 1</a>' in page


def test_what_was_made_elsewhere_is_an_entry_and_its_end_another(
    operator: Client, paid_order: PaidOrder, wallet_sandbox: SandboxControl
) -> None:
    order = paid_order("28.90", type="sale")
    record = wallet_sandbox.portal(order.payments.get().reference, "ecom.refund", "7.00")
    order = payments.reconcile(order, everything=True)

    found = next(line for line in lines_of(operator, order) if line.text == "Refund made elsewhere")
    assert (str(found.amount), found.record_id) == ("7.00 EUR", record["id"])
    assert found.detail == "Our totals do not contain it"

    payments.approvals.close_discrepancy(Discrepancy.objects.get(), by="anna", reason="is mine")
    closed = lines_of(operator, order)[0]
    assert (str(closed.text), closed.by, closed.detail) == ("Difference closed", "anna", "is mine")


def test_what_was_booked_is_told_once_by_its_transaction(
    operator: Client, paid_order: PaidOrder, wallet_sandbox: SandboxControl
) -> None:
    order = paid_order("28.90", type="sale")
    record = wallet_sandbox.portal(order.payments.get().reference, "ecom.refund", "7.00")
    order = payments.reconcile(order, everything=True)
    payments.approvals.book_discrepancy(Discrepancy.objects.get(), by="anna", reason="support")

    told = [line for line in lines_of(operator, order) if line.text == "Refund made elsewhere"]
    assert [(str(line.amount), line.record_id, line.by) for line in told] == [
        ("7.00 EUR", record["id"], "anna")
    ]
    # A reference that was never sent is no help to anybody.
    assert told[0].reference == ""
