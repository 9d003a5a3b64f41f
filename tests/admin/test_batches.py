"""Many orders at once, as a person does it: choose, look over, confirm, watch, stop, go on."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from tests.admin.conftest import MakePerson, PaidOrder, carry_on
from tests.models.rows import an_order
from wallet_gateway import payments
from wallet_gateway.admin import batches as pages
from wallet_gateway.admin.sums import what_was_named
from wallet_gateway.models import (
    BatchState,
    GatewayTransaction,
    OperationBatch,
    PaymentOrder,
    RowState,
)
from wallet_gateway.payments import batches
from wallet_gateway.protocol.errors import InvalidAmount
from wallet_gateway.protocol.money import Money
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]

LIST = "/admin/wallet_gateway/paymentorder/"


def drafted(client: Client, *orders: PaymentOrder, action: str = "capture_many") -> OperationBatch:
    """Choose orders in the list; give the draft that the next page confirms."""
    client.post(LIST, {"action": action, "_selected_action": [order.pk for order in orders]})
    return OperationBatch.objects.latest("pk")


def url_of(batch: OperationBatch, page: str) -> str:
    return f"/admin/wallet_gateway/operationbatch/{batch.pk}/{page}/"


def everything(batch: OperationBatch, **typed: str) -> dict[str, str]:
    """Fill in the form as it comes, with these amounts by the orders' references."""
    data = {"reason": "shipped", "comment": ""}
    for row in batch.rows.select_related("order"):
        data[f"take-{row.pk}"] = "on"
        data[f"amount-{row.pk}"] = typed.get(str(row.subject).replace("-", ""), str(row.amount.to_wire()))
    return data | named_in(data)


def named_in(data: dict[str, str]) -> dict[str, str]:
    """Give what the button names for the rows of a form that are ticked."""
    typed = [data[name.replace("take", "amount")] for name in data if name.startswith("take-")]
    try:
        return {"confirm": what_was_named([Money.parse(text, "EUR") for text in typed])}
    except InvalidAmount:
        return {"confirm": ""}


def test_the_fields_of_an_order_are_found_however_the_shop_writes_large_numbers(
    operator: Client, paid_order: PaidOrder, settings: Settings
) -> None:
    settings.USE_THOUSAND_SEPARATOR = True
    batch = drafted(operator, paid_order("20.00"))
    batch.rows.update(id=1234567)
    page = operator.get(url_of(batch, "confirm")).content.decode()
    assert 'name="take-1234567"' in page
    assert 'name="amount-1234567"' in page


def test_each_order_has_a_row_an_amount_and_in_the_end_a_result(
    operator: Client, paid_order: PaidOrder
) -> None:
    orders = [paid_order("20.00"), paid_order("30.00")]
    batch = drafted(operator, *orders)
    page = operator.get(url_of(batch, "confirm")).content.decode()
    assert page.count('type="checkbox"') == 2
    assert 'value="20.00"' in page
    assert 'value="30.00"' in page

    operator.post(url_of(batch, "confirm"), everything(batch, A1="5.00"))
    page = carry_on(operator, batch)

    assert "Capture of €5.00: Approved." in page
    assert "Capture of €30.00: Approved." in page
    assert "2 of 2 orders" in page
    assert 'http-equiv="refresh"' not in page
    transactions = GatewayTransaction.objects.filter(kind="CAPTURE")
    assert {(made.created_by, made.reason_code, made.comment) for made in transactions} == {
        ("anna", "shipped", "")
    }


BAD = {
    "20.01": "This is more than there is",
    "5,000": "can be read as €5,000.00",
    "0": "above zero",
    "": "at most 2 decimals",
}


@pytest.mark.parametrize("amount", BAD)
def test_one_bad_amount_is_said_beside_its_order_and_nothing_begins(
    operator: Client, paid_order: PaidOrder, amount: str
) -> None:
    batch = drafted(operator, paid_order(), paid_order())

    page = operator.post(url_of(batch, "confirm"), everything(batch, A2=amount)).content.decode()

    assert page.count('role="alert"') == 1
    assert BAD[amount] in page
    batch.refresh_from_db()
    assert batch.state == BatchState.DRAFT
    assert not GatewayTransaction.objects.filter(kind="CAPTURE").exists()


