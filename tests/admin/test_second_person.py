"""Dual control in the admin: one person asks, another agrees or declines; it is sent once or not at all."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client

from tests.admin.conftest import MakePerson, PaidOrder
from tests.admin.pages import DASHBOARD, DEPOSITS, HOME, Page, act, look, operation_url, order_url, post, send
from tests.models.rows import an_approval
from tests.support.shop import Shop
from wallet_gateway import gateways, payments
from wallet_gateway.models import Approval, GatewayTransaction, PaymentOrder

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _two_above_five(shop: Shop) -> None:
    shop.configure(APPROVALS={"LIMITS": {"EUR": "5.00"}})


@pytest.fixture
def second(make_person: MakePerson) -> Client:
    """Bert, who refunds and agrees to refunds."""
    return make_person(
        "refund_payment", "detached_refund", "resolve_unknown", "approve_operation", name="bert"
    )


@pytest.fixture
def order(paid_order: PaidOrder) -> PaymentOrder:
    """Paid, 20.00 EUR."""
    return paid_order(type="sale")


def ask(client: Client, order: PaymentOrder) -> Page:
    """Ask for a refund on the confirm page; give what is read on the order's page."""
    why: dict[str, Any] = {"reason": "returned", "comment": "box 7"}
    return send(client, operation_url(order, "refund"), amount="8.00", confirm="8.00", **why)


def page_of() -> str:
    return act("approval", "decide", Approval.objects.get().pk)


def say(client: Client, word: str, reason: str = "", *, page: Page | None = None) -> Page:
    """Say yes or no on the page of the one request; give what is read next."""
    return send(client, page_of(), page=page, **{word: "1", "reason": reason})


def refunds() -> list[GatewayTransaction]:
    return list(GatewayTransaction.objects.filter(kind="REFUND"))


def test_one_asks_another_agrees_and_it_is_sent_once(
    operator: Client, second: Client, order: PaymentOrder, shop: Shop
) -> None:
    page = ask(operator, order)
    page.says("Refund of €8.00: waits for a second person.", "Asked for by anna")
    assert "Withdraw…" in page.buttons
    assert not shop.gateway.sent

    assert look(second, order_url(order)).links["Agree or decline…"] == page_of()
    page = look(second, page_of())
    page.says("Goods returned: box 7", "€20.00", '"ecom.refund"')
    page = say(second, "agree", "seen the box")

    (transaction,) = refunds()
    assert (transaction.state, transaction.created_by, len(shop.gateway.sent)) == ("APPROVED", "anna", 1)
    assert "Refund of €8.00: Approved." in page
    (told,) = [line for line in page.story if "Agreed to by a second person" in line]
    assert "by bert" in told
    assert "seen the box" in told
    logged = [(entry.user.get_username(), entry.change_message) for entry in LogEntry.objects.order_by("pk")]
    assert [(who, what.split(" (")[0]) for who, what in logged] == [
        (
            "anna",
            "Refund of 8.00 EUR: waits for a second person. Nothing is reserved and nothing was sent.",
        ),
        ("bert", "Agreed to what anna asked for. Refund of 8.00 EUR: Approved."),
    ]


def test_who_asked_is_offered_to_withdraw_and_cannot_agree_not_even_a_superuser(
    superuser: Client, order: PaymentOrder
) -> None:
    ask(superuser, order)
    page = look(superuser, page_of())
    assert page.buttons == ["Withdraw", "Back"]
    assert "Why you withdraw it." in page
    assert superuser.post(page_of(), page.hidden | {"agree": "1", "reason": ""}).status_code == 403
    assert "Refund of €8.00: Withdrawn." in say(superuser, "decline", "wrong order")
    assert refunds() == []


def test_it_takes_both_permissions_to_agree_at_the_time_of_the_word(
    operator: Client, second: Client, make_person: MakePerson, order: PaymentOrder
) -> None:
    ask(operator, order)
    colleague, stranger = make_person("refund_payment"), make_person("approve_operation")
    page = look(colleague, page_of())
    assert page.buttons == ["Back"]
    for word in ("agree", "decline"):
        assert colleague.post(page_of(), page.hidden | {word: "1", "reason": "no"}).status_code == 403
    assert stranger.get(page_of()).status_code == 403

    page = look(second, page_of())
    bert = User.objects.get(username="bert")
    bert.user_permissions.remove(*bert.user_permissions.filter(codename="approve_operation"))
    assert second.post(page_of(), page.hidden | {"agree": "1", "reason": ""}).status_code == 403
    assert refunds() == []


