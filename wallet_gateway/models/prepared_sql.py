"""INSERT, UPDATE and SELECT of a single row, with SQL text generated once for each shape. No rules here.

Django compiles a statement each time it runs, which costs several times as much as the statement itself. A
checkout always reads and writes the same columns, so it uses this module: columns, conversions and database
are the model's own, every value is a parameter, and only the text is cached. As with `bulk_create`, Django's
model signals are not sent; shops listen to the events of `wallet_gateway.signals`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeVar

from django.core.exceptions import FieldDoesNotExist, ObjectDoesNotExist
from django.db import connections, models, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.models.expressions import Col

from wallet_gateway.models.prepared_statements import repeated_statement
from wallet_gateway.models.stored_rows import stored_row

M = TypeVar("M", bound=models.Model)
Names = tuple[str, ...]
Columns = Mapping[str, Any]
"""Values by the names of their columns."""
NOTHING: Columns = MappingProxyType({})


def insert_row(row: models.Model) -> None:
    """Insert a row that is not stored yet, and set its primary key; raises what `save()` raises."""
    _insert(row, unless_taken=False)


def insert_row_unless_taken(row: models.Model) -> bool:
    """Insert a row unless another one has a value that must be unique; return whether it was inserted.

    Only for databases that have a statement for it: PostgreSQL, SQLite.
    """
    return _insert(row, unless_taken=True)


def _insert(row: models.Model, *, unless_taken: bool) -> bool:
    model = type(row)
    alias = router.db_for_write(model, instance=row)
    # An unnamed column is NULL: the database has no defaults.
    given = given_columns(row)
    with repeated_statement(alias) as cursor:
        cursor.execute(
            _insert_text(model, alias, tuple(given), unless_taken=unless_taken),
            parameters(model, given, alias),
        )
        key = _key_of_inserted(model, alias, cursor)
    if key is None:
        return False
    row.pk = key
    row._state.adding, row._state.db = False, alias
    return True


def given_columns(row: models.Model) -> Columns:
    """Return the columns of a row that have a value, but for its primary key."""
    key = row._meta.pk.attname
    return {
        name: value for name in _names(type(row)) if name != key and (value := getattr(row, name)) is not None
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedInsert:
    """An INSERT whose text and values are ready."""

    alias: str
    model: type[models.Model]
    text: str
    values: Sequence[Any]

    def execute(self, *first: Any) -> int:
        """Insert the row with these values in place of its first ones; return its primary key."""
        with repeated_statement(self.alias) as cursor:
            cursor.execute(self.text, [*first, *self.values[len(first) :]])
            key = _key_of_inserted(self.model, self.alias, cursor)
        assert key is not None  # noqa: S101 - without a condition it inserts or raises
        return key


def prepare_insert(model: type[models.Model], columns: Columns, alias: str) -> PreparedInsert:
    """Return an INSERT of these columns, in their order, and of the model's defaults for all others."""
    others = defaults(model, tuple(columns))
    return PreparedInsert(
        alias=alias,
        model=model,
        text=_insert_text(model, alias, (*columns, *others)),
        values=[*parameters(model, columns, alias), *parameters(model, others, alias)],
    )


@lru_cache(maxsize=64)
def defaults(model: type[models.Model], given: Names) -> Columns:
    """Return the defaults of the columns that are not given, but for NULL, which needs no name."""
    others = [f for f in model._meta.concrete_fields if not f.primary_key and f.attname not in given]
    return {field.attname: value for field in others if (value := field.get_default()) is not None}


def update_row(
    model: type[models.Model], *, where: Columns, columns: Columns, added: Columns = NOTHING
) -> bool:
    """Write columns of the row in which every column of `where` has its value; return whether it exists.

    `added` are numbers to add to the values of the row. An expression, or None in `where`, needs a query set.
    """
    alias = router.db_for_write(model)
    text = update_text(model, alias, tuple(columns), tuple(added), tuple(where))
    values = [value for given in (columns, added, where) for value in parameters(model, given, alias)]
    with repeated_statement(alias) as cursor:
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
    with repeated_statement(alias) as cursor:
        cursor.execute(_select_text(model, alias, tuple(where), most), parameters(model, where, alias))
        found = cursor.fetchall()
    names = _names(model)
    return [
        stored_row(model, alias, dict(zip(names, _converted(model, list(row), alias), strict=True)))
        for row in found
    ]


# Values


def _key_of_inserted(model: type[models.Model], alias: str, cursor: CursorWrapper) -> int | None:
    """Return the primary key of the row that was inserted, None if none was."""
    connection = connections[alias]
    if not connection.features.can_return_columns_from_insert:
        key: int = connection.ops.last_insert_id(cursor, model._meta.db_table, _key_column(model))
        return key
    inserted: tuple[int] | None = cursor.fetchone()
    return inserted[0] if inserted else None


