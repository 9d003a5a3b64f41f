"""Indexes and unique constraints of columns that are mostly NULL or false: no entries of these, if possible.

Each change of a row writes an entry in each index of its table, and PostgreSQL does so for a NULL, too. On
PostgreSQL and SQLite these indexes are partial; MariaDB has none, and keeps whole ones. Nothing else differs:
NULLs are distinct on every database, and a search for a value finds it by either index.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.backends.ddl_references import Statement
from django.db.models import Q


class SparseIndex(models.Index):
    """An index without the rows in which one of its columns is NULL, or false."""

    def create_sql(
        self,
        model: type[models.Model],
        schema_editor: BaseDatabaseSchemaEditor,
        using: str = "",
        **kwargs: Any,
    ) -> Statement:
        """Return the statement that creates it."""
        if not schema_editor.connection.features.supports_partial_indexes:
            return super().create_sql(model, schema_editor, using, **kwargs)
        condition = _all_given(model, self.fields)
        partial = models.Index(fields=self.fields, name=self.name, condition=condition)
        return partial.create_sql(model, schema_editor, using, **kwargs)


class SparseUniqueConstraint(models.UniqueConstraint):
    """A unique constraint whose index is without the rows in which one of its columns is NULL."""

    # The types are those that the stubs give to the methods of every constraint.

    def constraint_sql(
        self, model: type[models.Model] | None, schema_editor: BaseDatabaseSchemaEditor | None
    ) -> str:
        """Return its part of the statement that creates the table; None if it needs one of its own."""
        return self._stored_as(model, schema_editor).constraint_sql(model, schema_editor)

    def create_sql(
        self, model: type[models.Model] | None, schema_editor: BaseDatabaseSchemaEditor | None
    ) -> str:
        """Return the statement that creates it."""
        return self._stored_as(model, schema_editor).create_sql(model, schema_editor)

    def remove_sql(
        self, model: type[models.Model] | None, schema_editor: BaseDatabaseSchemaEditor | None
    ) -> str:
        """Return the statement that removes it."""
        return self._stored_as(model, schema_editor).remove_sql(model, schema_editor)

    def _stored_as(
        self, model: type[models.Model] | None, schema_editor: BaseDatabaseSchemaEditor | None
    ) -> models.UniqueConstraint:
        assert model is not None and schema_editor is not None  # noqa: S101, PT018 - Django names both
        is_partial = schema_editor.connection.features.supports_partial_indexes
        condition = _all_given(model, self.fields) if is_partial else None
        return models.UniqueConstraint(fields=self.fields, name=self.name, condition=condition)


def _all_given(model: type[models.Model], names: Sequence[str]) -> Q:
    given = Q()
    for name in names:
        field = model._meta.get_field(name)
        if isinstance(field, models.BooleanField):
            # Of truth values only the rows that are true are searched for, and they are few.
            given &= Q(**{name: True})
        elif getattr(field, "null", False):
            given &= Q(**{f"{name}__isnull": False})
    return given
