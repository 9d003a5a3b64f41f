"""Which fields of a request the interface does not know; they are ignored, and shown in the console."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

from wallet_gateway.protocol.errors import join_path
from wallet_gateway.protocol.strict_json import fold_name
from wallet_gateway.protocol.text import quote
from wallet_gateway.protocol.wire import WireModel


def unknown_fields(model: type[WireModel], source: dict[str, Any], path: str = "") -> Iterator[str]:
    """Give the path of every field of a wire object that its message does not have."""
    parts = _parts(model)
    for name, value in source.items():
        wire_name = model.spellings.get(fold_name(name))
        if wire_name is None:
            yield join_path(path, quote(name)[1:-1])
        elif wire_name in parts:
            yield from _within(parts[wire_name], value, join_path(path, wire_name))


def _within(model: type[WireModel], value: object, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        yield from unknown_fields(model, value, path)
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _within(model, part, f"{path}[{index}]")


@cache
def _parts(model: type[WireModel]) -> dict[str, type[WireModel]]:
    """Return the message classes of those fields that hold one or a list of them, by wire name."""
    found = {
        model.wire_names[name]: _message_in(field.annotation) for name, field in model.model_fields.items()
    }
    return {wire_name: part for wire_name, part in found.items() if part is not None}


def _message_in(annotation: object) -> type[WireModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, WireModel):
        return annotation
    return next(filter(None, map(_message_in, get_args(annotation))), None)