def test_what_changed_meanwhile_is_looked_at_again_and_what_its_author_may_not_any_more_is_not_done(
    operator: Client, second: Client, order: PaymentOrder
) -> None:
    ask(operator, order)
    for ticket in ("", "forged"):
        page = post(second, page_of(), agree="1", reason="", ticket=ticket)
        assert "too old or was changed" in page.faults[0]
    before = look(second, page_of())
    order.payments.update(refunded=1500)
    assert "there are now €5.00" in say(second, "agree", page=before)
    page = say(second, "agree")
    assert page.faults[0].startswith("The amount is higher than what is left to refund.")
    order.payments.update(refunded=0)
    User.objects.get(username="anna").user_permissions.clear()
    assert "anna has no longer the permission to ask for this." in say(second, "agree")
    assert "Refund of €8.00: Declined." in say(second, "decline", "has left us")
    assert refunds() == []


def test_a_page_that_came_back_after_a_slip_still_agrees(
    operator: Client, second: Client, order: PaymentOrder
) -> None:
    ask(operator, order)
    back = say(second, "decline")
    assert back.faults == ["The reason is missing. Say why."]
    say(second, "agree", "seen the box", page=back)
    assert [row.state for row in refunds()] == ["APPROVED"]


def test_declining_needs_a_reason_and_is_told(operator: Client, second: Client, order: PaymentOrder) -> None:
    ask(operator, order)
    assert say(second, "decline").faults == ["The reason is missing. Say why."]
    page = say(second, "decline", "not <b>returned</b>")
    assert "Refund of €8.00: Declined." in page
    (told,) = [line for line in page.story if "A second person did not agree" in line]
    assert "not <b>returned</b>" in told
    assert "<b>returned" not in page.html
    assert "does not wait for anybody any more" in look(second, page_of())
    assert "This request no longer waits for approval." in post(
        second, page_of(), decline="1", reason="again"
    )
    assert refunds() == []


def test_the_button_for_many_says_that_it_only_asks_where_each_of_them_needs_a_second_person(
    operator: Client, second: Client, paid_order: PaidOrder, shop: Shop
) -> None:
    chosen = [paid_order(type="sale").pk, paid_order("4.00", type="sale").pk]
    for orders, button in ((chosen[:1], "Ask for €20.00"), (chosen, "Refund 2 orders, €24.00")):
        data = {"action": "refund_many", "_selected_action": orders}
        page = post(operator, f"{HOME}paymentorder/", **data)
        assert page.primary == [button]
    page = look(second, f"{DEPOSITS}refund/?ids={shop.deposit().pk}")
    assert [button[:8] for button in page.primary] == ["Ask for "]


def test_a_detached_refund_waits_on_the_dashboard_and_is_agreed_to(second: Client, shop: Shop) -> None:
    deposit = shop.deposit()
    with pytest.raises(payments.errors.AwaitingApproval):
        payments.refund_migrated("OLD-1", Decimal("12.50"), "EUR", by="anna", comment="goodwill")
    declined = {"payment": None, "deposit": deposit, "kind": "DETACHED_REFUND", "amount_minor": 700}
    an_approval(state="DECLINED", expires_at=gateways.clock().now(), **declined)
    asked = act("approval", "decide", Approval.objects.get(state="WAITING").pk)

    of_deposit = look(second, f"{DEPOSITS}{deposit.pk}/change/")
    assert "Asked for by anna" in of_deposit
    assert "€7.00" not in of_deposit
    for page in (look(second, DASHBOARD), of_deposit):
        page.says(asked, "Detached refund of €12.50")
    assert "Approvals waiting" in look(second, DASHBOARD)
    assert "Detached refund of €12.50: Approved." in send(second, asked, agree="1", reason="")
