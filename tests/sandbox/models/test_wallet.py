"""Rows of the wallet button: their names, no column for a card number, and hashes of secrets."""

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
    hash_secret,
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


def test_an_account_knows_its_own_cryptogram_from_all_others() -> None:
    account = PaymentAccount(cryptogram_hash=hash_secret("secret"))
    assert account.has_cryptogram("secret")
    assert not account.has_cryptogram("Secret")
    assert not account.has_cryptogram("")


def test_a_hash_fits_its_column_and_holds_nothing_of_the_secret() -> None:
    assert len(hash_secret("é" * 1000)) == 64
    assert "secret" not in hash_secret("secret")
