"""Oscar's dashboard: staff refund, capture and release what may be, and the books follow the gateway."""

from __future__ import annotations

import html
from collections.abc import Callable
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.models import Permission, User
from django.core import mail
from django.db.models.signals import post_save
from django.utils import timezone
from oscar.core.loading import get_class, get_model

from tests.contrib.oscar.shop import (
    DONE,
    PAID_BOOKS,
    Order,
    OscarRow,
    OscarShop,
    books,
    refunded,
    to_pay,
)
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest_plugins = ["tests.contrib.oscar.fixtures"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.filterwarnings("ignore:update is not implemented in this backend"),  # of the simple search
]


@pytest.fixture
def paid(shop: OscarShop) -> OscarRow:
    return shop.sell()


def event_type(name: str) -> OscarRow:
    return get_model("order", "PaymentEventType").objects.get(name=name)


def handle_event(order: OscarRow, name: str, amount: Decimal) -> None:
    """Do as a shop's own handler does when a parcel leaves: a program, without a user."""
    get_class("order.processing", "EventHandler")().handle_payment_event(order, event_type(name), amount)


def of_line(paid: OscarRow, quantity: int) -> dict[str, object]:
    """What the clerk ticks to choose pieces of the order's only line."""
    line = paid.lines.get()
    return {"selected_line": line.pk, f"selected_line_qty_{line.pk}": quantity}


# Refunds


def test_the_staff_refund_from_the_dashboard(shop: OscarShop, paid: OscarRow) -> None:
    assert shop.create_event("Refunded", "3.00") == DONE
    transactions, events, totals = books()
    assert transactions[1:] == [("Refund", Decimal(3))]
    assert events[1:] == [("Refunded", Decimal(3))]
    assert totals == (Decimal(25), Decimal(25), Decimal(3))
    refund = to_pay().payments.get().transactions.get(kind="REFUND")
    assert (refund.created_by, paid.payment_events.first().reference) == ("clerk", refund.reference)
    payments.refund(to_pay(), Decimal("4.00"))
    assert refunded() == [Decimal(3), Decimal(4)], "what is refunded elsewhere is in oscar's books, too"
    shop.gateway.fault("refund", "errored", times=1)
    assert shop.create_event("Refunded", "5.00").startswith("Unable to create payment event")
    Permission.objects.filter(codename="refund_payment").delete()
    assert "Ask for the permission" in shop.create_event("Refunded", "3.00")
    assert refunded() == [Decimal(3), Decimal(4)]


def test_a_line_is_refunded_piece_by_piece_at_the_price_of_a_piece(shop: OscarShop, paid: OscarRow) -> None:
    for _piece in range(2):
        # The same amount again within a minute is a second click.
        paid.payment_events.update(date_created=timezone.now() - timedelta(minutes=2))
        assert shop.create_event("Refunded", "", **of_line(paid, 1)) == DONE
    assert refunded() == [Decimal("12.50"), Decimal("12.50")]
    assert paid.lines.get().payment_event_quantity(event_type("Refunded")) == 2
    assert "too large" in shop.create_event("Refunded", "", **of_line(paid, 1))
    assert books()[2] == (Decimal(25), Decimal(25), Decimal(25))


def test_a_part_of_a_lines_price_is_refunded_and_the_rest_later(shop: OscarShop, paid: OscarRow) -> None:
    for part in ("3.00", "22.00"):
        assert shop.create_event("Refunded", part, **of_line(paid, 2)) == DONE
    assert books()[2] == (Decimal(25), Decimal(25), Decimal(25))
    page = shop.clerk.get(shop.detail).content.decode()
    assert "quantity 0" not in page
    assert "(quantity 0/" not in page
    line = paid.lines.get()
    for part in ("\u20ac3.00", "\u20ac22.00"):
        assert f"Refunded {part}: a part of the price of {line.title}." in html.unescape(page)
    refunds = paid.payment_events.filter(event_type__name="Refunded")
    assert [event.line_quantities.count() for event in refunds] == [0, 0], "no piece is used up by a part"


def test_a_refund_whose_answer_is_lost_is_recorded_when_the_gateway_has_said_so(
    shop: OscarShop, paid: OscarRow
) -> None:
    shop.gateway.fault("refund", "drop_after", times=1)
    assert "not known yet" in shop.create_event("Refunded", "3.00")
    assert books() == PAID_BOOKS
    payments.reconcile(to_pay(), everything=True)
    assert refunded() == [books()[2][2]] == [Decimal(3)]


