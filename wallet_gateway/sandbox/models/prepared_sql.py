"""INSERT, UPDATE and SELECT with a text that is written once for each table and its columns. No rules here.

Django compiles a statement each time it runs, which takes many times as long as SQLite needs for it. What
every request reads and writes goes through here. Columns, conversions and the connection are Django's own,
and every value is a parameter. The signals of models are not sent; nothing in the sandbox listens to them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final, TypeAlias, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections, models
from django.db.models.expressions import Col

M = TypeVar("M", bound=models.Model)
Names: TypeAlias = tuple[str, ...]
Field: TypeAlias = "models.Field[Any, Any]"

_TEXTS: Final = (models.CharField, models.TextField)
_NUMBERS: Final = (models.IntegerField, models.ForeignKey)
"""Every primary key here is a number."""


def insert_row(row: models.Model) -> None:
    """Insert a new row and set its primary key; raises what ``save`` raises."""
    model, values = type(row), row.__dict__
    columns = {name: values[name] for name in _names_without_key(model)}
    row.pk = _execute(_insert_text(model), _parameters(model, columns)).lastrowid
    row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS


def update_row(model: type[models.Model], key: int, **columns: Any) -> None:
    """Write columns of the row with this primary key, if there is one."""
    _execute(_update_text(model, tuple(columns)), [*_parameters(model, columns), key])


def select_rows(model: type[M], **where: Any) -> list[M]:
    """Return the rows in which these columns, named as their attributes, have these values; oldest first."""
    found = _execute(_select_text(model, tuple(where)), _parameters(model, where)).fetchall()
    names = _names(model)
    return [model.from_db(DEFAULT_DB_ALIAS, names, _converted(model, row)) for row in found]


def _execute(text: str, parameters: Sequence[Any]) -> sqlite3.Cursor:
    """Execute a statement on the connection that Django has opened for this thread."""
    connection = connections[DEFAULT_DB_ALIAS]
    connection.ensure_connection()
    with connection.wrap_database_errors:
        cursor: sqlite3.Cursor = connection.connection.execute(text, parameters)
        return cursor


# Values


def _parameters(model: type[models.Model], columns: Mapping[str, Any]) -> list[Any]:
    """Return the values of columns as SQLite takes them."""
    return [
        None if value is None else prepare(value)
        for prepare, value in zip(_preparations(model, tuple(columns)), columns.values(), strict=True)
    ]


@cache
def _preparations(model: type[models.Model], names: Names) -> Sequence[Callable[[Any], Any]]:
    return [_preparation(_field(model, name)) for name in names]


def _preparation(field: Field) -> Callable[[Any], Any]:
    """Return what makes a field's value one that SQLite takes."""
    if isinstance(field, _TEXTS):
        return str  # The driver takes long over a member of an enumeration.
    if isinstance(field, _NUMBERS):
        return int
    return lambda value: field.get_db_prep_save(value, connections[DEFAULT_DB_ALIAS])


def _converted(model: type[models.Model], row: Sequence[Any]) -> Sequence[Any]:
    """Return what was read of a row as the values of its fields."""
    connection, values = connections[DEFAULT_DB_ALIAS], list(row)
    for place, column in _columns_to_convert(model):
        of_the_database = connection.ops.get_db_converters(column)
        for convert in [*of_the_database, *column.target.get_db_converters(connection)]:
            values[place] = convert(values[place], column, connection)
    return values


@cache
def _columns_to_convert(model: type[models.Model]) -> Sequence[tuple[int, Col]]:
    fields = enumerate(model._meta.concrete_fields)
    given_as_they_are = (*_TEXTS, *_NUMBERS)
    return [
        (place, field.get_col(model._meta.db_table))
        for place, field in fields
        if not isinstance(field, given_as_they_are)
    ]


# Texts


@cache
def _insert_text(model: type[models.Model]) -> str:
    columns = _columns(model, _names_without_key(model))
    places = ", ".join("?" * len(columns))
    return f"INSERT INTO {_table(model)} ({', '.join(columns)}) VALUES ({places})"  # noqa: S608 - names of the model's own


@cache
def _update_text(model: type[models.Model], names: Names) -> str:
    changes = ", ".join(f"{column} = ?" for column in _columns(model, names))
    return f"UPDATE {_table(model)} SET {changes} WHERE {_key(model)} = ?"  # noqa: S608 - as above


@cache
def _select_text(model: type[models.Model], where: Names) -> str:
    columns = ", ".join(_columns(model, _names(model)))
    condition = " AND ".join(f"{column} = ?" for column in _columns(model, where))
    return f"SELECT {columns} FROM {_table(model)} WHERE {condition} ORDER BY {_key(model)}"  # noqa: S608 - as above


@cache
def _names(model: type[models.Model]) -> Names:
    return tuple(field.attname for field in model._meta.concrete_fields)


@cache
def _names_without_key(model: type[models.Model]) -> Names:
    return tuple(field.attname for field in model._meta.concrete_fields if not field.primary_key)


def _field(model: type[models.Model], name: str) -> Field:
    return next(field for field in model._meta.concrete_fields if field.attname == name)


def _columns(model: type[models.Model], names: Names) -> Sequence[str]:
    return [_quoted(_field(model, name).column) for name in names]


def _key(model: type[models.Model]) -> str:
    return _quoted(model._meta.pk.column)


def _table(model: type[models.Model]) -> str:
    return _quoted(model._meta.db_table)


def _quoted(name: str | None) -> str:
    return connections[DEFAULT_DB_ALIAS].ops.quote_name(str(name))
