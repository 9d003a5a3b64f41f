"""State, faults, requests and the journal: names of rows, and the default behaviour of the interface."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import models

from wallet_gateway.sandbox.models import (
    AcceptedRequest,
    DuplicatePolicy,
    JournalEntry,
    LateRequest,
    LetterCase,
    SandboxState,
    SetFault,
    WalletMode,
)


def test_a_fault_is_named_by_what_it_hits() -> None:
    assert str(SetFault(fault="late", operation="*")) == "late on *"


def test_a_fault_hits_one_request_unless_it_says_otherwise() -> None:
    fault = SetFault(fault="late", operation="*")
    assert (fault.times, fault.skip) == (1, 0)


def test_a_new_sandbox_behaves_as_the_interface_says() -> None:
    state = SandboxState()
    assert str(state) == "state of the sandbox"
    assert (state.duplicates, state.letter_case) == (DuplicatePolicy.REJECT, LetterCase.CANONICAL)
    assert (state.clock_ahead, state.status_lag) == (timedelta(), timedelta())
    assert (state.numeric_amounts, state.share_references, state.another_card) == (False, False, False)
    assert state.wallet_mode == WalletMode.READY


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