def parameters(model: type[models.Model], columns: Columns, alias: str) -> list[Any]:
    """Return the values of columns as the database takes them."""
    prepare = _preparations(model, alias, tuple(columns))
    if not any(prepare):
        return list(columns.values())
    connection = connections[alias]
    return [
        value if field is None else field.get_db_prep_save(value, connection)
        for field, value in zip(prepare, columns.values(), strict=True)
    ]


@lru_cache(maxsize=256)
def _preparations(
    model: type[models.Model], alias: str, names: Names
) -> Sequence[models.Field[Any, Any] | None]:
    """Return the field of each column whose values must be converted, None where the driver takes them."""
    fields = [_field(model, name) for name in names]
    if connections[alias].vendor != "postgresql":
        return fields
    return [None if isinstance(_stored_as(field), _TAKEN_BY_POSTGRES) else field for field in fields]


def _stored_as(field: models.Field[Any, Any]) -> models.Field[Any, Any]:
    """Return the field whose values a column has: of a foreign key, the key that it names."""
    return field.target_field if isinstance(field, models.ForeignKey) else field


_TAKEN_BY_POSTGRES = (
    models.CharField,
    models.TextField,
    models.IntegerField,
    models.BooleanField,
    models.DateTimeField,
    models.UUIDField,
)


def _field(model: type[models.Model], name: str) -> models.Field[Any, Any]:
    field = model._meta.get_field(name)
    if not isinstance(field, models.Field):
        raise FieldDoesNotExist(f"{name!r} is no column of {model._meta.label}")
    return field


def _converted(model: type[models.Model], values: list[Any], alias: str) -> list[Any]:
    if not (to_convert := _columns_to_convert(model, alias)):
        return values
    connection = connections[alias]
    for place, column in to_convert:
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
def _insert_text(model: type[models.Model], alias: str, names: Names, *, unless_taken: bool = False) -> str:
    connection, table = connections[alias], quoted(model, alias)
    places = ", ".join(["%s"] * len(names))
    columns = ", ".join(quoted_columns(model, alias, names))
    text = f"INSERT INTO {table} ({columns}) VALUES ({places})"  # noqa: S608 - names of the model's own
    if unless_taken:
        text += " ON CONFLICT DO NOTHING"
    if connection.features.can_return_columns_from_insert:
        text += f" RETURNING {connection.ops.quote_name(_key_column(model))}"
    return text


@lru_cache(maxsize=256)
def update_text(model: type[models.Model], alias: str, columns: Names, added: Names, where: Names) -> str:
    """Return an UPDATE with a parameter for each name: written, added to, and of the condition."""
    changed, condition = _changes(model, alias, columns, added), condition_text(model, alias, where)
    return f"UPDATE {quoted(model, alias)} SET {changed} WHERE {condition}"  # noqa: S608 - as above


@lru_cache(maxsize=64)
def _select_text(model: type[models.Model], alias: str, where: Names, most: int) -> str:
    columns = ", ".join(quoted_columns(model, alias, _names(model)))
    condition = condition_text(model, alias, where)
    return f"SELECT {columns} FROM {quoted(model, alias)} WHERE {condition} LIMIT {most}"  # noqa: S608 - as above


def condition_text(model: type[models.Model], alias: str, names: Names) -> str:
    """Return the condition that the column of each name has the value of a parameter."""
    return " AND ".join(f"{column} = %s" for column in quoted_columns(model, alias, names))


def _changes(model: type[models.Model], alias: str, columns: Names, added: Names) -> str:
    """Return the assignments of an UPDATE: `column = %s`, and `column = column + %s` for what is added."""
    written = [f"{column} = %s" for column in quoted_columns(model, alias, columns)]
    increased = [f"{column} = {column} + %s" for column in quoted_columns(model, alias, added)]
    return ", ".join(written + increased)


def quoted_columns(model: type[models.Model], alias: str, names: Names) -> list[str]:
    """Return the columns of these names, quoted."""
    quote = connections[alias].ops.quote_name
    return [quote(str(_field(model, name).column)) for name in names]


def column_type(model: type[models.Model], name: str, alias: str) -> str:
    """Return the type of a column as the database names it."""
    return str(_stored_as(_field(model, name)).db_type(connections[alias]))


def quoted(model: type[models.Model], alias: str) -> str:
    """Return the name of the model's table, quoted."""
    return connections[alias].ops.quote_name(model._meta.db_table)


def _key_column(model: type[models.Model]) -> str:
    return str(model._meta.pk.column)
