"""Many orders at once, as a person does it: choose, look over, confirm, watch, stop, go on."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from tests.admin.conftest import MakePerson, PaidOrder
from tests.admin.pages import HOME, Page, act, look, post
from tests.models.rows import NOW, a_deposit, a_payment, a_transaction, an_order
from tests.support.gateway import Sent, losing
from tests.support.shop import Shop
from tests.support.tables import every
from wallet_gateway import gateways, payments
from wallet_gateway.models import (
    BatchKind,
    GatewayTransaction,
    OperationBatch,
    OperationBatchRow,
    PaymentOrder,
    ResultCode,
    RowState,
)
from wallet_gateway.payments import batches

pytestmark = pytest.mark.django_db
LIST = f"{HOME}paymentorder/"


def drafted(client: Client, *orders: PaymentOrder, action: str = "capture_many") -> OperationBatch:
    """Choose orders in the list; give the draft that the next page confirms."""
    client.post(LIST, {"action": action, "_selected_action": [order.pk for order in orders]})
    return OperationBatch.objects.latest("pk")


def url_of(batch: OperationBatch, page: str) -> str:
    return act("operationbatch", page, batch.pk)


def filled(
    batch: OperationBatch, *amounts: str, confirm: str = "", reason: str = "shipped"
) -> dict[str, str]:
    """Fill in the form, with these amounts in the order of its rows, and otherwise those that it has."""
    data = {"reason": reason, "comment": "", "confirm": confirm}
    for number, row in enumerate(batch.rows.order_by("pk")):
        data[f"take-{row.pk}"] = "on"
        amount = amounts[number] if number < len(amounts) else row.amount.to_wire()
        data[f"amount-{row.pk}"] = amount
    return data


def confirmed(client: Client, batch: OperationBatch, *amounts: str, confirm: str) -> Page:
    """Press the button that names the sum."""
    return post(client, url_of(batch, "confirm"), **filled(batch, *amounts, confirm=confirm))


def carried_on(client: Client, batch: OperationBatch) -> Page:
    """Do what the script of a batch's page does until nothing more goes on; give the page."""
    for _look in range(20):
        page = post(client, url_of(batch, "steer"), carry_on="1")
        if "data-wallet-running" not in page:
            return page
    raise AssertionError("the batch does not end")


def captures() -> list[GatewayTransaction]:
    return list(GatewayTransaction.objects.filter(kind="CAPTURE").order_by("pk"))


# From the list to the results


@pytest.mark.every_database
def test_each_order_has_a_row_an_amount_and_in_the_end_a_result(
    operator: Client, paid_order: PaidOrder, settings: Settings
) -> None:
    settings.USE_THOUSAND_SEPARATOR = True
    batch = drafted(operator, paid_order("20.00"), paid_order("30.00"))
    batch.rows.filter(order__reference="S-1").update(id=1234567)
    page = look(operator, url_of(batch, "confirm"))
    assert page.html.count('type="checkbox"') == 2
    page.says('value="20.00"', 'value="30.00"', 'name="take-1234567"', 'name="amount-1234567"')

    # By the number of its row, the other order comes first.
    confirmed(operator, batch, "30.00", "5.00", confirm="2, 35.00 EUR")
    page = carried_on(operator, batch)

    page.says("Capture of €5.00: Approved.", "Capture of €30.00: Approved.", "2 of 2 orders")
    made = {(one.created_by, one.reason_code, one.comment) for one in captures()}
    assert made == {("anna", "shipped", "")}
    entry = LogEntry.objects.latest("pk")
    assert entry.user.get_username() == "anna"
    assert f"batch {batch.pk} of anna)" in entry.change_message


@every(
    ("amount", "fault"),
    [
        ("20.01", "This is more than there is"),
        ("5,000", "can be read as €5,000.00"),
        ("0", "above zero"),
        ("x" * 9999, "at most"),
        ("", "at most 2 decimals"),
    ],
)
def test_one_bad_amount_is_said_beside_its_order_and_nothing_begins(
    operator: Client, amount: str, fault: str
) -> None:
    orders = [a_payment(an_order(), authorized=2000).order for _ in range(2)]
    batch = drafted(operator, *orders)

    page = confirmed(operator, batch, "20.00", amount, confirm="2, 40.00 EUR")

    assert [fault in said for said in page.faults] == [True]
    batch.refresh_from_db()
    assert batch.state == "DRAFT"
    assert not captures()


