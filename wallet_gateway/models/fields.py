"""Column types that behave the same on SQLite, PostgreSQL and MariaDB. No rules about money here."""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar, cast

from django.core.validators import RegexValidator
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.query_utils import DeferredAttribute
from django.db.models.sql.compiler import SQLCompiler
from django.utils.functional import Promise

from wallet_gateway.models.labels import label_of
from wallet_gateway.protocol.card_numbers import mask_card_numbers
from wallet_gateway.protocol.codes import Currency, currency_exponent, stored_currency
from wallet_gateway.protocol.errors import UnknownCode

VISIBLE_ASCII = RegexValidator(r"\A[!-~]+\Z", "Only visible ASCII characters without blanks are allowed.")


_GREATEST = "\U0010ffff"

if TYPE_CHECKING:
    _Set = TypeVar("_Set", contravariant=True)
    _Get = TypeVar("_Get", covariant=True)

    class ByteExactField(models.CharField[_Set, _Get]): ...

    # Django's fields take no parameters when they run.
    _CurrencyCode = models.CharField[str, Currency]
    _Exponent = models.SmallIntegerField[int | None, int]
else:
    _CurrencyCode, _Exponent = models.CharField, models.SmallIntegerField

    class ByteExactField(models.CharField):
        """A text column in which `A-1`, `a-1` and `A-1 ` are three values, on every database.

        MariaDB's and MySQL's default collations fold case and ignore trailing blanks, so a reference could
        match another one or be refused as its duplicate. MySQL lacks MariaDB's collation without padding;
        there, trailing blanks are still ignored.
        """

        def db_parameters(self, connection: BaseDatabaseWrapper) -> dict[str, Any]:
            """Add the binary collation where the default one folds case."""
            parameters = super().db_parameters(connection)
            if connection.vendor == "mysql":
                is_mariadb = getattr(connection, "mysql_is_mariadb", False)
                parameters["collation"] = "utf8mb4_nopad_bin" if is_mariadb else "utf8mb4_bin"
            return parameters


class _CurrencyOfRow(DeferredAttribute):
    """Gives the currency of a row with the row's own exponent, which no table has to know."""

    def __get__(self, row: models.Model | None, owner: type[models.Model] | None = None) -> Any:  # noqa: ANN401
        code = super().__get__(row, owner)
        exponent = None if row is None else row.__dict__.get("exponent")
        return stored_currency(code, exponent)

    def __set__(self, row: models.Model, code: object) -> None:
        row.__dict__[self.field.attname] = code


class CurrencyField(_CurrencyCode):
    """The code of a currency; a model that has one has an `ExponentField` named `exponent`, too."""

    descriptor_class = _CurrencyOfRow


class _ExponentOfRow(DeferredAttribute):
    """Gives the stored exponent; that of the currency's table where a row was made without one."""

    def __get__(self, row: models.Model | None, owner: type[models.Model] | None = None) -> Any:  # noqa: ANN401
        exponent = super().__get__(row, owner)
        if exponent is None and row is not None:
            with suppress(UnknownCode):
                return currency_exponent(row.__dict__["currency"])
        return exponent

    def __set__(self, row: models.Model, exponent: object) -> None:
        row.__dict__[self.field.attname] = exponent


class ExponentField(_Exponent):
    """How many decimals the amounts of a row have, as it was when the row was made.

    ISO 4217 withdraws currencies, and a table of them is updated: stored amounts stay readable.
    """

    descriptor_class = _ExponentOfRow

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"null": True, "editable": False, **options})


@ByteExactField.register_lookup
class IndexedStartsWith(models.Lookup):
    """`column__begins=text`: a range of the column's index on every database; `%` and `_` are literal.

    Django's `startswith` is a LIKE. SQLite and MariaDB read the whole table for it, and a prepared statement
    of PostgreSQL may do the same.
    """

    lookup_name = "begins"

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, tuple[Any, ...]]:
        """Compare with the text and with the last text that begins with it, byte by byte."""
        column, of_column = self.process_lhs(compiler, connection)
        value, of_value = self.process_rhs(compiler, connection)
        # An index by `varchar_pattern_ops` is sorted by bytes, whatever the database's language is.
        from_, to = ("~>=~", "~<=~") if connection.vendor == "postgresql" else (">=", "<=")
        last = (f"{text}{_GREATEST}" for text in of_value)
        sql = f"({column} {from_} {value} AND {column} {to} {value})"
        return sql, (*of_column, *of_value, *of_column, *last)


def cut_to(model: type[models.Model], column: str, text: str) -> str:
    """Return as much of a text as its column can store."""
    field = cast("models.CharField[str, str]", model._meta.get_field(column))
    return text[: field.max_length]


def note_of(model: type[models.Model], column: str, text: str) -> str:
    """Return what a person or a gateway wrote freely as its column stores it: cut, without card numbers."""
    return cut_to(model, column, mask_card_numbers(text))


def choices_of(enum: type[StrEnum]) -> list[tuple[str, str | Promise]]:
    """Return Django choices for an enumeration: its values, and their labels in the reader's language."""
    return [(member.value, label_of(member)) for member in enum]
