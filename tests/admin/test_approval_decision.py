"""Dual control in the admin: one person asks, another agrees or declines; it is sent once or not at all."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from tests.admin.conftest import (
    MakePerson,
    PaidOrder,
    carry_on,
    operation_url,
    order_url,
    payment_of,
    ticket_on,
)
from wallet_gateway import payments
from wallet_gateway.admin.batch_progress import rows_of
from wallet_gateway.models import Approval, GatewayTransaction, OperationBatch, PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _two_above_five(settings: Settings) -> None:
    gateway = settings.WALLET_GATEWAY["GATEWAYS"]["default"] | {"APPROVAL_LIMITS": {"EUR": "5.00"}}
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": {"default": gateway}}


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


def ask(client: Client, order: PaymentOrder, amount: str = "8.00") -> str:
    """Ask for a refund on the confirm page; give what is read on the order's page."""
    url = operation_url(order, "refund")
    data = {
        "ticket": ticket_on(client, url),
        "amount": amount,
        "confirm": amount,
        "reason": "returned",
        "comment": "box 7",
    }
    return client.post(url, data, follow=True).content.decode()


def page_of(approval: Approval | None = None) -> str:
    return f"/admin/wallet_gateway/approval/{(approval or Approval.objects.get()).pk}/decide/"


def say(client: Client, word: str, reason: str = "", *, ticket: str | None = None) -> str:
    """Say yes or no on the page of the one request; give what is read next."""
    ticket = ticket or ticket_on(client, page_of())
    data = {word: "1", "reason": reason, "ticket": ticket}
    return client.post(page_of(), data, follow=True).content.decode()


def refunds() -> list[GatewayTransaction]:
    return list(GatewayTransaction.objects.filter(kind="REFUND"))


def logged() -> list[tuple[str, str]]:
    return [(entry.user.get_username(), entry.change_message) for entry in LogEntry.objects.order_by("pk")]


def test_one_asks_another_agrees_and_it_is_sent_once(
    operator: Client, second: Client, order: PaymentOrder, wallet_sandbox: SandboxControl
) -> None:
    page = ask(operator, order)
    assert "Refund of €8.00: waits for a second person." in page
    assert "Asked for by anna" in page
    assert "Withdraw…" in page
    assert refunds() == []

    assert "Agree or decline…" in second.get(order_url(order)).content.decode()
    page = second.get(page_of()).content.decode()
    assert "Goods returned: box 7" in page
    assert "€20.00" in page
    assert "&quot;ecom.refund&quot;" in page
    page = say(second, "agree", "seen the box")

    (transaction,) = refunds()
    assert (transaction.state, transaction.created_by) == ("APPROVED", "anna")
    assert "Refund of €8.00: Approved." in page
    assert re.search(r"Agreed to by a second person.*?by bert.*?seen the box", page, re.DOTALL)
    assert [(who, what.split(" (")[0]) for who, what in logged()] == [
        (
            "anna",
            "Refund of 8.00 EUR: waits for a second person. Nothing is reserved and nothing was sent.",
        ),
        ("bert", "Agreed to what anna asked for. Refund of 8.00 EUR: Approved."),
    ]
    assert sum(entry["operation"] == "refund" for entry in wallet_sandbox.journal()) == 1


def test_who_asked_is_offered_to_withdraw_and_cannot_agree_not_even_a_superuser(
    permissions: None, superuser: Client, order: PaymentOrder
) -> None:
    ask(superuser, order)
    page = superuser.get(page_of()).content.decode()
    assert 'name="agree"' not in page
    assert "Why you withdraw it." in page
    assert "decline" not in page.replace('name="decline"', "")

    data = {"agree": "1", "reason": "", "ticket": ticket_on(superuser, page_of())}
    assert superuser.post(page_of(), data).status_code == 403
    assert refunds() == []
    assert "Refund of €8.00: Withdrawn." in say(superuser, "decline", "wrong order")


def test_it_takes_both_permissions_to_agree(
    operator: Client, make_person: MakePerson, order: PaymentOrder
) -> None:
    ask(operator, order)
    colleague, stranger = make_person("refund_payment"), make_person("approve_operation")
    data = {"agree": "1", "reason": "", "ticket": ticket_on(colleague, page_of())}
    assert 'name="agree"' not in colleague.get(page_of()).content.decode()
    assert colleague.post(page_of(), data).status_code == 403
    assert colleague.post(page_of(), data | {"decline": "1", "reason": "no"}).status_code == 403
    assert stranger.get(page_of()).status_code == 403
    assert refunds() == []


def test_a_permission_taken_away_while_the_page_is_open_is_gone(
    operator: Client, second: Client, order: PaymentOrder
) -> None:
    ask(operator, order)
    ticket = ticket_on(second, page_of())
    bert = User.objects.get(username="bert")
    bert.user_permissions.remove(*bert.user_permissions.filter(codename="approve_operation"))

    assert second.post(page_of(), {"agree": "1", "reason": "", "ticket": ticket}).status_code == 403
    assert refunds() == []


