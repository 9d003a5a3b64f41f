"""Oscar's dashboard: staff refund, capture and release what may be, and the books follow the gateway."""

from __future__ import annotations

import html
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from oscar.core.loading import get_class, get_model

from tests.contrib.oscar.shop import PAID_BOOKS, Order, books, create_event, pay, place_an_order, to_pay
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction

if TYPE_CHECKING:
    from pytest_django.fixtures import Settings

    from wallet_gateway.testing.control import SandboxControl

pytest_plugins = ["tests.contrib.oscar.fixtures"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.filterwarnings("ignore:update is not implemented in this backend"),  # of the simple search
]


# The dashboard


def test_the_staff_refund_from_the_dashboard(clerk: Client, paid: Any) -> None:  # noqa: ANN401
    assert create_event(clerk, "Refunded", "3.00") == "Payment event created"
    transactions, events, totals = books()
    assert transactions[1:] == [("Refund", Decimal(3))]
    assert events[1:] == [("Refunded", Decimal(3))]
    assert totals == (Decimal(25), Decimal(25), Decimal(3))
    refund = to_pay().payments.get().transactions.get(kind="REFUND")
    assert (refund.created_by, paid.payment_events.first().reference) == ("clerk", refund.reference)


def test_a_refund_of_lines_names_them(clerk: Client, paid: Any) -> None:  # noqa: ANN401
    line = paid.lines.get()
    chosen = {"selected_line": line.pk, f"selected_line_qty_{line.pk}": 1}
    assert create_event(clerk, "Refunded", "12.50", **chosen) == "Payment event created"
    assert (
        line.payment_event_quantity(get_model("order", "PaymentEventType").objects.get(name="Refunded")) == 1
    )


def of_line(paid: Any, quantity: int) -> dict[str, object]:  # noqa: ANN401
    """What the clerk ticks to choose pieces of the order's only line."""
    line = paid.lines.get()
    return {"selected_line": line.pk, f"selected_line_qty_{line.pk}": quantity}


def test_a_line_is_refunded_piece_by_piece_at_the_price_of_a_piece(clerk: Client, paid: Any) -> None:  # noqa: ANN401
    for _piece in range(2):
        # The same amount again within a minute is a second click.
        paid.payment_events.update(date_created=timezone.now() - timedelta(minutes=2))
        assert create_event(clerk, "Refunded", "", **of_line(paid, 1)) == "Payment event created"
    assert books()[1][1:] == [("Refunded", Decimal("12.50")), ("Refunded", Decimal("12.50"))]
    assert "too large" in create_event(clerk, "Refunded", "", **of_line(paid, 1))
    assert books()[2] == (Decimal(25), Decimal(25), Decimal(25))


def test_a_part_of_a_lines_price_is_refunded_and_the_rest_later(clerk: Client, paid: Any) -> None:  # noqa: ANN401
    for part in ("3.00", "22.00"):
        assert create_event(clerk, "Refunded", part, **of_line(paid, 2)) == "Payment event created"
    assert books()[2] == (Decimal(25), Decimal(25), Decimal(25))
    page = clerk.get(reverse("dashboard:order-detail", args=[paid.number])).content.decode()
    assert "quantity 0" not in page
    assert "(quantity 0/" not in page
    line = paid.lines.get()
    for part in ("\u20ac3.00", "\u20ac22.00"):
        assert f"Refunded {part}: a part of the price of {line.title}." in html.unescape(page)
    refunds = paid.payment_events.filter(event_type__name="Refunded")
    assert [event.line_quantities.count() for event in refunds] == [0, 0], "no piece is used up by a part"


def test_a_refund_whose_answer_is_lost_is_recorded_when_the_gateway_has_said_so(
    clerk: Client,
    paid: Any,  # noqa: ANN401
    shop: SandboxControl,
) -> None:
    shop.fault("refund", "drop_after", times=1)
    assert "not known yet" in create_event(clerk, "Refunded", "3.00")
    assert books() == PAID_BOOKS
    payments.reconcile(to_pay(), everything=True)
    assert books()[1][1:] == [("Refunded", Decimal(3))]
    assert books()[2][2] == Decimal(3)


