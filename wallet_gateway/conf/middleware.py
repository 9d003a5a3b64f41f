"""Which middleware opens a database transaction around every view. What is not there is not imported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from django.db import DEFAULT_DB_ALIAS
from django.utils.module_loading import import_string

_PACKAGE, _MODULE = "reversion", "reversion.middleware"


def opening_transactions(names: Iterable[str]) -> Iterator[str]:
    """Yield those names that lead to a `RevisionMiddleware` of django-reversion that opens a transaction."""
    base = _revision_middleware()
    if base is None:
        return
    for name in names:
        if _opens_transaction(_imported(name), base):
            yield name


def _revision_middleware() -> type[Any] | None:
    # Without the package, no middleware can be derived from its class.
    try:
        module = import_module(_MODULE) if find_spec(_PACKAGE) else None
    except (ImportError, RuntimeError, ValueError):
        # It is there and not in use: its models cannot be imported without its app.
        return None
    return getattr(module, "RevisionMiddleware", None)


def _imported(name: str) -> object:
    """Return what a name of `MIDDLEWARE` leads to; None if it cannot be imported, as Django itself says."""
    try:
        return import_string(name)
    except ImportError:
        return None


def _opens_transaction(middleware: object, base: type[Any]) -> bool:
    if not isinstance(middleware, type) or not issubclass(middleware, base):
        return False
    given: Any = middleware
    # A shop that says which requests create a revision may have left the plugin's out.
    says_which = given.request_creates_revision is not base.request_creates_revision
    return given.atomic and given.using in {None, DEFAULT_DB_ALIAS} and not says_which
