"""Refunds of an earlier provider's payments: one page, a row for each, and a batch of what was confirmed."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from pytest_django import Settings

from tests.admin.conftest import MakePerson, carry_on
from tests.admin.test_batches import named_in
from tests.admin.test_deposit_import import GOOD, HEADER, HERE
from wallet_gateway import payments
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import (
    GatewayTransaction,
    MigratedDeposit,
    OperationBatch,
)
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


@pytest.fixture
def deposits(wallet_sandbox: SandboxControl) -> list[MigratedDeposit]:
    file = HEADER + GOOD + "OLD-4,2026-01-15T10:30:00,20.00,EUR,0.00,PRV-4\n"
    wallet_sandbox.migration_file(file)
    payments.maintenance.import_migration_file(file.encode().splitlines(keepends=True))
    return list(MigratedDeposit.objects.order_by("pk"))


def refund_form(client: Client, deposits: list[MigratedDeposit], **amounts: str) -> dict[str, str]:
    """Open the page, and fill it in for those that an amount is given for."""
    ids = ",".join(str(deposit.pk) for deposit in deposits)
    page = client.get(f"{HERE}refund/?ids={ids}").content.decode()
    found = re.search(r'name="ticket" value="([^"]+)"', page)
    assert found
    form = {"ticket": found[1], "reason": "returned", "comment": ""}
    for deposit in deposits:
        if deposit.parent_transaction_id.replace("-", "") in amounts:
            form[f"take-{deposit.pk}"] = "on"
            form[f"amount-{deposit.pk}"] = amounts[deposit.parent_transaction_id.replace("-", "")]
    return form | named_in(form)


def confirmed(client: Client, form: dict[str, str]) -> str:
    """Submit the page; give the page of results that it leads to, once its script has looked."""
    answer = client.post(f"{HERE}refund/", form, follow=True)
    assert "/operationbatch/" in answer.redirect_chain[-1][0]
    return carry_on(client, OperationBatch.objects.latest("pk"))


def test_the_fields_of_a_deposit_are_found_however_the_shop_writes_large_numbers(
    clerk: Client, deposits: list[MigratedDeposit], settings: Settings
) -> None:
    settings.USE_THOUSAND_SEPARATOR = True
    MigratedDeposit.objects.filter(pk=deposits[0].pk).update(id=1234567)
    page = clerk.get(f"{HERE}refund/?ids=1234567").content.decode()
    assert 'name="take-1234567"' in page
    assert 'name="amount-1234567"' in page


def test_one_page_refunds_several_and_says_what_came_of_each(
    clerk: Client, deposits: list[MigratedDeposit]
) -> None:
    form = refund_form(clerk, deposits, OLD1="12.50", OLD4="20.00")
    page = confirmed(clerk, form)
    made = GatewayTransaction.objects.order_by("pk")
    assert [(each.state, each.amount_minor, each.created_by) for each in made] == [
        ("APPROVED", 1250, "carla"),
        ("APPROVED", 2000, "carla"),
    ]
    assert page.count("Approved.") == 2
    assert "2 of 2 deposits" in page
    assert LogEntry.objects.count() == 2


def test_a_page_submitted_twice_is_one_refund(
    clerk: Client, deposits: list[MigratedDeposit], wallet_sandbox: SandboxControl
) -> None:
    # All that is left: the second click finds nothing, and is led to what the first one did.
    form = refund_form(clerk, deposits, OLD1="40.00")
    confirmed(clerk, form)
    page = confirmed(clerk, form)
    assert GatewayTransaction.objects.count() == OperationBatch.objects.count() == 1
    assert "Detached refund of €40.00: Approved." in page


def test_a_deposit_is_needed_and_one_that_is_frozen_or_used_up_cannot_be_chosen(
    clerk: Client, deposits: list[MigratedDeposit]
) -> None:
    answer = clerk.post(f"{HERE}refund/", refund_form(clerk, deposits))
    assert "Choose at least one deposit." in answer.content.decode()
    MigratedDeposit.objects.filter(pk=deposits[0].pk).update(is_frozen=True)
    MigratedDeposit.objects.filter(pk=deposits[1].pk).update(refunded=2000)
    page = clerk.get(f"{HERE}refund/?ids={deposits[0].pk},{deposits[1].pk}").content.decode()
    assert page.count("wallet-note") == 2
    assert "checkbox" not in page


def test_a_deposit_frozen_after_the_page_was_opened_is_not_refunded(
    clerk: Client, deposits: list[MigratedDeposit]
) -> None:
    form = refund_form(clerk, deposits, OLD1="12.50", OLD4="20.00")
    MigratedDeposit.objects.filter(parent_transaction_id="OLD-1").update(is_frozen=True)
    page = clerk.post(f"{HERE}refund/", form).content.decode()
    assert not OperationBatch.objects.exists()
    assert "Nothing was sent yet. Check the sum" in page
    assert ">Refund 1 deposit, €20.00</button>" in page


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("40.01", "This is more than there is."),
        ("1,234", "can be read as €1,234.00"),
        ("0.00", "above zero"),
        ("1.005", "three decimals, which EUR does not have"),
        ("", "like this"),
    ],
)
def test_a_wrong_amount_is_said_beside_it_and_nothing_is_sent(
    typed: str, said: str, clerk: Client, deposits: list[MigratedDeposit]
) -> None:
    page = clerk.post(f"{HERE}refund/", refund_form(clerk, deposits, OLD1=typed, OLD4="5.00"))
    assert said in page.content.decode()
    assert not GatewayTransaction.objects.exists()


def test_a_ticket_of_somebody_else_refunds_nothing(
    clerk: Client, deposits: list[MigratedDeposit], make_person: MakePerson
) -> None:
    form = refund_form(clerk, deposits, OLD1="1.00")
    other = make_person("detached_refund")
    assert other.post(f"{HERE}refund/", form).status_code == 302
    assert not GatewayTransaction.objects.exists()


@pytest.mark.parametrize("taken", ["20.00", "15.00"])
def test_while_a_refund_of_a_deposit_has_no_outcome_the_pages_say_so(
    clerk: Client, deposits: list[MigratedDeposit], wallet_sandbox: SandboxControl, taken: str
) -> None:
    deposit = deposits[-1]
    form = refund_form(clerk, [deposit], OLD4="6.00")
    wallet_sandbox.fault("detached_refund", "drop_after")
    refund = payments.refund_migrated("OLD-4", Decimal(taken), "EUR", by="anna")
    assert refund.state == TransactionState.UNKNOWN
    why = "Another operation on this payment has no outcome yet."

    assert why in clerk.get(f"{HERE}refund/?ids={deposit.pk}").content.decode()
    assert why in clerk.post(f"{HERE}refund/", form).content.decode()
    assert not OperationBatch.objects.exists()
    assert f"refund/?ids={deposit.pk}" not in clerk.get(f"{HERE}{deposit.pk}/change/").content.decode()
