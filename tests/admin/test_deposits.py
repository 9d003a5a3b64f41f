"""An earlier provider's payments in the admin: their file, their report, and refunds on one page."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from tests.admin.conftest import MakePerson
from tests.admin.pages import DEPOSITS, Page, look, post
from tests.admin.test_batches import carried_on
from tests.models.rows import a_deposit
from tests.support.gateway import answering
from tests.support.shop import Shop
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction, MigratedDeposit, OperationBatch

pytestmark = pytest.mark.django_db

HEADER = "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\n"
GOOD = "OLD-1,2026-01-15T10:30:00,50.00,EUR,10.00,PRV-1\n"
OTHER = "OLD-2,2026-01-15T10:30:00,5000,JPY,0,PRV-2\n"
BAD = 'OLD-3,2026-01-15T10:30:00,"1,5",EUR,0.00,<b>PRV</b>\n'

# The file


def form_of(*rows: str, verb: str = "check", checked: str = "", **more: str) -> dict[str, Any]:
    file = io.BytesIO((HEADER + "".join(rows)).encode())
    file.name = "old.csv"
    return {"file": file, "gateway": "default", verb: "1", "checked": checked, **more}


def upload(client: Client, *rows: str, **given: str) -> Page:
    return post(client, f"{DEPOSITS}import/", **form_of(*rows, **given))


@pytest.mark.every_database
def test_what_was_checked_is_taken_in_and_logged(clerk: Client) -> None:
    checked = upload(clerk, GOOD, OTHER).hidden["checked"]
    assert not MigratedDeposit.objects.exists()
    page = upload(clerk, GOOD, OTHER, verb="import", checked=checked)
    assert "The good rows are taken in." in page
    assert set(MigratedDeposit.objects.values_list("parent_transaction_id", flat=True)) == {"OLD-1", "OLD-2"}
    assert "2 rows are good" in LogEntry.objects.get().change_message


def test_nothing_is_taken_in_but_what_this_person_has_checked(clerk: Client, make_person: MakePerson) -> None:
    token = upload(clerk, GOOD).hidden["checked"]
    for checked in ("", "x:y:z"):
        assert "had not been checked before" in upload(clerk, GOOD, verb="import", checked=checked)
    upload(clerk, GOOD, OTHER, verb="import", checked=token)
    upload(make_person("detached_refund"), GOOD, verb="import", checked=token)
    assert not MigratedDeposit.objects.exists()


def test_a_bad_row_is_named_by_line_and_reason_and_keeps_the_file_out(clerk: Client) -> None:
    first = upload(clerk, GOOD, BAD)
    assert "1 row is good, 1 is bad" in first
    (bad,) = [row for row in first.rows() if row[0] == "3"]
    assert "amount" in " ".join(bad)
    assert "<b>PRV" not in first.html
    token = first.hidden["checked"]
    upload(clerk, GOOD, BAD, verb="import", checked=token)
    assert not MigratedDeposit.objects.exists()
    upload(clerk, GOOD, BAD, verb="import", checked=token, keep_good="on")
    assert MigratedDeposit.objects.get().parent_transaction_id == "OLD-1"


def test_each_step_is_told_while_it_happens(clerk: Client) -> None:
    answer = clerk.post(f"{DEPOSITS}import/", form_of(GOOD, BAD), headers={"Accept": "application/x-ndjson"})
    told = [json.loads(line) for line in b"".join(answer).decode().splitlines()]
    assert [step["checked"] for step in told] == [2, 2]
    assert [row["line"] for row in told[0]["bad"]] == [3]
    assert told[-1]["token"]


@every("rows", [(), ("\0\n",), ("\xff\n",), ('"',)])
def test_what_is_no_migration_file_is_said(rows: tuple[str, ...], clerk: Client) -> None:
    assert "Nothing is taken in yet." in upload(clerk, *rows)


@pytest.mark.every_database
def test_the_report_adds_up_each_gateway_and_currency_for_itself_in_one_statement(onlooker: Client) -> None:
    a_deposit(is_known=True, amount_minor=5000, refunded_before=1000, refunded=750)
    a_deposit(is_known=True, amount_minor=2000, refund_reserved=500)
    a_deposit(refunded=300, is_frozen=True)
    a_deposit(is_known=True, amount_minor=12345, currency="KWD")
    a_deposit(is_known=True, amount_minor=700, gateway="second")
    with CaptureQueriesContext(connection) as asked:
        csv = onlooker.get(f"{DEPOSITS}report/?csv=1").content.decode().splitlines()
    assert csv == [
        "gateway,currency,deposits,unknown,frozen,deposited,refunded_before,refunded,under_way,open,test",
        "default,EUR,3,1,1,70.00,10.00,10.50,5.00,47.50,yes",
        "default,KWD,1,0,0,12.345,0.000,0.000,0.000,12.345,yes",
        "second,EUR,1,0,0,7.00,0.00,0.00,0.00,7.00,no",
    ]
    assert sum("wallet_gateway_migrateddeposit" in query["sql"] for query in asked) == 1
    assert "€47.50" in look(onlooker, f"{DEPOSITS}report/")


# Refunds


@pytest.fixture
def deposits(shop: Shop) -> list[MigratedDeposit]:
    """OLD-1, of which 40.00 EUR are left, and OLD-4 of 20.00 EUR."""
    file = HEADER + GOOD + "OLD-4,2026-01-15T10:30:00,20.00,EUR,0.00,PRV-4\n"
    payments.maintenance.import_migration_file(file.encode().splitlines(keepends=True))
    return list(MigratedDeposit.objects.order_by("pk"))


def refund_url(*deposits: MigratedDeposit) -> str:
    return f"{DEPOSITS}refund/?ids={','.join(str(deposit.pk) for deposit in deposits)}"


def refund_form(
    client: Client, deposits: list[MigratedDeposit], *amounts: str, confirm: str = ""
) -> dict[str, str]:
    """Open the page, and fill it in for those that an amount is given for, from the first on."""
    form = {
        "ticket": look(client, refund_url(*deposits)).hidden["ticket"],
        "reason": "returned",
        "comment": "",
    }
    for deposit, amount in zip(deposits, amounts, strict=False):
        form |= {f"take-{deposit.pk}": "on", f"amount-{deposit.pk}": amount}
    return form | {"confirm": confirm}


def confirmed(client: Client, deposits: list[MigratedDeposit], form: dict[str, str]) -> Page:
    """Submit the page; give the page of results that it leads to, once its script has looked."""
    assert "/operationbatch/" in post(client, refund_url(*deposits), **form).url
    return carried_on(client, OperationBatch.objects.latest("pk"))


def test_one_page_refunds_several_and_says_what_came_of_each(
    clerk: Client, deposits: list[MigratedDeposit], shop: Shop, settings: Settings
) -> None:
    chosen = [deposit.pk for deposit in deposits]
    settings.USE_THOUSAND_SEPARATOR = True
    large = look(clerk, refund_url(a_deposit(id=1234567, is_known=True, amount_minor=5000)))
    assert 'name="take-1234567"' in large
    assert 'name="amount-1234567"' in large
    listed = clerk.post(DEPOSITS, {"action": "refund_many", "_selected_action": chosen})
    assert listed.headers["Location"].startswith(f"{DEPOSITS}refund/?ids=")
    assert refund_url(deposits[0]) in look(clerk, f"{DEPOSITS}{chosen[0]}/change/")

    shop.gateway.answers.append(answering(amount="6.25"))
    form = refund_form(clerk, deposits, "12.50", "20.00", confirm="2, 32.50 EUR")
    page = confirmed(clerk, deposits, form)

    made = GatewayTransaction.objects.order_by("pk")
    assert [(each.state, each.amount_minor, each.approved_minor, each.created_by) for each in made] == [
        ("APPROVED", 1250, 625, "carla"),
        ("APPROVED", 2000, 2000, "carla"),
    ]
    assert "Asked for €12.50, approved €6.25. The rest is a task on the dashboard." in page
    assert page.text.count("The rest is a task") == 1
    assert page.text.count("Approved.") == 2
    assert "2 of 2 deposits" in page
    assert LogEntry.objects.count() == 2


def test_a_page_submitted_twice_is_one_refund_and_one_of_somebody_else_none(
    clerk: Client, deposits: list[MigratedDeposit], make_person: MakePerson
) -> None:
    # All that is left: the second click finds nothing, and is led to what the first one did.
    form = refund_form(clerk, deposits, "40.00", confirm="1, 40.00 EUR")
    other = post(make_person("detached_refund"), refund_url(*deposits), **form)
    assert "made for somebody or something else" in other.faults[0]
    assert not OperationBatch.objects.exists()
    for _click in range(2):
        assert "Detached refund of €40.00: Approved." in confirmed(clerk, deposits, form)
    assert GatewayTransaction.objects.count() == OperationBatch.objects.count() == 1


def test_one_that_is_frozen_or_used_up_cannot_be_chosen_not_even_on_a_page_opened_before(
    clerk: Client, deposits: list[MigratedDeposit]
) -> None:
    page = post(clerk, refund_url(*deposits), **refund_form(clerk, deposits))
    assert "Choose at least one deposit." in page
    form = refund_form(clerk, deposits, "12.50", "20.00", confirm="2, 32.50 EUR")
    MigratedDeposit.objects.filter(pk=deposits[0].pk).update(is_frozen=True)
    page = post(clerk, refund_url(*deposits), **form)
    assert "Nothing was sent yet. Check the sum" in page
    assert page.primary == ["Refund 1 deposit, €20.00"]
    assert not OperationBatch.objects.exists()

    MigratedDeposit.objects.filter(pk=deposits[1].pk).update(is_frozen=True)
    assert "checkbox" not in look(clerk, refund_url(*deposits)).html
    MigratedDeposit.objects.update(is_frozen=False)
    used_up = a_deposit(is_known=True, amount_minor=5000, refunded_before=5000)
    assert "checkbox" not in look(clerk, refund_url(used_up)).html


@every(
    ("typed", "said"),
    [
        ("40.01", "This is more than there is."),
        ("1,234", "can be read as €1,234.00"),
        ("0.00", "above zero"),
        ("", "like this"),
    ],
)
def test_a_wrong_amount_is_said_beside_it_and_nothing_is_sent(
    typed: str, said: str, clerk: Client, deposits: list[MigratedDeposit], shop: Shop
) -> None:
    form = refund_form(clerk, deposits, typed, "5.00", confirm="2, 45.01 EUR")
    assert said in post(clerk, refund_url(*deposits), **form).faults[0]
    assert not OperationBatch.objects.exists()
    assert not shop.gateway.sent


@pytest.mark.parametrize("taken", ["20.00", "15.00"])
def test_while_a_refund_of_a_deposit_has_no_outcome_the_pages_say_so(
    clerk: Client, deposits: list[MigratedDeposit], shop: Shop, taken: str
) -> None:
    deposit = deposits[-1]
    form = refund_form(clerk, [deposit], "5.00", confirm="1, 5.00 EUR")
    shop.lose_answer(lambda: payments.refund_migrated("OLD-4", Decimal(taken), "EUR", by="anna"))
    why = "Another operation on this payment has no outcome yet."
    assert why in look(clerk, refund_url(deposit))
    assert why in post(clerk, refund_url(deposit), **form)
    assert not OperationBatch.objects.exists()
    assert refund_url(deposit) not in look(clerk, f"{DEPOSITS}{deposit.pk}/change/")
