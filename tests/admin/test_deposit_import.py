"""The import of a migration file in the admin: nothing goes in unchecked, every bad row is named."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from tests.admin.conftest import MakePerson
from wallet_gateway.models import MigratedDeposit

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]

HERE = "/admin/wallet_gateway/migrateddeposit/"
HEADER = "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\n"
GOOD = "OLD-1,2026-01-15T10:30:00,50.00,EUR,10.00,PRV-1\n"
OTHER = "OLD-2,2026-01-15T10:30:00,5000,JPY,0,PRV-2\n"
BAD = 'OLD-3,2026-01-15T10:30:00,"1,5",EUR,0.00,<b>PRV</b>\n'


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
