"""The history on an order's page: each reference where it began, and what was made elsewhere."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.admin.conftest import PaidOrder, order_url
from wallet_gateway import payments
from wallet_gateway.admin.order_timeline import Line
from wallet_gateway.models import Discrepancy, PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


def lines_of(client: Client, order: PaymentOrder) -> tuple[Line, ...]:
    lines: tuple[Line, ...] = client.get(order_url(order)).context["page"].lines
    return lines


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