def test_a_refund_that_is_given_up_in_the_end_is_a_note_for_the_staff(
    clerk: Client,
    paid: Any,  # noqa: ANN401
    shop: SandboxControl,
) -> None:
    shop.fault("refund", "drop_before", times=1)
    assert "not known yet" in create_event(clerk, "Refunded", "3.00")
    refund = GatewayTransaction.objects.get(kind="REFUND")
    GatewayTransaction.objects.update(
        absent_count=5, state_changed_at=refund.state_changed_at - timedelta(days=2)
    )
    refund.refresh_from_db()
    payments.approvals.resolve(refund, decision="DID_NOT_HAPPEN", reason="never arrived", by="anna")
    assert books() == PAID_BOOKS
    (note,) = paid.notes.all()
    assert note.message == "Refund of 3.00 EUR by wallet was not carried out: never arrived"


def test_a_refund_that_the_gateway_declines_is_an_error_with_its_reason(
    clerk: Client,
    paid: Any,  # noqa: ANN401
    shop: SandboxControl,
) -> None:
    shop.fault("refund", "errored", times=1)
    assert create_event(clerk, "Refunded", "3.00").startswith("Unable to create payment event")
    assert books() == PAID_BOOKS


def test_who_may_only_look_at_orders_may_not_refund(clerk: Client, paid: Any) -> None:  # noqa: ANN401
    Permission.objects.filter(codename="refund_payment").delete()
    assert "Ask for the permission" in create_event(clerk, "Refunded", "3.00")
    assert books() == PAID_BOOKS


def test_a_refund_above_the_limit_waits_for_a_second_person(
    clerk: Client,
    paid: Any,  # noqa: ANN401
    settings: Settings,
) -> None:
    given = settings.WALLET_GATEWAY
    default = given["GATEWAYS"]["default"] | {"APPROVAL_LIMITS": {"EUR": "2.00"}}
    settings.WALLET_GATEWAY = given | {"GATEWAYS": {"default": default}}
    assert "needs a second person" in create_event(clerk, "Refunded", "3.00")
    (waiting,) = payments.approvals.waiting()
    second = User.objects.create_superuser("boss", "boss@example.com", "secret")
    payments.approvals.approve(waiting, by=second)
    assert books()[1][1:] == [("Refunded", Decimal(3))]


def test_a_refund_made_elsewhere_is_in_oscars_books_too(paid: Any) -> None:  # noqa: ANN401
    payments.refund(to_pay(), Decimal("4.00"))
    assert books()[0][1:] == [("Refund", Decimal(4))]
    assert books()[1][1:] == [("Refunded", Decimal(4))]


# Pre-authorizations


def test_a_reserved_amount_is_captured_when_the_goods_leave(
    client: Client,
    clerk: Client,
    shop: SandboxControl,
    config: Any,  # noqa: ANN401
) -> None:
    config(payment_type="preauthorization")
    place_an_order(client)
    pay(client, shop)
    order = Order.objects.get()
    assert (order.status, len(mail.outbox)) == ("Being processed", 1)
    assert books() == (
        [("Authorise", Decimal(25))],
        [("Authorised", Decimal(25))],
        (Decimal(25), Decimal(0), Decimal(0)),
    )
    # As a shop's own handler does when a parcel leaves: a program, without a user.
    event_type = get_model("order", "PaymentEventType").objects.get(name="Paid")
    get_class("order.processing", "EventHandler")().handle_payment_event(order, event_type, Decimal("10.00"))
    assert create_event(clerk, "Paid", "15.00") == "Payment event created"
    assert books()[0][1:] == [("Debit", Decimal(10)), ("Debit", Decimal(15))]
    assert books()[2] == (Decimal(25), Decimal(25), Decimal(0))
    assert len(mail.outbox) == 1


def test_a_reserved_amount_is_released_as_a_whole(
    client: Client,
    clerk: Client,
    shop: SandboxControl,
    config: Any,  # noqa: ANN401
) -> None:
    config(payment_type="preauthorization")
    place_an_order(client)
    pay(client, shop)
    assert "Only the whole" in create_event(clerk, "Released", "5.00")
    assert create_event(clerk, "Released", "25.00") == "Payment event created"
    assert books()[0][1:] == [("Release", Decimal(25))]
    assert to_pay().state == "REVERSED"
