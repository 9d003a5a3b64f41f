"""The confirm page: what it shows, what it refuses and where it says so, and that a page is one operation."""

from __future__ import annotations

from decimal import Decimal
from threading import Barrier, Thread
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connections
from django.test import Client
from pytest_django import Settings

from tests.admin.conftest import MakePerson, PaidOrder, operation_url, order_url, payment_of, ticket_on
from wallet_gateway import payments
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


def follow_ups() -> list[GatewayTransaction]:
    return list(GatewayTransaction.objects.exclude(kind="CHECKOUT"))


def submitted(client: Client, url: str, **given: Any) -> str:
    """Submit a page by the button that names its amount, and give what is read on the next one."""
    data = {"ticket": ticket_on(client, url), "reason": "shipped", "comment": "", **given}
    data.setdefault("confirm", data.get("amount", "20.00"))
    return client.post(url, data, follow=True).content.decode()


@pytest.fixture
def order(paid_order: PaidOrder) -> PaymentOrder:
    return paid_order()


# What is shown


def test_the_remaining_amount_is_filled_in_and_shown(operator: Client, order: PaymentOrder) -> None:
    payments.capture(order, Decimal("7.50"))

    page = operator.get(operation_url(order, "capture")).content.decode()

    assert 'value="12.50"' in page
    assert "Left to capture" in page
    assert "€12.50" in page


def test_the_exact_request_is_shown_without_secrets_for_the_amount_that_was_typed(
    operator: Client, order: PaymentOrder, wallet_sandbox: SandboxControl
) -> None:
    url = operation_url(order, "capture")

    page = operator.post(url, {"amount": "3.00", "preview": "1"}).content.decode()

    assert "&quot;amount&quot;: &quot;3.00&quot;" in page
    assert "&quot;ecom.capture&quot;" in page
    assert payment_of(order).reference in page
    assert '<details class="wallet-request" open>' in page
    assert not follow_ups()


# What it does


def test_every_operation_is_in_djangos_log_of_the_admin(operator: Client, order: PaymentOrder) -> None:
    submitted(operator, operation_url(order, "capture"), amount="5.00", comment="first parcel")

    [entry] = LogEntry.objects.all()
    assert entry.user.get_username() == "anna"
    assert entry.object_id == str(order.pk)
    assert "Capture of 5.00 EUR: Approved." in entry.change_message
    assert entry.change_message.endswith(f"({follow_ups()[0].reference}; Goods shipped: first parcel)")


