"""Above which amount a second person is needed is said on the form, before anything is asked."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from tests.admin.conftest import PaidOrder, operation_url
from tests.models.rows import a_payment
from wallet_gateway.admin import approval_limits
from wallet_gateway.admin.batch_forms import BatchForm
from wallet_gateway.admin.batch_progress import rows_of
from wallet_gateway.admin.operation_registry import REFUND
from wallet_gateway.models import BatchKind, Payment
from wallet_gateway.payments import batches
from wallet_gateway.protocol.money import Money

pytestmark = pytest.mark.django_db

ABOVE = "needs a second person: nothing is sent before somebody else has agreed."


@pytest.fixture
def limit(settings: Settings) -> None:
    """Let nobody give back more than 5.00 EUR alone."""
    gateway = settings.WALLET_GATEWAY["GATEWAYS"]["default"] | {"APPROVAL_LIMITS": {"EUR": "5.00"}}
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": {"default": gateway}}


def euros(minor: int) -> Money:
    return Money.from_minor_units(minor, "EUR")


def left(payment: Payment) -> Money | None:
    return approval_limits.approval_limit_of(REFUND, payment, gateway="default")


@pytest.mark.usefixtures("limit")
def test_what_was_given_back_and_what_is_under_way_count() -> None:
    totals: dict[str, Any] = {"authorized": 2000, "captured": 2000}

    assert left(a_payment(**totals)) == euros(500)
    assert left(a_payment(**totals, refunded=100, refund_reserved=150)) == euros(250)
    assert left(a_payment(**totals, refunded=900)) == euros(0)


@pytest.mark.usefixtures("limit")
def test_the_confirm_page_says_it_beside_the_amount_and_of_the_amount_that_was_typed(
    operator: Client, paid_order: PaidOrder
) -> None:
    url = operation_url(paid_order(type="sale"), "refund")

    page = operator.get(url).content.decode()
    small, large = (
        operator.post(url, {"amount": amount, "preview": "1"}).content.decode() for amount in ("5.00", "5.01")
    )

    assert f"An amount above €5.00 {ABOVE}" in page
    assert 'aria-describedby="id_amount_helptext"' in page
    assert "asks for a second person" not in page + small
    assert "“Ask for €5.01” sends nothing yet: it asks for a second person." in large


@pytest.mark.usefixtures("limit")
def test_each_row_of_a_batch_says_what_holds_for_its_order(operator: Client, paid_order: PaidOrder) -> None:
    order, small = paid_order(type="sale"), paid_order("4.00", type="sale")
    batch = batches.draft(BatchKind.REFUND, [order, small], by="anna")

    form = BatchForm(batch, rows_of(batch))

    assert [fields.hint for fields in form.rows] == [f"An amount above €5.00 {ABOVE}", ""]
    assert form.rows[0].described_by == form.rows[0].hint_id
    assert form.rows[1].described_by == ""
