"""The document's field tables as JSON Schemas, its examples, and a validator of what the schemas use.

Names match in any letter case, as everywhere in the kit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from decimal import Decimal
from functools import cache
from importlib import resources
from typing import Any, Final

from wallet_gateway.conformance.answers import MISSING, member

Schema = Mapping[str, Any]

_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "string": str,
    "number": (int, float, Decimal),
    "integer": int,
    "object": dict,
    "array": list,
    "null": type(None),
}


def schema(name: str) -> Schema:
    """Return the schema of a message, such as ``checkout_request``."""
    found: Schema = _read("schemas", name)
    return found


def example(name: str) -> Any:  # noqa: ANN401  (a JSON value)
    """Return a copy of an example of the document."""
    return deepcopy(_read("examples", name))


@cache
def _read(folder: str, name: str) -> Any:  # noqa: ANN401  (a JSON value)
    file = resources.files("wallet_gateway.conformance") / folder / f"{name}.json"
    return json.loads(file.read_text(encoding="utf-8"))


def mandatory(name: str, under: str = "") -> list[str]:
    """Return the paths of the mandatory fields of a message, or of an optional object within it.

    Fields of mandatory objects are among them; ``under`` names the object, an array by its elements.
    """
    return list(_mandatory(_at(schema(name), under)))


def _mandatory(part: Schema, path: str = "") -> Iterator[str]:
    for name in part.get("required", ()):
        yield f"{path}{name}"
        yield from _mandatory(part["properties"][name], f"{path}{name}.")


def fields(name: str) -> list[str]:
    """Return the paths of all fields of a message, or of each element of an array."""
    return list(_fields(_element(schema(name))))


def _fields(part: Schema, path: str = "") -> Iterator[str]:
    for name, field in part.get("properties", {}).items():
        yield f"{path}{name}"
        yield from _fields(field, f"{path}{name}.")


def _at(part: Schema, path: str) -> Schema:
    for name in filter(None, path.split(".")):
        part = _element(_element(part)["properties"][name])
    return _element(part)


def _element(part: Schema) -> Schema:
    found: Schema = part["items"] if part.get("type") == "array" else part
    return found


def wrong_at(name: str, path: str, value: object) -> str:
    """Say what is wrong with one field of a message or record; empty if nothing is.

    Fields below it are not looked at, as each is judged by itself.
    """
    *parents, last = path.split(".")
    parent = _at(schema(name), ".".join(parents))
    found = member(value, path)
    if found is MISSING:
        return "it is left out" if last in parent.get("required", ()) else ""
    return next(_wrong_value(parent["properties"][last], found), "")


def violations(name: str, value: object) -> list[str]:
    """Return everything in a value that its schema does not allow, each with its path."""
    return list(_violations(schema(name), value, ""))


def _violations(part: Schema, value: object, path: str) -> Iterator[str]:
    yield from (f"{path or 'the body'}: {wrong}" for wrong in _wrong_value(part, value))
    if isinstance(value, list):
        for index, element in enumerate(value):
            yield from _violations(part.get("items", {}), element, f"{path}[{index}]")
    if not isinstance(value, dict):
        return
    for name in _required(part, value):
        if member(value, name) is MISSING:
            yield f"{path}.{name}: it is left out".lstrip(".")
    for name, field in part.get("properties", {}).items():
        if (found := member(value, name)) is not MISSING:
            yield from _violations(field, found, f"{path}.{name}".lstrip("."))


def _required(part: Schema, value: object) -> list[str]:
    """Return the required names; of alternatives the one that is there, or the first."""
    alternatives = [list(one["required"]) for one in part.get("anyOf", ())]
    given = (names for names in alternatives if all(member(value, name) is not MISSING for name in names))
    return [*part.get("required", ()), *next(given, alternatives[0] if alternatives else [])]


def _wrong_value(part: Schema, value: object) -> Iterator[str]:
    kinds = part.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_has_type(value, kind) for kind in kinds):
        yield f"it is {_kind(value)}, not {' or '.join(kinds)}"
    elif "enum" in part and value not in part["enum"]:
        yield f"it is none of {', '.join(part['enum'])}"
    elif isinstance(value, str) and not _matches(part.get("pattern", ""), value):
        yield f"it does not match {part['pattern']}"
    elif _is_outside(part, value):
        yield f"it is not between {part.get('minimum')} and {part.get('maximum')}"


def _matches(pattern: str, text: str) -> bool:
    return _compiled(pattern).search(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _is_outside(part: Schema, value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    return bool(value < part.get("minimum", value) or value > part.get("maximum", value))


def _has_type(value: object, kind: str) -> bool:
    return isinstance(value, _TYPES[kind]) and not isinstance(value, bool)


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    order = ("integer", "number", "string", "object", "array", "null")
    return next(kind for kind in order if isinstance(value, _TYPES[kind]))
