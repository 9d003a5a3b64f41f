"""Indexes without the rows that have NULL: partial where the database can, unique as any other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection
from django.db import transaction as db_transaction

from tests.models.rows import a_transaction
from wallet_gateway.models import GatewayTransaction, OutboxEvent
from wallet_gateway.models.sparse_indexes import SparseIndex, SparseUniqueConstraint

if TYPE_CHECKING:
    from django.db import models

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def sparse() -> list[tuple[type[models.Model], SparseIndex | SparseUniqueConstraint]]:
    return [
        (model, each)
        for model in apps.get_app_config("wallet_gateway").get_models()
        for each in (*model._meta.indexes, *model._meta.constraints)
        if isinstance(each, SparseIndex | SparseUniqueConstraint)
    ]


def test_each_is_of_a_column_that_may_be_null() -> None:
    assert {model for model, _ in sparse()} >= {GatewayTransaction, OutboxEvent}
    for model, each in sparse():
        assert any(getattr(model._meta.get_field(name), "null", False) for name in each.fields), each.name


def test_they_are_partial_where_the_database_can_and_whole_elsewhere() -> None:
    is_partial = connection.features.supports_partial_indexes
    assert is_partial == (connection.vendor != "mysql")
    editor = connection.schema_editor(collect_sql=True)
    for model, each in sparse():
        statement = str(each.create_sql(model, editor))
        # Of truth values, those that are true.
        condition = ' WHERE "is_test"' if each.fields == ["is_test"] else "IS NOT NULL"
        assert (condition in statement) == is_partial, statement


def test_the_database_has_each_of_them() -> None:
    with connection.cursor() as cursor:
        for model, each in sparse():
            found = connection.introspection.get_constraints(cursor, model._meta.db_table)
            assert found[each.name]["unique"] == isinstance(each, SparseUniqueConstraint)


@pytest.mark.parametrize(
    "column", ["outstanding_key", "idempotency_key", "record_id"], ids=lambda column: column
)
def test_a_value_is_unique_and_null_is_not(column: str) -> None:
    def stored(value: str | None) -> None:
        columns: dict[str, Any] = {column: value}
        a_transaction(**columns)

    for value in (None, None, "A-1", "a-1"):
        stored(value)
    with pytest.raises(IntegrityError), db_transaction.atomic():
        stored("A-1")


@pytest.mark.django_db(transaction=True)
def test_a_migration_can_take_them_back_and_make_them_again() -> None:
    for model, each in sparse():
        with connection.schema_editor() as editor:
            if isinstance(each, SparseIndex):
                editor.remove_index(model, each)
                editor.add_index(model, each)
            else:
                editor.remove_constraint(model, each)
                editor.add_constraint(model, each)
    test_the_database_has_each_of_them()