@pytest.mark.parametrize("how", ["permission", "account"])
def test_what_somebody_asked_who_may_not_any_more_is_not_done(
    operator: Client, second: Client, order: PaymentOrder, how: str
) -> None:
    ask(operator, order)
    if how == "permission":
        User.objects.get(username="anna").user_permissions.clear()
    else:
        User.objects.filter(username="anna").update(is_active=False)

    assert "anna has no longer the permission to ask for this." in say(second, "agree")
    assert refunds() == []
    assert "Refund of €8.00: Declined." in say(second, "decline", "has left us")


def test_an_order_that_changed_meanwhile_is_looked_at_again(
    operator: Client, second: Client, order: PaymentOrder
) -> None:
    ask(operator, order)
    ticket = ticket_on(second, page_of())
    payment = payment_of(order)
    type(payment).objects.filter(pk=payment.pk).update(refunded=1500)

    assert "there are now €5.00" in say(second, "agree", ticket=ticket)
    page = say(second, "agree")
    assert "The amount is higher than what is left to refund." in page
    assert "Waiting" in page
    assert refunds() == []
    type(payment).objects.filter(pk=payment.pk).update(refunded=0)


def test_declining_needs_a_reason_and_is_told(operator: Client, second: Client, order: PaymentOrder) -> None:
    ask(operator, order)
    assert "The reason is missing. Say why." in say(second, "decline")
    page = say(second, "decline", "not <b>returned</b>")
    assert "Refund of €8.00: Declined." in page
    assert "A second person did not agree" in page
    assert "not &lt;b&gt;returned&lt;/b&gt;" in page
    assert "does not wait for anybody any more" in second.get(page_of()).content.decode()
    assert (
        "This request no longer waits for approval."
        in second.post(
            page_of(), {"decline": "1", "reason": "again", "ticket": ""}, follow=True
        ).content.decode()
    )
    assert refunds() == []


@pytest.mark.parametrize("ticket", ["", "forged"])
def test_a_page_that_was_not_made_for_it_does_nothing(
    operator: Client, second: Client, order: PaymentOrder, ticket: str
) -> None:
    ask(operator, order)
    page = second.post(page_of(), {"agree": "1", "reason": "", "ticket": ticket}).content.decode()
    assert "too old or was changed" in page
    assert refunds() == []


def test_in_a_batch_those_above_the_limit_wait_and_the_others_go(
    operator: Client, second: Client, paid_order: PaidOrder
) -> None:
    orders = [paid_order("4.00", type="sale"), paid_order("20.00", type="sale")]
    chosen = {"action": "refund_many", "_selected_action": [order.pk for order in orders]}
    operator.post("/admin/wallet_gateway/paymentorder/", chosen)
    batch = OperationBatch.objects.get()
    data = {"reason": "returned", "comment": ""}
    for row in rows_of(batch):
        data |= {f"take-{row.pk}": "on", f"amount-{row.pk}": row.amount.to_wire()}
    data["confirm"] = "2, 24.00 EUR"
    operator.post(f"/admin/wallet_gateway/operationbatch/{batch.pk}/confirm/", data)

    page = carry_on(operator, batch)

    assert "2 of 2 orders" in page
    assert "Refund of €4.00: Approved." in page
    assert "Refund of €20.00: waits for a second person." in page
    assert {(row.state, row.transaction_id is not None) for row in batch.rows.all()} == {
        ("CARRIED_OUT", True),
        ("AWAITING_APPROVAL", False),
    }
    assert "Refund of €20.00: Approved." in say(second, "agree")


def test_a_detached_refund_waits_on_the_dashboard_and_is_agreed_to(
    second: Client, wallet_sandbox: SandboxControl, order: PaymentOrder
) -> None:
    header = (
        "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\n"
    )
    wallet_sandbox.migration_file(f"{header}OLD-1,2026-01-02T03:04:05,30.00,EUR,0.00,P-1\n")
    with pytest.raises(payments.errors.AwaitingApproval):
        payments.refund_migrated("OLD-1", Decimal("12.50"), "EUR", by="anna", comment="goodwill")

    page = second.get("/admin/wallet_gateway/dashboard/").content.decode()
    assert "Approvals waiting" in page
    assert page_of() in page
    assert "Detached refund of €12.50" in page
    assert "Detached refund of €12.50: Approved." in say(second, "agree")


def test_a_decision_on_a_lost_outcome_waits_as_well(
    operator: Client, second: Client, order: PaymentOrder, settings: Settings
) -> None:
    transaction = payment_of(order).opening
    GatewayTransaction.objects.filter(pk=transaction.pk).update(state="ANOMALY", approved_minor=None)
    url = f"/admin/wallet_gateway/gatewaytransaction/{transaction.pk}/decide/"
    decision = {"decision": "DID_NOT_HAPPEN", "reason": "ticket 4711", "ticket": ticket_on(operator, url)}
    answer = operator.post(url, decision, follow=True)
    assert "waits for a second person" in answer.content.decode()

    page = second.get(page_of()).content.decode()
    assert "decision: It did not happen" in page
    assert "ticket 4711" in page
    transaction.refresh_from_db()
    assert transaction.state == "ANOMALY"
