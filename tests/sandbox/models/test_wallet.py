"""Rows of the wallet button by themselves: their names, and that no column could hold a card number."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from django.db import models

from wallet_gateway.sandbox.models import (
    Authentication,
    PaymentAccount,
    PublicKey,
    TransactionRecord,
    new_account_id,
    new_page_token,
)

NAMES: list[tuple[models.Model, str]] = [
    (PaymentAccount(card_network="VISA", masked_number="************1111"), "VISA ************1111"),
    (PublicKey(expires_at=datetime(2030, 1, 1, tzinfo=UTC)), "keys until 2030-01-01T00:00:00+00:00"),
    (
        Authentication(record=TransactionRecord(type="ecom.sale", reference="A", state="Pending")),
        "3-D Secure of ecom.sale A Pending",
    ),
]


@pytest.mark.parametrize(("row", "name"), NAMES, ids=[type(row).__name__ for row, _ in NAMES])
def test_a_row_is_named_without_a_secret(row: models.Model, name: str) -> None:
    assert str(row) == name


def test_identifiers_cannot_be_guessed() -> None:
    assert len({new_account_id() for _ in range(1000)}) == 1000
    assert re.fullmatch(r"ACC-[0-9A-F]{24}", new_account_id())
    assert re.fullmatch(r"[A-Za-z0-9_-]{22}", new_page_token())


def test_no_column_is_named_after_a_secret() -> None:
    names = {field.name for kind in (PaymentAccount, PublicKey) for field in kind._meta.get_fields()}
    assert not names & {"pan", "number", "cryptogram", "api_key", "encryption_key", "token"}
