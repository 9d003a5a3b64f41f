"""Taking in a migration file: all or nothing, or the good rows; what a second file may change."""

from __future__ import annotations

import re

import pytest

from tests.sandbox.conftest import MIGRATION_HEADER
from tests.sandbox.merchant import Merchant, new_reference
from wallet_gateway.testing.control import SandboxControl

GOOD = "OLD-1,2024-03-01T09:30:00,50.00,EUR,0.00,P-1"
BAD = "OLD-2,yesterday,50.00,EUR,0.00,P-2"


def file_of(*rows: str) -> str:
    return "\n".join((MIGRATION_HEADER, *rows)) + "\n"


def test_every_good_row_can_be_refunded_from(merchant: Merchant, control: SandboxControl) -> None:
    report = control.migration_file(file_of(GOOD, GOOD.replace("-1", "-9")))
    assert report == {"accepted": 2, "rejected": []}
    for parent in ("OLD-1", "OLD-9"):
        assert merchant.detached(new_reference(), parent, "50.00").status == 200


def test_one_bad_row_keeps_all_out_and_is_named_by_its_line(
    merchant: Merchant, control: SandboxControl
) -> None:
    report = control.migration_file(file_of(GOOD, BAD))
    assert report["accepted"] == 0
    assert [row["line"] for row in report["rejected"]] == [3]
    assert "transactionDateTime" in report["rejected"][0]["reason"]
    assert merchant.detached(new_reference(), "OLD-1").status == 404


def test_good_rows_are_kept_beside_bad_ones_where_the_caller_says_so(
    merchant: Merchant, control: SandboxControl
) -> None:
    report = control.migration_file(file_of(BAD, GOOD), keep_good=True)
    assert (report["accepted"], [row["line"] for row in report["rejected"]]) == (1, [2])
    assert merchant.detached(new_reference(), "OLD-1").status == 200


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("OLD-1,2024-03-01T09:30:00,50.00,EUR,50.01,P-1", "refundedAmount"),
        ("OLD-1,2024-03-01T09:30:00,\"50,00\",EUR,0.00,P-1", "amount"),
        ("OLD-1,2024-03-01T09:30:00,50.00,XYZ,0.00,P-1", "currencyCode"),
        (",2024-03-01T09:30:00,50.00,EUR,0.00,P-1", "parentTransactionId"),
        ("OLD-1,2024-03-01T09:30:00,50.00", "cells"),
    ],
    ids=["over-refunded", "comma", "currency", "no parent", "short"],
)  # fmt: skip
def test_a_wrong_row_says_why(control: SandboxControl, row: str, reason: str) -> None:
    (rejected,) = control.migration_file(file_of(row))["rejected"]
    assert rejected["line"] == 2
    assert reason in rejected["reason"]


def test_a_second_file_brings_a_deposit_up_to_date(merchant: Merchant, control: SandboxControl) -> None:
    control.migration_file(file_of(GOOD))
    report = control.migration_file(file_of(GOOD.replace(",0.00,", ",45.00,")))
    assert report == {"accepted": 1, "rejected": []}
    answer = merchant.detached(new_reference(), "OLD-1", "6.00")
    assert re.fullmatch(r"RefundAmountExceeded\D+50\.00\D+45\.00\D+5\.00\D+6\.00", answer.message)


@pytest.mark.parametrize(
    "changed",
    [GOOD.replace("50.00", "9.99"), GOOD.replace("EUR", "USD")],
    ids=["less than was refunded here", "another currency"],
)
def test_a_second_file_cannot_undo_what_was_refunded(
    merchant: Merchant, control: SandboxControl, changed: str
) -> None:
    control.migration_file(file_of(GOOD))
    merchant.detached(new_reference(), "OLD-1", "10.00")
    report = control.migration_file(file_of(BAD.replace("yesterday", "2024-03-01T09:30:00"), changed))
    assert report["accepted"] == 0
    assert [row["line"] for row in report["rejected"]] == [3]
