"""INSERT, UPDATE and SELECT of a single row, with SQL text made once for each shape. No rules here.

Django compiles a statement each time it runs, which costs several times as much as the statement itself. Here
columns, conversions and database are the model's own, every value is a parameter, and only the text is kept.
As with `bulk_create`, Django's model signals are not sent; shops listen to `wallet_gateway.signals`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeVar

from django.core.exceptions import FieldDoesNotExist, ObjectDoesNotExist
from django.db import connections, models, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.expressions import Col

M = TypeVar("M", bound=models.Model)
Names = tuple[str, ...]
Columns = Mapping[str, Any]
"""Values by the names of their columns."""
NOTHING: Columns = MappingProxyType({})


def insert_row(row: models.Model) -> None:
    """Insert a row that is not stored yet, and set its primary key; raises what `save()` raises."""
    model = type(row)
    alias, key = router.db_for_write(model, instance=row), model._meta.pk
    # An unnamed column is NULL: the database has no defaults.
    given = {
        name: value
        for name in _names(model)
        if name != key.attname and (value := getattr(row, name)) is not None
    }
    connection = connections[alias]
    with connection.cursor() as cursor:
        cursor.execute(_insert_text(model, alias, tuple(given)), _parameters(model, given, alias))
        if connection.features.can_return_columns_from_insert:
            (row.pk,) = cursor.fetchone()
        else:
            row.pk = connection.ops.last_insert_id(cursor, model._meta.db_table, str(key.column))
    row._state.adding, row._state.db = False, alias


def update_row(
    model: type[models.Model], *, where: Columns, columns: Columns, added: Columns = NOTHING
) -> bool:
    """Write columns of the row in which every column of `where` has its value; return whether it exists.

    `added` are numbers to add to the values of the row. An expression, or None in `where`, needs a query set.
    """
    alias = router.db_for_write(model)
    text = _update_text(model, alias, tuple(columns), tuple(added), tuple(where))
    values = [value for given in (columns, added, where) for value in _parameters(model, given, alias)]
    with connections[alias].cursor() as cursor:
        cursor.execute(text, values)
        return bool(cursor.rowcount)


def select_row(model: type[M], *, where: Columns) -> M:
    """Read the one row in which every column of `where` has its value; raises the model's `DoesNotExist`."""
    found = select_rows(model, where=where, most=1)
    if not found:
        missing: type[ObjectDoesNotExist] = getattr(model, "DoesNotExist")  # noqa: B009 - made by the metaclass
        raise missing(f"no {model._meta.verbose_name} has {dict(where)}")
    return found[0]


def select_rows(model: type[M], *, where: Columns, most: int) -> Sequence[M]:
    """Read the rows, `most` of them at most, in which every column of `where` has its value; in any order."""
    alias = router.db_for_read(model)
    connection = connections[alias]
    with connection.cursor() as cursor:
        cursor.execute(_select_text(model, alias, tuple(where), most), _parameters(model, where, alias))
        found = [list(row) for row in cursor.fetchall()]
    for place, column in _columns_to_convert(model, alias):
        for convert in _converters(column, connection):
            for row in found:
                row[place] = convert(row[place], column, connection)
    return [model.from_db(alias, _names(model), row) for row in found]


def _parameters(model: type[models.Model], columns: Columns, alias: str) -> list[Any]:
    """Return the values of columns as the database takes them."""
    connection = connections[alias]
    return [_field(model, name).get_db_prep_save(value, connection) for name, value in columns.items()]


def _field(model: type[models.Model], name: str) -> models.Field[Any, Any]:
    field = model._meta.get_field(name)
    if not isinstance(field, models.Field):
        raise FieldDoesNotExist(f"{name!r} is no column of {model._meta.label}")
    return field


@lru_cache(maxsize=64)
def _columns_to_convert(model: type[models.Model], alias: str) -> Sequence[tuple[int, Col]]:
    # Only the columns are kept: converters hold the connection of the thread that requested them.
    columns = [field.get_col(model._meta.db_table) for field in model._meta.concrete_fields]
    return [pair for pair in enumerate(columns) if _converters(pair[1], connections[alias])]


def _converters(column: Col, connection: BaseDatabaseWrapper) -> list[Callable[[Any, Col, Any], Any]]:
    return [*connection.ops.get_db_converters(column), *column.target.get_db_converters(connection)]


@lru_cache(maxsize=64)
def _names(model: type[models.Model]) -> Names:
    return tuple(field.attname for field in model._meta.concrete_fields)


@lru_cache(maxsize=256)
def _insert_text(model: type[models.Model], alias: str, names: Names) -> str:
    connection, table = connections[alias], _quoted(model._meta.db_table, alias)
    places, columns = ", ".join(["%s"] * len(names)), ", ".join(_columns(model, alias, names))
    text = f"INSERT INTO {table} ({columns}) VALUES ({places})"  # noqa: S608 - names of the model's own
    if connection.features.can_return_columns_from_insert:
        text += f" RETURNING {_quoted(str(model._meta.pk.column), alias)}"
    return text


@lru_cache(maxsize=256)
def _update_text(model: type[models.Model], alias: str, columns: Names, added: Names, where: Names) -> str:
    written = [f"{column} = %s" for column in _columns(model, alias, columns)]
    increased = [f"{column} = {column} + %s" for column in _columns(model, alias, added)]
    changes, condition = ", ".join(written + increased), _condition(model, alias, where)
    return f"UPDATE {_quoted(model._meta.db_table, alias)} SET {changes} WHERE {condition}"  # noqa: S608 - as above


@lru_cache(maxsize=64)
def _select_text(model: type[models.Model], alias: str, where: Names, most: int) -> str:
    columns, table = ", ".join(_columns(model, alias, _names(model))), _quoted(model._meta.db_table, alias)
    return f"SELECT {columns} FROM {table} WHERE {_condition(model, alias, where)} LIMIT {most}"  # noqa: S608 - as above


def _condition(model: type[models.Model], alias: str, names: Names) -> str:
    return " AND ".join(f"{column} = %s" for column in _columns(model, alias, names))


def _columns(model: type[models.Model], alias: str, names: Names) -> list[str]:
    return [_quoted(str(_field(model, name).column), alias) for name in names]


def _quoted(name: str, alias: str) -> str:
    return connections[alias].ops.quote_name(name)