def test_a_batch_begins_only_by_a_button_that_names_its_sum(operator: Client, superuser: Client) -> None:
    orders = [a_payment(an_order(), authorized=2890).order for _ in range(3)]
    batch = drafted(operator, *orders)
    answer = superuser.post(url_of(batch, "confirm"), filled(batch, confirm="3, 86.70 EUR"))
    assert answer.status_code == 403, "only who chose the orders confirms them"
    assert look(operator, url_of(batch, "confirm")).primary == ["Capture 3 orders, €86.70"]

    data = filled(batch, "28.90", "28.90", "1.10", confirm="3, 86.70 EUR")
    del data[f"take-{batch.rows.order_by('pk')[0].pk}"]
    page = post(operator, url_of(batch, "confirm"), **data)

    page.says("Nothing was sent yet. Check the sum", 'value="2, 30.00 EUR"')
    assert page.primary == ["Capture 2 orders, €30.00"]
    assert page.html.count('type="checkbox"') == 3, "what is not ticked can be ticked again"
    batch.refresh_from_db()
    assert batch.state == "DRAFT"
    assert batch.rows.filter(state=RowState.WAITING).count() == 3


def test_each_result_is_read_also_of_those_that_fail(
    operator: Client, paid_order: PaidOrder, shop: Shop
) -> None:
    orders = [paid_order() for _ in range(3)]
    batch = drafted(operator, *orders)
    confirmed(operator, batch, confirm="3, 60.00 EUR")
    payments.capture(orders[2], Decimal("15.00"))
    shop.gateway.answers.append(losing)

    page = carried_on(operator, batch)

    for said in ("Approved.", "Unknown."):
        assert page.text.count(f"Capture of €20.00: {said}") == 1
    assert page.text.count("The amount is higher than what is left to capture.") == 1


WORDS_OF_THEIR_OWN = {
    ResultCode.REFUSED: "the operation's",
    ResultCode.NOT_POSSIBLE: "the operation's",
    ResultCode.NOT_WANTED: "the row's state",
    ResultCode.CHANGED: "the changed transactions'",
}


def test_every_result_has_its_sentence(operator: Client) -> None:
    batch = OperationBatch.objects.create(kind="CAPTURE", state="FINISHED", created_by="anna", created_at=NOW)
    codes = [code for code in ResultCode if code not in WORDS_OF_THEIR_OWN]
    for code in codes:
        OperationBatchRow.objects.create(batch=batch, order=an_order(), state="LEFT_OUT", result_code=code)
    shown = look(operator, url_of(batch, "progress")).rows()
    told = [row[2] for row in shown if row[0].startswith("ORDER-")]
    assert len(set(told)) == len(codes)
    assert all(sentence.endswith(".") and "%" not in sentence for sentence in told)


@every("page", ["confirm", "progress"])
def test_a_page_of_a_batch_asks_no_more_for_more_orders(operator: Client, page: str) -> None:
    def statements(count: int) -> int:
        batch = drafted(operator, *[an_order() for _ in range(count)])
        if page == "progress":
            OperationBatch.objects.update(state="FINISHED")
        with CaptureQueriesContext(connection) as asked:
            look(operator, url_of(batch, page))
        return len(asked)

    assert statements(2) == statements(12) <= 15


# While it goes on


@pytest.fixture
def batch(operator: Client, paid_order: PaidOrder) -> OperationBatch:
    """Two orders to be captured, confirmed by anna."""
    batch = batches.draft(BatchKind.CAPTURE, [paid_order(), paid_order()], by="anna")
    batches.start(batch, reason_code="shipped")
    batch.refresh_from_db()
    return batch


def test_looking_at_it_carries_out_nothing_and_without_scripts_it_renews_itself_until_the_sweep_is_done(
    operator: Client, batch: OperationBatch
) -> None:
    url = url_of(batch, "progress")
    for look_at in (operator.get, operator.head, operator.options):
        look_at(url)
    renewed = f'<noscript><meta http-equiv="refresh" content="5; url={url}"></noscript>'
    assert renewed in look(operator, url)
    assert not captures()
    assert {row.state for row in batch.rows.all()} == {RowState.WAITING}

    payments.sweep()

    page = look(operator, url)
    assert "2 of 2 orders" in page
    assert "http-equiv" not in page
    assert len(captures()) == 2


