"""Columns that mean the same on every database."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.db.backends.dummy.base import DatabaseWrapper

from tests.models.rows import a_transaction
from tests.support.tables import every
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    OrderMetadata,
    Payment,
    PaymentOrder,
    WalletAttempt,
)
from wallet_gateway.models.fields import ByteExactField

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


def test_mysql_itself_is_given_a_collation_that_it_has() -> None:
    field = ByteExactField(max_length=10)
    field.set_attributes_from_name("reference")
    mysql = DatabaseWrapper({**connection.settings_dict, "ENGINE": "django.db.backends.dummy"})
    mysql.vendor, mysql.data_types = "mysql", {"CharField": "varchar(%(max_length)s)"}
    assert field.db_parameters(mysql)["collation"] == "utf8mb4_bin"


@pytest.mark.django_db
@every("other", ["a-1", "A-1 ", "A-1\t", "Á-1", " A-1"])
def test_what_differs_in_one_byte_is_another_value(other: str) -> None:
    GatewayTransaction.objects.all().delete()
    for name in ("A-1", other):
        a_transaction(record_id=name, idempotency_key=name)
    for name in ("A-1", other):
        assert GatewayTransaction.objects.get(record_id=name) == GatewayTransaction.objects.get(
            idempotency_key=name
        )


@pytest.mark.django_db
def test_what_begins_with_a_text_is_found_byte_by_byte() -> None:
    names = {"A", "A-1", "A-10", "A-1x", "A%1", "A_1", "a-1", "B", "Á-1", "A-10\\", "A-1'"}
    for name in names:
        a_transaction(record_id=name)
    for text in ("A", "A-1", "A%", "A_1", "a", "z", "Á", "A-10\\", "A-1'"):
        found = GatewayTransaction.objects.filter(record_id__begins=text).values_list("record_id", flat=True)
        assert set(found) == {name for name in names if name.startswith(text)}, text


@every(
    ("reference", "is_taken"),
    [
        *((right, True) for right in ("a", "A-1", "!~", "x" * 64)),
        *((wrong, False) for wrong in ("", " ", "a b", "a\n", "\x7f", "é", "a\u00a0")),
    ],
)
def test_a_form_takes_references_that_every_database_reads_alike(reference: str, is_taken: bool) -> None:
    with pytest.raises(ValidationError) as refusal:
        PaymentOrder(reference=reference).clean_fields()
    assert ("reference" not in refusal.value.message_dict) is is_taken
