"""Keep secrets and rows out of error reports, Django's and every collector's.

A collector such as Sentry records the variables of every frame of a traceback, those of Django, of the HTTP
library and of the database driver included: the parameters of an INSERT are a customer's e-mail and address.
And the text of a database error may quote the row that was refused. So the public functions are decorated
here: what is raised through them keeps its files, lines and functions, and has neither variables nor a
database's text. One decorator at the outermost function is enough; the frames beneath it are emptied, too.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
import sys
import traceback
from collections.abc import Callable, Generator
from typing import Any, TypeVar, cast

from django.apps import apps
from django.db import Error as DatabaseFault

F = TypeVar("F", bound=Callable[..., Any])

_ASYNCHRONOUS = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE


def sensitive_variables() -> Callable[[F], F]:
    """Hide all variables of a function, and of the functions that it calls, in every error report.

    What the caller was handling before keeps its variables. Django's decorator of this name marks frames for
    Django's own reports only, and adds a frame with the arguments, which other collectors record.
    """

    def decorate(function: F) -> F:
        wrapper = _hidden_generator if inspect.isgeneratorfunction(function) else _hidden
        return cast(F, functools.wraps(function)(wrapper(function)))

    return decorate


def _hidden(function: Callable[..., Any]) -> Callable[..., Any]:
    def hidden(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the function
        outside = sys.exception()
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            hide_variables(error, outside=outside)
            # This frame is part of the traceback, and it still runs.
            del args, kwargs, outside
            raise

    return hidden


def _hidden_generator(function: Callable[..., Any]) -> Callable[..., Any]:
    def hidden(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        outside = sys.exception()
        try:
            return (yield from function(*args, **kwargs))
        except BaseException as error:
            hide_variables(error, outside=outside)
            del args, kwargs, outside
            raise

    return hidden


def hide_variables(error: BaseException, *, outside: BaseException | None = None) -> None:
    """Empty the frames of an exception and of its chain, up to `outside`, except those that still run."""
    waiting, seen = [error], {id(outside)}
    while waiting:
        link = waiting.pop()
        if id(link) in seen:
            continue
        seen.add(id(link))
        waiting += [other for other in (link.__cause__, link.__context__) if other is not None]
        if isinstance(link, BaseExceptionGroup):
            waiting += link.exceptions
        for frame, _ in traceback.walk_tb(link.__traceback__):
            # A coroutine may only be suspended, and clearing it would end it. The plugin has no coroutines.
            if not frame.f_code.co_flags & _ASYNCHRONOUS:
                # A frame that still runs cannot be cleared.
                with contextlib.suppress(RuntimeError):
                    frame.clear()
        if isinstance(link, DatabaseFault):
            _drop_text(link)


def _drop_text(error: DatabaseFault) -> None:
    """Replace the text of a database error, and of the driver's beneath it, by its code and constraint."""
    driver = error.__cause__ or error
    number = next((part for part in error.args if isinstance(part, int)), None)
    state = getattr(driver, "sqlstate", None) or getattr(driver, "sqlite_errorname", None) or number
    named = getattr(getattr(driver, "diag", None), "constraint_name", None)
    names = [str(named)]
    if not named:
        # The constraints, indexes and columns, as SQLite writes these, that the text names.
        all_options = [model._meta for model in apps.get_models(include_auto_created=True)]
        known = {rule.name for options in all_options for rule in (*options.constraints, *options.indexes)}
        known |= {f"{o.db_table}.{field.column}" for o in all_options for field in o.concrete_fields}
        words = re.findall(r"[\w.]+", " ".join(map(str, error.args)))
        names = [word for word in dict.fromkeys(words) if word in known]
    text = f"{', '.join([str(state or 'no code'), *names])} (the rest may quote a row and is left out)"
    for link in {error, driver}:
        link.args = (text,) if number is None else (number, text)