def test_somebody_else_sees_whose_it_is_and_goes_on_with_it_where_no_worker_does(
    make_person: MakePerson, batch: OperationBatch, shop: Shop
) -> None:
    colleague = make_person("capture_payment")
    page = look(colleague, url_of(batch, "progress"))
    assert "Workers carry it out on behalf of anna. Closing this page stops nothing." in page
    page.lacks("data-wallet-drives", 'name="carry_on"')

    OperationBatch.objects.update(driven_at=gateways.clock().now() - timedelta(minutes=6))
    page = look(colleague, url_of(batch, "progress"))
    assert "No worker drives it: have manage.py wallet_sweep run, or go on from here." in page
    assert page.buttons[0].startswith("Go on: ")
    assert "2 of 2 orders" in carried_on(colleague, batch)
    assert {capture.created_by for capture in captures()} == {"anna"}


def test_pause_resume_and_stop_are_buttons_that_hold_for_what_was_not_begun(
    operator: Client, batch: OperationBatch, shop: Shop
) -> None:
    url = url_of(batch, "steer")

    def press_stop(sent: Sent) -> tuple[int, object]:
        post(operator, url, stop="1")
        return shop.gateway.approve(sent)

    assert "Paused by anna" in post(operator, url, pause="1")
    assert batches.step(batch) == []
    shop.gateway.answers.append(press_stop)
    post(operator, url, resume="1")
    page = carried_on(operator, batch)
    page.says("2 of 2 orders", "Stopped by anna", "Not begun: the batch was stopped.")
    post(operator, url, resume="1")
    carried_on(operator, batch)
    assert len(captures()) == 1, "a stop is for good"


# Asking the gateway about many


def chosen(client: Client, model: str, *rows: Model) -> Page:
    page = post(client, f"{HOME}{model}/", action="query_many", _selected_action=[row.pk for row in rows])
    batch = OperationBatch.objects.order_by("pk").last()
    return page if batch is None else carried_on(client, batch)


def test_each_order_says_what_the_gateways_word_changed(
    onlooker: Client, paid_order: PaidOrder, shop: Shop
) -> None:
    shop.configure(QUERIES={"RATE": 1_000_000})
    lost, same = paid_order(), paid_order()

    def lose_afterwards(sent: Sent) -> tuple[int, object]:
        shop.gateway.approve(sent)
        return losing(sent)

    shop.gateway.answers.append(lose_afterwards)
    payments.capture(lost, Decimal("5.00"))

    page = chosen(onlooker, "paymentorder", lost, same, an_order())

    page.says("3 of 3 orders", "Capture of €5.00: Approved.")
    page.says("The gateway was asked; everything stands as before.", "Nothing was ever asked of the gateway.")
    assert LogEntry.objects.filter(change_message__startswith="Asked the gateway.").count() == 3


def test_transactions_are_asked_about_by_their_order_or_deposit_each_once(
    operator: Client, paid_order: PaidOrder, shop: Shop
) -> None:
    shop.configure(QUERIES={"RATE": 1_000_000})
    order = paid_order()
    capture = payments.capture(order, Decimal("5.00"))
    deposit = a_deposit()
    detached = a_transaction(deposit=deposit, kind="DETACHED_REFUND", state="UNKNOWN")
    shop.gateway.asked.clear()

    page = chosen(operator, "gatewaytransaction", *GatewayTransaction.objects.all())

    assert "2 of 2" in page
    assert order.reference in page
    assert str(deposit) in page
    opening = order.payments.get().reference
    assert sorted(shop.gateway.asked) == sorted([opening, capture.reference, detached.reference])
    GatewayTransaction.objects.filter(pk=detached.pk).delete()


def test_more_than_a_batch_takes_is_refused_and_many_transactions_of_few_orders_are_all_asked_about(
    operator: Client, paid_order: PaidOrder, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.configure(QUERIES={"RATE": 1_000_000})
    orders = [paid_order() for _ in range(3)]
    # The newest are of one order only.
    for _ in range(3):
        payments.capture(orders[0], Decimal("5.00"))
    of_two = GatewayTransaction.objects.filter(payment__order__in=orders[:2])
    monkeypatch.setattr(batches, "MAX_ROWS", 2)

    assert "A batch has at most 2 rows." in chosen(operator, "paymentorder", *orders)
    page = post(operator, LIST, action="capture_many", _selected_action=[order.pk for order in orders])
    assert "A batch has at most 2 rows." in page
    assert not OperationBatch.objects.exists()
    assert of_two.count() == 5
    assert "2 of 2 orders" in chosen(operator, "gatewaytransaction", *of_two)
