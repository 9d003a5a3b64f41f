"""The document's field tables as JSON Schemas, its examples, and a judge of single fields.

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
    "integer": int,
    "number": (int, Decimal),
    "string": str,
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
    return list(_paths(_at(schema(name), under), only_mandatory=True))


def fields(name: str) -> list[str]:
    """Return the paths of all fields of a message, or of each element of an array."""
    return list(_paths(_at(schema(name), "")))


def _paths(part: Schema, path: str = "", *, only_mandatory: bool = False) -> Iterator[str]:
    for name in part.get("required", ()) if only_mandatory else part.get("properties", ()):
        yield f"{path}{name}"
        yield from _paths(part["properties"][name], f"{path}{name}.", only_mandatory=only_mandatory)


def _at(part: Schema, path: str) -> Schema:
    for name in filter(None, path.split(".")):
        part = _element(part)["properties"][name]
    return _element(part)


def _element(part: Schema) -> Schema:
    found: Schema = part["items"] if part.get("type") == "array" else part
    return found


def wrong_at(name: str, path: str, value: object) -> str:
    """Say what is wrong with one field of a message or record; empty if nothing is.

    Fields below it are not looked at, as each is judged by itself.
    """
    above, _, last = path.rpartition(".")
    parent, found = _at(schema(name), above), member(value, path)
    if found is MISSING:
        return "it is left out" if last in parent.get("required", ()) else ""
    part = parent["properties"][last]
    kinds = [part["type"]] if isinstance(part.get("type"), str) else part.get("type", [])
    if kinds and not any(_is_of(found, kind) for kind in kinds):
        kind = next((kind for kind in _TYPES if _is_of(found, kind)), "boolean")
        return f"it is {kind}, not {' or '.join(kinds)}"
    if "enum" in part and found not in part["enum"]:
        return f"it is none of {', '.join(part['enum'])}"
    if isinstance(found, str) and not re.search(part.get("pattern", ""), found):
        return f"it does not match {part['pattern']}"
    if isinstance(found, int | Decimal) and found < part.get("minimum", found):
        return f"it is below {part['minimum']}"
    return ""


def _is_of(value: object, kind: str) -> bool:
    return isinstance(value, _TYPES[kind]) and not isinstance(value, bool)
