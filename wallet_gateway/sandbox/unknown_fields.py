"""Which fields of a request the interface does not know; they are ignored, and shown in the console."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wallet_gateway.protocol.errors import excerpt, join_path
from wallet_gateway.protocol.fields import WireModel
from wallet_gateway.protocol.plans import plan_of
from wallet_gateway.protocol.strict_json import fold_name


def unknown_fields(model: type[WireModel], source: dict[str, Any], path: str = "") -> Iterator[str]:
    """Give the path of every field of a wire object that its message does not have."""
    by_name = plan_of(model).by_name
    for name, value in source.items():
        slot = by_name.get(fold_name(name))
        if slot is None:
            yield join_path(path, excerpt(name)[1:-1])
        elif slot.part is not None:
            yield from _within(slot.part, value, join_path(path, slot.wire_name))


def _within(model: type[WireModel], value: object, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        yield from unknown_fields(model, value, path)
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _within(model, part, f"{path}[{index}]")
