"""Columns that mean the same on every database."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.db.backends.dummy.base import DatabaseWrapper
from django.utils import translation

from tests.models.rows import a_transaction
from tests.tables import every
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    OrderMetadata,
    Payment,
    PaymentOrder,
    WalletAttempt,
)
from wallet_gateway.models.fields import VISIBLE_ASCII, ByteExactField, choices_of, cut_to, note_of

pytestmark = pytest.mark.every_database

EXACT = {
    PaymentOrder: {"reference", "token", "cancelled_by_account", "email_hash", "recipient_email_hash"},
    OrderMetadata: {"key", "value"},
    Payment: {"reference"},
    GatewayTransaction: {
        "reference",
        "idempotency_key",
        "outstanding_key",
        "record_id",
        "reported_id",
        "provider_transaction_id",
        "created_by_account",
        "refusal_seen_by_account",
    },
    MigratedDeposit: {"parent_transaction_id", "provider_transaction_id"},
    Discrepancy: {"fingerprint", "closed_by_account"},
    WalletAttempt: {"account_id", "email_hash"},
}


def test_whatever_is_looked_up_by_name_is_exact_to_the_byte() -> None:
    for model, names in EXACT.items():
        assert {f.name for f in model._meta.fields if isinstance(f, ByteExactField)} == names


def test_the_collation_is_named_where_the_default_one_folds_case() -> None:
    field = ByteExactField(max_length=10)
    field.set_attributes_from_name("reference")
    collation = field.db_parameters(connection).get("collation")
    assert collation == ("utf8mb4_nopad_bin" if connection.vendor == "mysql" else None)


def test_mysql_itself_is_given_a_collation_that_it_has() -> None:
    field = ByteExactField(max_length=10)
    field.set_attributes_from_name("reference")
    mysql = DatabaseWrapper({**connection.settings_dict, "ENGINE": "django.db.backends.dummy"})
    mysql.vendor, mysql.data_types = "mysql", {"CharField": "varchar(%(max_length)s)"}
    assert field.db_parameters(mysql)["collation"] == "utf8mb4_bin"


@pytest.mark.django_db
@pytest.mark.parametrize("other", ["a-1", "A-1 ", "A-1\t", "Á-1", " A-1"])
def test_what_differs_in_one_byte_is_another_value(other: str) -> None:
    first = a_transaction(record_id="A-1", idempotency_key="A-1")
    second = a_transaction(record_id=other, idempotency_key=other)
    rows = GatewayTransaction.objects
    for name in ("record_id", "idempotency_key"):
        assert rows.get(**{name: "A-1"}) == first
        assert rows.get(**{name: other}) == second


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["A", "A-1", "A%", "A_1", "a", "z", "Á", "A-10\\", "A-1'"])
def test_what_begins_with_a_text_is_found_byte_by_byte(text: str) -> None:
    names = {"A", "A-1", "A-10", "A-1x", "A%1", "A_1", "a-1", "B", "Á-1", "A-10\\", "A-1'"}
    for name in names:
        a_transaction(record_id=name)
    found = GatewayTransaction.objects.filter(record_id__begins=text).values_list("record_id", flat=True)
    assert set(found) == {name for name in names if name.startswith(text)}


@pytest.mark.parametrize("value", ["a", "A-1", "!~", "x" * 64])
def test_visible_ascii_is_taken(value: str) -> None:
    VISIBLE_ASCII(value)


@every("value", ["", " ", "a b", "a\n", "\x7f", "é", "a\u00a0"])
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


def test_a_note_is_cut_behind_its_card_numbers_and_none_is_left_of_them() -> None:
    assert note_of(Discrepancy, "reason", "card 4111 1111 1111 1111") == "card ***1111"
    assert note_of(PaymentOrder, "order_number", "x" * 124 + "4111111111111111") == "x" * 124 + "***"


def test_a_text_is_cut_to_the_length_of_its_column() -> None:
    assert cut_to(PaymentOrder, "order_number", "x" * 200) == "x" * 127
    assert cut_to(PaymentOrder, "order_number", "A-1") == "A-1"
