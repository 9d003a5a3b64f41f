"""Columns that mean the same on every database."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils import translation

from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import Discrepancy, GatewayTransaction, MigratedDeposit, Payment, PaymentOrder
from wallet_gateway.models.fields import VISIBLE_ASCII, ByteExactField, choices_of

EXACT = {
    PaymentOrder: {"reference", "token"},
    Payment: {"reference"},
    GatewayTransaction: {"reference", "key", "open_slot", "record_id"},
    MigratedDeposit: {"parent_transaction_id"},
    Discrepancy: {"fingerprint"},
}


def test_whatever_is_looked_up_by_name_is_exact_to_the_byte() -> None:
    for model, names in EXACT.items():
        assert {f.name for f in model._meta.fields if isinstance(f, ByteExactField)} == names


def test_the_collation_is_named_where_the_default_one_folds_case() -> None:
    field = ByteExactField(max_length=10)
    field.set_attributes_from_name("reference")
    collation = field.db_parameters(connection).get("collation")
    assert collation == ("utf8mb4_bin" if connection.vendor == "mysql" else None)


@pytest.mark.parametrize("value", ["a", "A-1", "!~", "x" * 64])
def test_visible_ascii_is_taken(value: str) -> None:
    VISIBLE_ASCII(value)


@pytest.mark.parametrize("value", ["", " ", "a b", "a\n", "\x7f", "é", "a\u00a0"])
def test_everything_else_is_not(value: str) -> None:
    with pytest.raises(ValidationError):
        VISIBLE_ASCII(value)


def test_choices_are_values_with_words() -> None:
    assert ("PART_REFUNDED", "Part refunded") in choices_of(OrderState)
    assert len(choices_of(OrderState)) == len(OrderState)


def test_choices_have_their_words_in_the_readers_language() -> None:
    choices = choices_of(OrderState)
    with translation.override("de"):
        assert ("PART_REFUNDED", "Teilweise erstattet") in [(value, str(name)) for value, name in choices]
