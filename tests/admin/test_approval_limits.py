"""Above which amount a second person is needed is said on the form, before anything is asked."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from tests.admin.conftest import PaidOrder, operation_url
from tests.models.rows import a_deposit, a_payment, a_transaction, an_order
from wallet_gateway.admin import approval_limits
from wallet_gateway.admin.batch_forms import BatchForm
from wallet_gateway.admin.batch_progress import rows_of
from wallet_gateway.admin.deposit_refund import refund_url
from wallet_gateway.admin.operation_registry import CAPTURE, DETACHED_REFUND, REFUND
from wallet_gateway.domain.actors import Actor
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
def test_a_capture_takes_one_person_whatever_its_amount() -> None:
    assert approval_limits.approval_limit_of(CAPTURE, a_payment(authorized=2000), gateway="default") is None


@pytest.mark.usefixtures("limit")
def test_a_currency_without_a_limit_of_its_own_has_the_limit_zero() -> None:
    deposit = a_deposit(currency="JPY")

    assert approval_limits.approval_limit_of(
        DETACHED_REFUND, deposit, gateway="default"
    ) == Money.from_minor_units(0, "JPY")


def test_without_the_setting_and_for_a_gateway_that_is_not_in_it_nothing_is_said() -> None:
    payment = a_payment(authorized=2000, captured=2000)

    assert left(payment) is None
    assert approval_limits.approval_limit_of(REFUND, payment, gateway="closed down") is None
    assert approval_limits.hint(None, euros(2000)) == ""


def test_the_hint_is_for_amounts_that_can_be_asked_for() -> None:
    assert approval_limits.hint(euros(500), euros(501)) == f"An amount above €5.00 {ABOVE}"
    assert approval_limits.hint(euros(500), euros(500)) == ""
    assert approval_limits.hint(euros(500), None) == f"An amount above €5.00 {ABOVE}"
    assert approval_limits.hint(euros(0), euros(1)) == f"This {ABOVE}"


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


@pytest.mark.usefixtures("limit")
def test_the_page_of_deposits_says_it_also_where_only_the_gateway_knows_what_is_left(clerk: Client) -> None:
    page = clerk.get(refund_url([a_deposit(currency="EUR").pk])).content.decode()

    assert f"An amount above €5.00 {ABOVE}" in page


@pytest.mark.usefixtures("limit")
def test_a_decision_says_it_unless_nothing_ever_left(operator: Client) -> None:
    payment = a_payment(an_order(), authorized=2000)
    unknown = a_transaction(payment, kind="CAPTURE", state="UNKNOWN", amount_minor=501)
    little = a_transaction(payment, kind="CAPTURE", state="UNKNOWN", amount_minor=500)
    unsent = a_transaction(payment, kind="CAPTURE", state="NOT_SENT", amount_minor=501)

    ben = Actor(name="ben", account="7")
    assert [approval_limits.hint_of_decision(row, ben) for row in (little, unsent)] == ["", ""]
    page = operator.get(f"/admin/wallet_gateway/gatewaytransaction/{unknown.pk}/decide/").content.decode()
    assert "your decision counts once somebody else has agreed" in page
