"""The workbench of detached refunds: import after a check, export, report, refunds one or many at once."""

from __future__ import annotations

import io
import json
import re
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from tests.admin.conftest import MakePerson
from tests.models.rows import a_deposit
from wallet_gateway import payments
from wallet_gateway.domain.lifecycle import IntentState
from wallet_gateway.models import Discrepancy, GatewayTransaction, MigratedDeposit
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db

HERE = "/admin/wallet_gateway/migrateddeposit/"
HEADER = "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\n"
GOOD = "OLD-1,2026-01-15T10:30:00,50.00,EUR,10.00,PRV-1\n"
OTHER = "OLD-2,2026-01-15T10:30:00,5000,JPY,0,PRV-2\n"
BAD = 'OLD-3,2026-01-15T10:30:00,"1,5",EUR,0.00,<b>PRV</b>\n'


@pytest.fixture
def clerk(make_person: MakePerson) -> Client:
    """Carla, who repays customers of the earlier provider."""
    return make_person("detached_refund", name="carla")


def upload(client: Client, *rows: str, verb: str = "check", checked: str = "", **more: str) -> str:
    answer = client.post(f"{HERE}import/", _form(rows, verb, checked, more))
    assert answer.status_code == 200
    return answer.content.decode()


def _form(rows: tuple[str, ...], verb: str, checked: str, more: dict[str, str]) -> dict[str, Any]:
    file = io.BytesIO((HEADER + "".join(rows)).encode())
    file.name = "old.csv"
    return {"file": file, "gateway": "default", verb: "1", "checked": checked, **more}


def token_on(page: str) -> str:
    found = re.search(r'name="checked" value="([^"]+)"', page)
    assert found
    return found[1]


# Import


def test_a_check_counts_and_stores_nothing(clerk: Client) -> None:
    page = upload(clerk, GOOD, OTHER)
    assert "2 rows are good, 0 are bad. Nothing is taken in yet." in page
    assert not MigratedDeposit.objects.exists()


def test_what_was_checked_is_taken_in_and_logged(clerk: Client) -> None:
    page = upload(clerk, GOOD, OTHER, verb="import", checked=token_on(upload(clerk, GOOD, OTHER)))
    assert "The good rows are taken in." in page
    assert set(MigratedDeposit.objects.values_list("parent_transaction_id", flat=True)) == {"OLD-1", "OLD-2"}
    assert "2 rows are good" in LogEntry.objects.get().change_message


@pytest.mark.parametrize("checked", ["", "x:y:z"])
def test_nothing_is_taken_in_unchecked(checked: str, clerk: Client) -> None:
    page = upload(clerk, GOOD, verb="import", checked=checked)
    assert "had not been checked before" in page
    assert not MigratedDeposit.objects.exists()


def test_a_check_counts_for_its_own_bytes_and_person_alone(clerk: Client, make_person: MakePerson) -> None:
    token = token_on(upload(clerk, GOOD))
    upload(clerk, GOOD, OTHER, verb="import", checked=token)
    upload(make_person("detached_refund"), GOOD, verb="import", checked=token)
    assert not MigratedDeposit.objects.exists()


def test_a_bad_row_is_named_by_line_and_reason_and_keeps_the_file_out(clerk: Client) -> None:
    first = upload(clerk, GOOD, BAD)
    assert "1 row is good, 1 is bad" in first
    assert "<td>3</td>" in first
    assert "amount" in first
    upload(clerk, GOOD, BAD, verb="import", checked=token_on(first))
    assert not MigratedDeposit.objects.exists()
    upload(clerk, GOOD, BAD, verb="import", checked=token_on(first), keep_good="on")
    assert MigratedDeposit.objects.get().parent_transaction_id == "OLD-1"


def test_each_step_is_told_while_it_happens(clerk: Client) -> None:
    answer = clerk.post(
        f"{HERE}import/", _form((GOOD, BAD), "check", "", {}), headers={"Accept": "application/x-ndjson"}
    )
    told = [json.loads(line) for line in b"".join(answer).decode().splitlines()]
    assert [step["checked"] for step in told] == [2, 2]
    assert [row["line"] for row in told[0]["bad"]] == [3]
    assert told[-1]["token"]


@pytest.mark.parametrize("rows", [(), ("\0\n",), ("\xff\n",), ('"',)])
def test_what_is_no_migration_file_is_said(rows: tuple[str, ...], clerk: Client) -> None:
    assert "Nothing is taken in yet." in upload(clerk, *rows)


def test_a_form_without_a_file_says_so(clerk: Client) -> None:
    answer = clerk.post(f"{HERE}import/", {"gateway": "default", "check": "1"})
    assert "This field is required." in answer.content.decode()


@pytest.mark.parametrize("page", ["import/", "export/default/", "refund/?ids=1"])
def test_without_the_permission_the_workbench_is_closed(page: str, onlooker: Client) -> None:
    assert onlooker.get(HERE + page).status_code == 403
    assert "import/" not in onlooker.get(HERE).content.decode()


# Export and report


def test_what_is_exported_can_be_read_again(clerk: Client) -> None:
    upload(clerk, GOOD, OTHER, verb="import", checked=token_on(upload(clerk, GOOD, OTHER)))
    answer = clerk.get(f"{HERE}export/default/")
    lines = b"".join(answer).splitlines(keepends=True)
    MigratedDeposit.objects.all().delete()
    assert payments.import_migration_file(lines).accepted == 2


def test_the_report_adds_up_each_currency_for_itself(onlooker: Client) -> None:
    a_deposit(known=True, amount_minor=5000, refunded_before=1000, refunded=750)
    a_deposit(known=True, amount_minor=2000, refund_reserved=500)
    a_deposit(refunded=300)
    a_deposit(known=True, amount_minor=900, currency="JPY")
    csv = onlooker.get(f"{HERE}report/?csv=1").content.decode().splitlines()
    assert csv == [
        "gateway,currency,deposits,unknown,frozen,deposited,refunded_before,refunded,under_way,open",
        "default,EUR,3,1,0,70.00,10.00,10.50,5.00,47.50",
        "default,JPY,1,0,0,900,0,0,0,900",
    ]
    page = onlooker.get(f"{HERE}report/").content.decode()
    assert "<dd><bdi>47.50 EUR</bdi></dd>" in page


# Refunds


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


def test_the_lists_action_and_the_row_lead_to_the_page(
    clerk: Client, deposits: list[MigratedDeposit]
) -> None:
    chosen = [deposit.pk for deposit in deposits]
    answer = clerk.post(HERE, {"action": "refund_many", "_selected_action": chosen})
    assert answer.headers["Location"].startswith(f"{HERE}refund/?ids=")
    assert f"{HERE}refund/?ids={chosen[0]}" in clerk.get(f"{HERE}{chosen[0]}/change/").content.decode()
