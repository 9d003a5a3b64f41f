"""Name the arguments of `create_order` in which two orders of one reference differ, never the values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from wallet_gateway.models.orders import ERASED
from wallet_gateway.operations.field_names import in_python_names
from wallet_gateway.protocol.errors import FieldError, join_path


def different_arguments(stored: Mapping[str, Any], given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the arguments by which two orders' content differs, each once, in the order of the content.

    Of an order whose customer was erased, what is left is compared first; if it is equal, the rest differs.
    """
    kept = {name: stored[name] for name in stored if name != ERASED}
    names = kept if ERASED in stored else {**given, **kept}
    return _arguments(names, kept, given) or _arguments({**given, **kept}, kept, given)


def _arguments(names: Iterable[str], stored: Mapping[str, Any], given: Mapping[str, Any]) -> tuple[str, ...]:
    paths = chain.from_iterable(_paths(name, stored.get(name), given.get(name)) for name in names)
    renamed = in_python_names(FieldError(path=path, message="") for path in paths)
    return tuple(dict.fromkeys(fault.path for fault in renamed))


def _paths(name: str, stored: Any, given: Any) -> Iterator[str]:  # noqa: ANN401 - members of JSON
    """Give the path of a member that differs; an object of arguments gives those of its own members."""
    if stored == given:
        return
    if not name.lower().endswith("details"):
        yield name
        return
    old, new = stored or {}, given or {}
    yield from (join_path(name, field) for field in {**new, **old} if old.get(field) != new.get(field))
