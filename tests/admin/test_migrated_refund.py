"""Refunds of an earlier provider's payments: one page, a row and a result for each, nothing twice."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from tests.admin.conftest import MakePerson
from tests.admin.test_migrated_import import GOOD, HEADER, HERE
from wallet_gateway import payments
from wallet_gateway.domain.lifecycle import IntentState
from wallet_gateway.models import Discrepancy, GatewayTransaction, MigratedDeposit
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


@pytest.fixture
def deposits(wallet_sandbox: SandboxControl) -> list[MigratedDeposit]:
    file = HEADER + GOOD + "OLD-4,2026-01-15T10:30:00,20.00,EUR,0.00,PRV-4\n"
    wallet_sandbox.migration_file(file)
    payments.import_migration_file(file.encode().splitlines(keepends=True))
    return list(MigratedDeposit.objects.order_by("pk"))


def refund_form(client: Client, deposits: list[MigratedDeposit], **amounts: str) -> dict[str, str]:
    """Open the page, and fill it in for those that an amount is given for."""
    ids = ",".join(str(deposit.pk) for deposit in deposits)
    page = client.get(f"{HERE}refund/?ids={ids}").content.decode()
    found = re.search(r'name="ticket" value="([^"]+)"', page)
    assert found
    form = {"ticket": found[1], "reason": "returned", "note": ""}
    for deposit in deposits:
        if deposit.parent_transaction_id.replace("-", "") in amounts:
            form[f"take-{deposit.pk}"] = "on"
            form[f"amount-{deposit.pk}"] = amounts[deposit.parent_transaction_id.replace("-", "")]
    return form


def test_what_is_left_is_preset(clerk: Client, deposits: list[MigratedDeposit]) -> None:
    page = clerk.get(f"{HERE}refund/?ids={deposits[0].pk}").content.decode()
    assert 'value="40.00"' in page


def test_one_page_refunds_several_and_says_what_came_of_each(
    clerk: Client, deposits: list[MigratedDeposit]
) -> None:
    form = refund_form(clerk, deposits, OLD1="12.50", OLD4="20.00")
    page = clerk.post(f"{HERE}refund/", form).content.decode()
    made = GatewayTransaction.objects.order_by("pk")
    assert [(each.state, each.amount_minor, each.author) for each in made] == [
        ("APPROVED", 1250, "carla"),
        ("APPROVED", 2000, "carla"),
    ]
    assert page.count("Approved.") == 2
    assert LogEntry.objects.count() == 2


def test_a_page_submitted_twice_is_one_refund(
    clerk: Client, deposits: list[MigratedDeposit], wallet_sandbox: SandboxControl
) -> None:
    form = refund_form(clerk, deposits, OLD1="12.50")
    clerk.post(f"{HERE}refund/", form)
    page = clerk.post(f"{HERE}refund/", form).content.decode()
    assert GatewayTransaction.objects.count() == 1
    assert "12.50 EUR" in page


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("40.01", "This is more than there is."),
        ("1,5", "Write a period"),
        ("0.00", "above zero"),
        ("1.005", "at most 2 decimals"),
        ("", "like this"),
    ],
)
def test_a_wrong_amount_is_said_beside_it_and_nothing_is_sent(
    typed: str, said: str, clerk: Client, deposits: list[MigratedDeposit]
) -> None:
    page = clerk.post(f"{HERE}refund/", refund_form(clerk, deposits, OLD1=typed, OLD4="5.00"))
    assert said in page.content.decode()
    assert not GatewayTransaction.objects.exists()


def test_less_than_asked_shows_both_amounts_and_is_a_task(
    clerk: Client, deposits: list[MigratedDeposit], wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.fault("detached_refund", "partial")
    page = clerk.post(f"{HERE}refund/", refund_form(clerk, deposits, OLD1="10.00")).content.decode()
    assert "Asked for 10.00 EUR, approved 5.00 EUR." in page
    assert Discrepancy.objects.get().kind == "REFUND_SHORT"


def test_the_four_amounts_of_a_refused_refund_are_shown(
    clerk: Client, deposits: list[MigratedDeposit], wallet_sandbox: SandboxControl
) -> None:
    # Our books believe in more than the gateway does.
    MigratedDeposit.objects.filter(pk=deposits[0].pk).update(amount_minor=9000)
    page = clerk.post(f"{HERE}refund/", refund_form(clerk, deposits, OLD1="60.00")).content.decode()
    assert GatewayTransaction.objects.get().state == IntentState.REJECTED
    shown = re.findall(r"<dd><bdi>([\d.]+)</bdi></dd>", page)
    assert [Decimal(text) for text in shown] == [Decimal(text) for text in ("50", "10", "40", "60")]


def test_a_ticket_of_somebody_else_refunds_nothing(
    clerk: Client, deposits: list[MigratedDeposit], make_person: MakePerson
) -> None:
    form = refund_form(clerk, deposits, OLD1="1.00")
    other = make_person("detached_refund")
    assert other.post(f"{HERE}refund/", form).status_code == 302
    assert not GatewayTransaction.objects.exists()


@pytest.mark.parametrize("ids", ["", "x", "1,", "0", "99999999999999999999", "²"])
def test_an_address_without_deposits_is_not_found(ids: str, clerk: Client) -> None:
    assert clerk.get(f"{HERE}refund/", {"ids": ids}).status_code == 404
