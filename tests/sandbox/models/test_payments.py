"""Merchants, checkouts, deposits and transactions: names of rows, amounts, and unguessable tokens."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from django.db import models

from tests.tables import every
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.models import (
    Checkout,
    Deposit,
    Merchant,
    TransactionRecord,
    new_checkout_token,
    new_record_id,
)


def test_a_store_is_named_with_its_merchant() -> None:
    assert str(Merchant(merchant_id="M", store_id="S")) == "M / S"


def test_a_store_has_no_origins_until_it_registers_them() -> None:
    assert Merchant(merchant_id="M", store_id="S").origins == []


NAMES: list[tuple[models.Model, str]] = [
    (Checkout(type="ecom.sale", reference="A"), "ecom.sale A"),
    (Deposit(parent_transaction_id="OLD-1"), "OLD-1"),
    (TransactionRecord(type="ecom.refund", reference="B", state="Approved"), "ecom.refund B Approved"),
]


@pytest.mark.parametrize(("row", "name"), NAMES, ids=[type(row).__name__ for row, _ in NAMES])
def test_a_row_is_named_by_what_people_know_it_by(row: models.Model, name: str) -> None:
    assert str(row) == name


@every("kind", [Checkout, Deposit, TransactionRecord])
@every(
    ("minor", "currency", "amount"), [(1050, "EUR", "10.50"), (1050, "JPY", "1050"), (1050, "KWD", "1.050")]
)
def test_money_is_whole_minor_units_and_a_currency(
    kind: type[Checkout | Deposit | TransactionRecord], minor: int, currency: str, amount: str
) -> None:
    assert kind(amount_minor=minor, currency=currency).amount == Money(Decimal(amount), currency)


def test_tokens_and_ids_are_new_every_time() -> None:
    assert len({new_checkout_token() for _ in range(1000)}) == 1000
    assert len({new_record_id() for _ in range(1000)}) == 1000


def test_a_token_has_128_bits_and_is_safe_in_a_path() -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]{22}", new_checkout_token())