def test_a_refund_that_is_given_up_in_the_end_is_a_note_for_the_staff(
    shop: OscarShop, paid: OscarRow
) -> None:
    shop.gateway.fault("refund", "drop_before", times=1)
    assert "not known yet" in shop.create_event("Refunded", "3.00")
    refund = GatewayTransaction.objects.get(kind="REFUND")
    long_ago = refund.state_changed_at - timedelta(days=2)
    GatewayTransaction.objects.update(absent_count=5, state_changed_at=long_ago)
    refund.refresh_from_db()
    payments.approvals.resolve(refund, decision="DID_NOT_HAPPEN", reason="never arrived", by="anna")
    assert books() == PAID_BOOKS
    (note,) = paid.notes.all()
    assert note.message == "Refund of 3.00 EUR by wallet was not carried out: never arrived"


def test_a_refund_above_the_limit_waits_for_a_second_person(shop: OscarShop, paid: OscarRow) -> None:
    shop.set_gateway(APPROVALS={"LIMITS": {"EUR": "2.00"}})
    assert "needs a second person" in shop.create_event("Refunded", "3.00")
    (waiting,) = payments.approvals.waiting()
    payments.approvals.approve(waiting, by=User.objects.create_superuser("boss"))
    assert refunded() == [Decimal(3)]


# Pre-authorizations


def test_a_reserved_amount_is_captured_when_the_goods_leave(shop: OscarShop) -> None:
    shop.configure(payment_type="preauthorization")
    order = shop.sell()
    assert (order.status, len(mail.outbox)) == ("Being processed", 1)
    reserved = (Decimal(25), Decimal(0), Decimal(0))
    assert books() == ([("Authorise", Decimal(25))], [("Authorised", Decimal(25))], reserved)
    handle_event(order, "Paid", Decimal("10.00"))
    assert shop.create_event("Paid", "15.00") == DONE
    assert books()[0][1:] == [("Debit", Decimal(10)), ("Debit", Decimal(15))]
    assert books()[2] == (Decimal(25), Decimal(25), Decimal(0))
    assert len(mail.outbox) == 1


def test_a_reserved_amount_is_released_as_a_whole(shop: OscarShop) -> None:
    shop.configure(payment_type="preauthorization")
    shop.sell()
    assert "Only the whole" in shop.create_event("Released", "5.00")
    assert shop.create_event("Released", "25.00") == DONE
    assert (books()[0][1:], to_pay().state) == ([("Release", Decimal(25))], "REVERSED")


# Rows that the shop writes as well: nothing older is written back, nothing missed in silence


@contextmanager
def when_money_moves(act: Callable[[OscarRow], object]) -> Iterator[None]:
    """Let the shop's own receiver act on each payment event."""

    def hear(instance: OscarRow, **_rest: object) -> None:
        act(instance)

    events = get_model("order", "PaymentEvent")
    post_save.connect(hear, sender=events)
    yield
    post_save.disconnect(hear, sender=events)


def note(event: OscarRow) -> None:
    """Write into order and source."""
    orders = Order.objects.filter(pk=event.order_id)
    orders.update(guest_email=f"{event.event_type.name}@example.com")
    orders.get().sources.update(label=event.event_type.name)


def test_what_the_shop_writes_when_it_hears_of_money_stays(shop: OscarShop) -> None:
    shop.configure(payment_type="preauthorization")
    with when_money_moves(note):
        order = shop.sell()
        assert (order.status, order.guest_email) == ("Being processed", "Authorised@example.com")
        assert order.sources.get().label == "Authorised"
        handle_event(order, "Paid", order.total_incl_tax)
    order.set_status("Complete")
    row = Order.objects.get()
    assert (row.status, row.guest_email) == ("Complete", "Paid@example.com")


def test_an_order_that_is_cancelled_while_its_payment_is_recorded_stays_cancelled(shop: OscarShop) -> None:
    with when_money_moves(lambda _: Order.objects.update(status="Cancelled")):
        order = shop.sell()
    assert (order.status, mail.outbox) == ("Cancelled", [])
    assert "after the cancellation" in order.notes.get().message


def test_money_for_an_order_that_was_deleted_is_an_error_in_the_log(
    shop: OscarShop, caplog: pytest.LogCaptureFixture
) -> None:
    shop.place_an_order()
    order = to_pay()
    Order.objects.all().delete()
    shop.client.get(shop.gateway.complete_checkout(order.payments.get().reference, "success"))
    assert payments.get_order(order.reference).is_paid
    (said,) = [line.getMessage() for line in caplog.records if line.name == "wallet_gateway.bridges"]
    assert order.reference in said
    assert not order.outbox_events.filter(delivered_at=None).exists()