def test_an_unknown_outcome_is_told_as_unknown(
    operator: Client, order: PaymentOrder, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.fault("capture", "status_before", status=500)

    page = submitted(operator, operation_url(order, "capture"), amount="5.00")

    assert "Capture of €5.00: Unknown." in page
    assert "stays reserved" in page


def test_money_moves_only_by_a_button_that_names_the_amount(operator: Client, order: PaymentOrder) -> None:
    url = operation_url(order, "capture")
    page = operator.get(url).content.decode()
    assert 'name="confirm" value="20.00"' in page
    assert ">Capture €20.00</button>" in page

    page = submitted(operator, url, amount="5,00", confirm="20.00")

    assert 'name="confirm" value="5.00"' in page
    assert (
        "Nothing was sent yet. Check the amount: the button below now says “Capture €5.00” (5.00 EUR)."
        in page
    )
    assert 'value="5,00"' in page, "what was typed stays"
    assert not follow_ups()
    assert "Capture of €5.00: Approved." in submitted(operator, url, amount="5,00", confirm="5.00")


def test_amounts_are_shown_typed_and_confirmed_as_the_reader_writes_them(
    operator: Client, paid_order: PaidOrder
) -> None:
    order = paid_order("1234.50")
    url, german = operation_url(order, "capture"), {"Accept-Language": "de"}
    page = operator.get(url, headers=german).content.decode()
    assert "1.234,50\N{NO-BREAK SPACE}€" in page
    assert 'value="1234,50"' in page

    data = {
        "ticket": ticket_on(operator, url),
        "reason": "shipped",
        "amount": "1234,5",
        "confirm": "1234.50",
    }
    operator.post(url, data, headers=german)

    assert [transaction.amount_minor for transaction in follow_ups()] == [123450]


# Bad input: said beside the field, nothing reserved, nothing sent

BAD_AMOUNTS = {
    "20.01": "This is more than there is. Left to capture: €20.00.",
    "12,34,56": "Write an amount in EUR with at most 2 decimals, like this: 1234.05.",
    "1234.567": "Write an amount in EUR with at most 2 decimals, like this: 1234.05.",
    "0": "The amount must be above zero.",
    "0.00": "The amount must be above zero.",
    "-5.00": "Write an amount in EUR with at most 2 decimals, like this: 1234.05.",
    "1e1": "Write an amount in EUR with at most 2 decimals, like this: 1234.05.",
    "": "Write an amount in EUR with at most 2 decimals, like this: 1234.05.",
    "<script>alert(1)</script>": "Write an amount in EUR with at most 2 decimals, like this: 1234.05.",
}


@pytest.mark.parametrize("amount", BAD_AMOUNTS)
def test_a_bad_amount_is_refused_beside_its_field(
    operator: Client, order: PaymentOrder, wallet_sandbox: SandboxControl, amount: str
) -> None:
    before = len(wallet_sandbox.journal())

    page = submitted(operator, operation_url(order, "capture"), amount=amount)

    assert f'id="id_amount_error" role="alert">{BAD_AMOUNTS[amount]}</p>' in page
    assert "<script>alert" not in page
    assert not follow_ups()
    assert payment_of(order).capture_reserved == 0
    assert len(wallet_sandbox.journal()) == before


def test_a_reason_may_be_left_out_as_in_python_and_another_reason_needs_a_note(
    operator: Client, order: PaymentOrder
) -> None:
    url = operation_url(order, "capture")

    page = operator.get(url).content.decode()
    assert page.count("(optional)") == 2
    assert "Say here what the reason is." in submitted(operator, url, amount="1.00", reason="other")
    assert not follow_ups()
    submitted(operator, url, amount="1.00", reason="")
    assert [row.reason_code for row in follow_ups()] == [""]


def test_a_page_that_something_overtook_says_so(operator: Client, order: PaymentOrder) -> None:
    url = operation_url(order, "capture")
    ticket = ticket_on(operator, url)
    payments.capture(order, Decimal("15.00"))

    page = operator.post(
        url, {"ticket": ticket, "amount": "4.00", "confirm": "4.00", "reason": "shipped"}
    ).content.decode()

    assert "Meanwhile something has changed: there are now €5.00. Look at it again." in page
    assert len(follow_ups()) == 1
    # What is now on the page can be confirmed.
    assert "Approved" in submitted(operator, url, amount="4.00")


@pytest.mark.parametrize("ticket", ["", "forged", "WyJhIl0:1:x"])
def test_a_page_without_its_token_does_nothing(operator: Client, order: PaymentOrder, ticket: str) -> None:
    url = operation_url(order, "capture")

    page = operator.post(
        url, {"ticket": ticket, "amount": "4.00", "confirm": "4.00", "reason": "shipped"}
    ).content.decode()

    assert "too old or was changed" in page
    assert not follow_ups()


def test_a_token_is_bound_to_its_person_and_its_operation(
    operator: Client, make_person: MakePerson, order: PaymentOrder
) -> None:
    payments.capture(order, Decimal("10.00"))
    url = operation_url(order, "capture")
    theirs = ticket_on(make_person("capture_payment"), url)
    for_refund = ticket_on(operator, operation_url(order, "refund"))

    for ticket in (theirs, for_refund):
        page = operator.post(
            url, {"ticket": ticket, "amount": "1.00", "confirm": "1.00", "reason": "shipped"}
        ).content.decode()
        assert "made for somebody or something else" in page
    assert len(follow_ups()) == 1


def test_a_gateway_that_is_down_is_said_on_the_form_and_nothing_stays_reserved(
    operator: Client, order: PaymentOrder, settings: Settings
) -> None:
    url = operation_url(order, "capture")
    ticket = ticket_on(operator, url)
    gateways = settings.WALLET_GATEWAY["GATEWAYS"]
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {
        "GATEWAYS": {"default": gateways["default"] | {"BASE_URL": "http://127.0.0.1:9"}}
    }

    page = operator.post(
        url, {"ticket": ticket, "amount": "4.00", "confirm": "4.00", "reason": "shipped"}
    ).content.decode()

    assert 'id="id_amount_error" role="alert">The gateway cannot be reached. Nothing was sent' in page
    assert [transaction.state for transaction in follow_ups()] == [TransactionState.ABANDONED]
    assert payment_of(order).capture_reserved == 0


# Once is once


def test_a_double_click_is_one_operation(operator: Client, order: PaymentOrder) -> None:
    url = operation_url(order, "capture")
    data = {"ticket": ticket_on(operator, url), "amount": "4.00", "confirm": "4.00", "reason": "shipped"}

    first = operator.post(url, data)
    second = operator.post(url, data, follow=True)

    assert first["Location"] == order_url(order)
    assert "Capture of €4.00: Approved." in second.content.decode()
    assert len(follow_ups()) == 1


def test_a_page_that_was_used_does_nothing_new_with_another_amount(
    operator: Client, order: PaymentOrder
) -> None:
    url = operation_url(order, "capture")
    ticket = ticket_on(operator, url)
    operator.post(url, {"ticket": ticket, "amount": "4.00", "confirm": "4.00", "reason": "shipped"})

    page = operator.post(
        url, {"ticket": ticket, "amount": "6.00", "confirm": "6.00", "reason": "shipped"}, follow=True
    )

    assert "nothing new was done" in page.content.decode()
    assert [transaction.amount_minor for transaction in follow_ups()] == [400]


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_two_people_at_once_never_take_more_than_there_is(
    make_person: MakePerson, order: PaymentOrder
) -> None:
    url = operation_url(order, "capture")
    people = [make_person("capture_payment") for _ in range(2)]
    tickets = [ticket_on(person, url) for person in people]
    together = Barrier(2)

    def confirm(person: Client, ticket: str) -> None:
        together.wait()
        person.post(url, {"ticket": ticket, "amount": "15.00", "confirm": "15.00", "reason": "shipped"})
        connections.close_all()

    threads = [Thread(target=confirm, args=pair) for pair in zip(people, tickets, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert Payment.objects.get().captured == 1500


# Permissions


@pytest.mark.parametrize("taken", [Decimal("20.00"), Decimal("12.00")])
def test_while_a_refund_has_no_outcome_the_pages_say_so_and_offer_no_other(
    operator: Client, paid_order: PaidOrder, wallet_sandbox: SandboxControl, taken: Decimal
) -> None:
    order = paid_order(type="sale")
    url = operation_url(order, "refund")
    ticket = ticket_on(operator, url)
    wallet_sandbox.fault("refund", "drop_after")
    assert payments.refund(order, taken).state == TransactionState.UNKNOWN
    why = "Another operation on this payment has no outcome yet."

    page = operator.get(url).content.decode()
    assert why in page
    assert 'name="amount"' not in page
    page = operator.get(order_url(order)).content.decode()
    assert page.count(why) == 1
    assert url not in page
    data = {"ticket": ticket, "reason": "returned", "comment": "", "amount": "9.00", "confirm": "9.00"}
    assert why in operator.post(url, data).content.decode()
    assert len(follow_ups()) == 1
