"""What arrived is named by what people know it by."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import models

from wallet_gateway.sandbox.models import AcceptedRequest, JournalEntry, LateRequest

DUE = datetime(2030, 1, 1, tzinfo=UTC)
NAMES: list[tuple[models.Model, str]] = [
    (AcceptedRequest(type="ecom.refund", reference="B"), "ecom.refund B"),
    (LateRequest(method="POST", path="/x", due_at=DUE), "POST /x at 2030-01-01T00:00:00+00:00"),
    (JournalEntry(method="GET", path="/y"), "GET /y"),
]


@pytest.mark.parametrize(("row", "name"), NAMES, ids=[type(row).__name__ for row, _ in NAMES])
def test_a_request_is_named_by_what_people_know_it_by(row: models.Model, name: str) -> None:
    assert str(row) == name


def test_an_entry_of_the_journal_has_no_status_until_it_was_answered() -> None:
    assert JournalEntry(method="GET", path="/y").answer_status is None


def test_a_long_path_is_shortened_in_its_middle_so_that_its_reference_is_seen() -> None:
    path = (
        "/api/v5/apmTransactions?merchantId=M&storeId=S&clientSystemTransactionId=01M7YYXH8VWCYVV2T6SSD6SS4S"
    )
    shown = JournalEntry(method="GET", path=path).short_path
    assert shown.startswith("/api/v5/apmTransactions")
    assert shown.endswith("01M7YYXH8VWCYVV2T6SSD6SS4S")
    assert len(shown) < 60
    assert JournalEntry(method="POST", path="/api/v5/checkout").short_path == "/api/v5/checkout"
