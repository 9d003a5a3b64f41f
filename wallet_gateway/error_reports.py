"""Django's decorator that keeps local variables out of error reports, without losing a function's type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.views.decorators import debug

F = TypeVar("F", bound=Callable[..., Any])


def sensitive_variables() -> Callable[[F], F]:
    """Hide all variables of a function, and of the functions that it calls, in Django's error reports.

    This is Django's own decorator. Without django-stubs a type checker does not know its type, and takes
    every function that it decorates for `Any`.
    """
    return debug.sensitive_variables()
