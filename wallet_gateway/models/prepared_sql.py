"""INSERT, UPDATE and SELECT of a single row, with SQL text generated once for each shape. No rules here.

Django compiles a statement each time it runs, which costs several times as much as the statement itself. A
checkout always reads and writes the same columns, so it uses this module: columns, conversions and database
are the model's own, every value is a parameter, and only the text is cached. As with `bulk_create`, Django's
model signals are not sent; shops listen to the events of `wallet_gateway.signals`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from django.core.exceptions import FieldDoesNotExist, ObjectDoesNotExist
from django.db import connections, models, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.expressions import Col

M = TypeVar("M", bound=models.Model)
Names = tuple[str, ...]


def insert_row(row: models.Model) -> None:
    """Insert a row that is not stored yet, and set its primary key; raises what `save()` raises."""
    model = type(row)
    alias = router.db_for_write(model, instance=row)
    connection = connections[alias]
    # An unnamed column is NULL: the database has no defaults.
    given = {
        field.attname: field.get_db_prep_save(value, connection)
        for field in model._meta.concrete_fields
        if not field.primary_key and (value := getattr(row, field.attname)) is not None
    }
    with connection.cursor() as cursor:
        cursor.execute(_insert_text(model, alias, tuple(given)), list(given.values()))
        if connection.features.can_return_columns_from_insert:
            row.pk = cursor.fetchone()[0]
        else:
            row.pk = connection.ops.last_insert_id(cursor, model._meta.db_table, _key_column(model))
    row._state.adding, row._state.db = False, alias


def update_row(model: type[models.Model], *, where: Mapping[str, Any], columns: Mapping[str, Any]) -> bool:
    """Write columns of the row in which every column of `where` has its value; return whether it exists.

    Values only: an expression, or None in `where`, needs a query set.
    """
    alias = router.db_for_write(model)
    text = _update_text(model, alias, tuple(columns), tuple(where))
    parameters = _parameters(model, columns, alias) + _parameters(model, where, alias)
    with connections[alias].cursor() as cursor:
        cursor.execute(text, parameters)
        return bool(cursor.rowcount)


def select_row(model: type[M], *, where: Mapping[str, Any]) -> M:
    """Read the one row in which every column of `where` has its value; raises the model's `DoesNotExist`."""
    alias = router.db_for_read(model)
    with connections[alias].cursor() as cursor:
        cursor.execute(_select_text(model, alias, tuple(where)), _parameters(model, where, alias))
        found: Sequence[Any] | None = cursor.fetchone()
    if found is None:
        missing: type[ObjectDoesNotExist] = getattr(model, "DoesNotExist")  # noqa: B009 - made by the metaclass
        raise missing(f"no {model._meta.verbose_name} has {dict(where)}")
    return model.from_db(alias, _names(model), _converted(model, list(found), alias))


# Values


def _parameters(model: type[models.Model], columns: Mapping[str, Any], alias: str) -> list[Any]:
    connection = connections[alias]
    return [_field(model, name).get_db_prep_save(value, connection) for name, value in columns.items()]


def _field(model: type[models.Model], name: str) -> models.Field[Any, Any]:
    field = model._meta.get_field(name)
    if not isinstance(field, models.Field):
        raise FieldDoesNotExist(f"{name!r} is no column of {model._meta.label}")
    return field


def _converted(model: type[models.Model], values: list[Any], alias: str) -> list[Any]:
    connection = connections[alias]
    for place, column in _columns_to_convert(model, alias):
        for convert in _converters(column, connection):
            values[place] = convert(values[place], column, connection)
    return values


@lru_cache(maxsize=64)
def _columns_to_convert(model: type[models.Model], alias: str) -> Sequence[tuple[int, Col]]:
    # Only the columns are cached: converters hold the connection of the thread that requested them.
    columns = [field.get_col(model._meta.db_table) for field in model._meta.concrete_fields]
    return [
        (place, column) for place, column in enumerate(columns) if _converters(column, connections[alias])
    ]


def _converters(column: Col, connection: BaseDatabaseWrapper) -> list[Callable[[Any, Col, Any], Any]]:
    return [*connection.ops.get_db_converters(column), *column.target.get_db_converters(connection)]


# SQL texts


@lru_cache(maxsize=64)
def _names(model: type[models.Model]) -> Names:
    return tuple(field.attname for field in model._meta.concrete_fields)


@lru_cache(maxsize=256)
def _insert_text(model: type[models.Model], alias: str, names: Names) -> str:
    connection, table = connections[alias], _quoted(model, alias)
    places = ", ".join(["%s"] * len(names))
    columns = ", ".join(_columns(model, alias, names))
    text = f"INSERT INTO {table} ({columns}) VALUES ({places})"  # noqa: S608 - names of the model's own
    if connection.features.can_return_columns_from_insert:
        text += f" RETURNING {connection.ops.quote_name(_key_column(model))}"
    return text


@lru_cache(maxsize=256)
def _update_text(model: type[models.Model], alias: str, columns: Names, where: Names) -> str:
    changes, condition = _equal(model, alias, columns, ", "), _equal(model, alias, where, " AND ")
    return f"UPDATE {_quoted(model, alias)} SET {changes} WHERE {condition}"  # noqa: S608 - as above


@lru_cache(maxsize=64)
def _select_text(model: type[models.Model], alias: str, where: Names) -> str:
    columns = ", ".join(_columns(model, alias, _names(model)))
    condition = _equal(model, alias, where, " AND ")
    return f"SELECT {columns} FROM {_quoted(model, alias)} WHERE {condition}"  # noqa: S608 - as above


def _equal(model: type[models.Model], alias: str, names: Names, between: str) -> str:
    return between.join(f"{column} = %s" for column in _columns(model, alias, names))


def _columns(model: type[models.Model], alias: str, names: Names) -> list[str]:
    quote = connections[alias].ops.quote_name
    return [quote(str(_field(model, name).column)) for name in names]


def _quoted(model: type[models.Model], alias: str) -> str:
    return connections[alias].ops.quote_name(model._meta.db_table)


def _key_column(model: type[models.Model]) -> str:
    return str(model._meta.pk.column)
