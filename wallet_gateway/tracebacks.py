"""Empty the local variables out of tracebacks, so that no collector of errors can read them.

Error collectors record the variables of every frame of a traceback: ours, Django's, those of the database
driver and of the HTTP library. A traceback that leaves a function decorated here keeps its files, lines and
functions, and has no variables.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import traceback
from collections.abc import Callable, Generator, Iterator
from pathlib import PurePath
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

_ASYNCHRONOUS = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE

Clean = Callable[[BaseException], None]
"""Changes the text of an exception that is about to leave, where it holds values."""


def keep_text(_error: BaseException) -> None:
    """Change nothing of an exception's text."""


def without_locals(clean: Clean = keep_text) -> Callable[[F], F]:
    """Empty the variables of a function, and of all that it calls, when an exception leaves it.

    `clean` is called with every exception of the chain. What the caller was handling before is not touched.
    """

    def decorate(function: F) -> F:
        wrapper = _emptied_generator if inspect.isgeneratorfunction(function) else _emptied
        return cast(F, functools.wraps(function)(wrapper(function, clean)))

    return decorate


def _emptied(function: Callable[..., Any], clean: Clean) -> Callable[..., Any]:
    def emptied(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the function
        outside = sys.exception()
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            forget_locals(error, outside=outside, clean=clean)
            # This frame is part of the traceback, and it still runs.
            del args, kwargs, outside
            raise

    return emptied


def _emptied_generator(function: Callable[..., Any], clean: Clean) -> Callable[..., Any]:
    def emptied(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        outside = sys.exception()
        try:
            return (yield from function(*args, **kwargs))
        except BaseException as error:
            forget_locals(error, outside=outside, clean=clean)
            del args, kwargs, outside
            raise

    return emptied


def forget_locals(
    error: BaseException, *, outside: BaseException | None = None, clean: Clean = keep_text
) -> None:
    """Empty the frames of an exception and of its chain, up to `outside`, except those that still run."""
    for link in _chain(error, outside):
        _clear_frames(link)
        clean(link)


def _clear_frames(error: BaseException) -> None:
    for frame, _ in traceback.walk_tb(error.__traceback__):
        # A coroutine may only be suspended, and clearing it would end it. The plugin has no coroutines.
        if not frame.f_code.co_flags & _ASYNCHRONOUS:
            # A frame that still runs cannot be cleared.
            with contextlib.suppress(RuntimeError):
                frame.clear()


def _chain(error: BaseException, outside: BaseException | None) -> Iterator[BaseException]:
    waiting, seen = [error], {id(outside)}
    while waiting:
        link = waiting.pop()
        if id(link) in seen:
            continue
        seen.add(id(link))
        yield link
        waiting += [other for other in (link.__cause__, link.__context__) if other is not None]
        if isinstance(link, BaseExceptionGroup):
            waiting += link.exceptions


def places(error: BaseException, *, most: int = 8) -> str:
    """Return the last places of a traceback as text, outermost first; empty without a traceback."""
    lines = [
        f"{PurePath(frame.f_code.co_filename).name}:{line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    return " > ".join(lines[-most:])