def test_a_batch_begins_only_by_a_button_that_names_its_sum(operator: Client, paid_order: PaidOrder) -> None:
    batch = drafted(operator, paid_order("28.90"), paid_order("28.90"), paid_order("28.90"))
    page = operator.get(url_of(batch, "confirm")).content.decode()
    assert ">Capture 3 orders, €86.70</button>" in page

    data = everything(batch, A3="1.10") | {"confirm": "3, 86.70 EUR"}
    del data[f"take-{batch.rows.get(order__reference='A-1').pk}"]
    page = operator.post(url_of(batch, "confirm"), data).content.decode()

    assert "Nothing was sent yet. Check the sum" in page
    assert 'value="2, 30.00 EUR"' in page
    assert ">Capture 2 orders, €30.00</button>" in page
    assert page.count('type="checkbox"') == 3, "what is not ticked can be ticked again"
    batch.refresh_from_db()
    assert batch.state == BatchState.DRAFT
    assert batch.rows.filter(state=RowState.WAITING).count() == 3


def test_each_result_is_read_also_of_those_that_fail(
    operator: Client, paid_order: PaidOrder, wallet_sandbox: SandboxControl
) -> None:
    orders = [paid_order() for _ in range(4)]
    batch = drafted(operator, *orders)
    operator.post(url_of(batch, "confirm"), everything(batch))
    payments.capture(orders[3], Decimal("15.00"))
    wallet_sandbox.fault("capture", "status_before", status=500)

    page = carry_on(operator, batch)

    assert page.count("Capture of €20.00: Approved.") == 2
    assert page.count("Capture of €20.00: Unknown.") == 1
    assert page.count("The amount is higher than what is left to capture.") == 1


def test_a_batch_is_paused_and_resumed(
    operator: Client, paid_order: PaidOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "step", partial(batches.step, seconds=0.0))
    batch = drafted(operator, *[paid_order() for _ in range(2)])
    operator.post(url_of(batch, "confirm"), everything(batch))
    carry_on(operator, batch)

    page = operator.post(url_of(batch, "steer"), {"pause": "1"}, follow=True).content.decode()

    assert "1 of 2 orders" in page
    assert 'http-equiv="refresh"' not in page
    assert "Paused by anna" in page
    assert "Resume" in page
    assert batches.step(batch) == []
    page = operator.post(url_of(batch, "steer"), {"resume": "1"}, follow=True).content.decode()
    assert "2 of 2 orders" in page


def test_a_batch_that_was_stopped_leaves_out_what_was_not_begun(
    operator: Client, paid_order: PaidOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "step", partial(batches.step, seconds=0.0))
    batch = drafted(operator, *[paid_order() for _ in range(2)])
    operator.post(url_of(batch, "confirm"), everything(batch))
    carry_on(operator, batch)

    page = operator.post(url_of(batch, "steer"), {"stop": "1"}, follow=True).content.decode()

    assert "2 of 2 orders" in page
    assert "Stopped by anna" in page
    assert "Not begun: the batch was stopped." in page
    operator.post(url_of(batch, "steer"), {"resume": "1"})
    carry_on(operator, batch)
    assert GatewayTransaction.objects.filter(kind="CAPTURE").count() == 1


@pytest.mark.parametrize("page", ["confirm", "progress", "steer"])
def test_a_batch_is_for_those_with_the_permission(
    operator: Client, make_person: MakePerson, paid_order: PaidOrder, page: str
) -> None:
    batch = drafted(operator, paid_order())
    other = make_person("refund_payment")

    assert other.get(url_of(batch, page)).status_code in {403, 405}
    assert other.post(url_of(batch, page), everything(batch)).status_code == 403


def test_only_who_chose_the_orders_confirms_them(
    operator: Client, make_person: MakePerson, paid_order: PaidOrder
) -> None:
    batch = drafted(operator, paid_order())

    assert make_person("capture_payment").post(url_of(batch, "confirm"), everything(batch)).status_code == 403


def test_too_many_orders_are_refused_before_anything_is_made(
    operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "MAX_ORDERS", 1)

    page = operator.post(
        LIST, {"action": "capture_many", "_selected_action": [an_order().pk, an_order().pk]}, follow=True
    )

    assert "Choose at most 1 orders at a time." in page.content.decode()
    assert not OperationBatch.objects.exists()


@pytest.mark.parametrize("page", ["confirm", "progress"])
def test_a_page_of_a_batch_asks_no_more_for_more_orders(operator: Client, page: str) -> None:
    def statements(count: int) -> int:
        batch = drafted(operator, *[an_order() for _ in range(count)])
        if page == "progress":
            OperationBatch.objects.update(state=BatchState.FINISHED)
        with CaptureQueriesContext(connection) as asked:
            assert operator.get(url_of(batch, page)).status_code == 200
        return len(asked)

    assert statements(2) == statements(12) <= 15
