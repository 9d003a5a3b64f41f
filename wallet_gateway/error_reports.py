"""Keep variables out of error reports, Django's and every collector's, and rows out of database errors.

A collector such as Sentry records the variables of every frame of a traceback, those of Django and of the
database driver included: the parameters of an INSERT are a customer's e-mail and address. And the text of a
database error may quote the row that the database has refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

from django.apps import apps
from django.db import Error as DatabaseFault
from django.db import OperationalError

from wallet_gateway.client.redaction import REMOVED, redact_message
from wallet_gateway.tracebacks import forget_locals, without_locals

F = TypeVar("F", bound=Callable[..., Any])

_LONGEST_TEXT = 500
_QUOTED = re.compile(r"""(["'`])([\w.$]{1,130})\1""")
_QUOTES = re.compile(r"[\"'`]")


def sensitive_variables() -> Callable[[F], F]:
    """Hide all variables of a function, and of the functions that it calls, in every error report.

    The traceback keeps its files, lines and functions. Django's decorator of this name marks frames for
    Django's own reports only, and adds a frame with the arguments, which other collectors record.
    """
    return without_locals(clean=remove_row_values)


def hide_variables(error: BaseException) -> None:
    """Do for an exception that was caught what `sensitive_variables` does for one that passes."""
    forget_locals(error, clean=remove_row_values)


def remove_row_values(error: BaseException) -> None:
    """Take what a row holds out of a database error's text, and the driver's; others stay as they are.

    The names of tables, columns and constraints stay, and what is said of the connection.
    """
    if isinstance(error, DatabaseFault):
        rule = redact_message if _is_about_connection(error) else _without_values
        for link in (error, error.__cause__):
            if link is not None:
                link.args = tuple(_shortened(part, rule) for part in link.args)


_CONNECTION_STATES = ("08", "28", "3D", "53", "57")
"""Classes of SQLSTATE: connection, log-in, unknown database, no resources, shut down by a person."""
_LOG_IN_CODES = frozenset({1040, 1044, 1045, 1049})
_FIRST_CLIENT_CODE = 2000


def _is_about_connection(error: DatabaseFault) -> bool:
    """Return whether the connection has failed and not a statement: the text names hosts, users and files."""
    if not isinstance(error, OperationalError):
        return False
    code = error.args[0] if error.args else None
    if isinstance(code, int):
        # MySQL and MariaDB say of many a refused value that it is an operational error.
        return code >= _FIRST_CLIENT_CODE or code in _LOG_IN_CODES
    state: str | None = getattr(error.__cause__, "sqlstate", "")
    # A driver that has lost its server has no state of its own to tell.
    return state is None or state.startswith(_CONNECTION_STATES)


def _shortened(part: object, rule: Callable[[str], str]) -> object:
    return rule(part)[:_LONGEST_TEXT] if isinstance(part, str) else part


def _without_values(text: str) -> str:
    """Return the first line up to the first value in it, and the last of our own names behind that.

    PostgreSQL tells the row in the lines that follow. What a quoted value ends with is not looked for,
    because it may have quotes in it.
    """
    line = redact_message(text.partition("\n")[0])
    names = [name for name in _QUOTED.finditer(line) if _is_of_ours(name[2])]
    masked = line
    for name in names:
        masked = masked[: name.start()] + "_" * len(name[0]) + masked[name.end() :]
    value = _QUOTES.search(masked)
    if value is None:
        return line
    behind = [name[0] for name in names if name.start() > value.start()]
    return " ".join([line[: value.start()] + REMOVED, *behind[-1:]])


def _is_of_ours(name: str) -> bool:
    """Return whether each part of a name, such as `table.column`, belongs to an installed model."""
    names, tables = _names_in_database()
    # Django and the databases begin the names that they choose themselves with the table's.
    return all(part in names or part.startswith(tables) for part in name.split("."))


@lru_cache(maxsize=1)
def _names_in_database() -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the names of tables, columns, constraints and indexes, and how derived names begin."""
    names: set[str] = set()
    all_options = [model._meta for model in apps.get_models(include_auto_created=True)]
    for options in all_options:
        names |= {options.db_table, *(field.column for field in options.concrete_fields if field.column)}
        names |= {rule.name for rule in (*options.constraints, *options.indexes)}
    return frozenset(names), tuple(f"{options.db_table}_" for options in all_options)
