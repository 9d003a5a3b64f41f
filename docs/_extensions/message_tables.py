"""Draws the table of a wire message from its class, so that the reference cannot differ from the code.

In a page it is a fence with the directive ``message`` and the class name; parts of a message get their own.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args, get_origin

from docutils import nodes
from docutils.parsers.rst import Directive

from wallet_gateway.protocol.endpoints import MESSAGES
from wallet_gateway.protocol.wire import WireModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pydantic.fields import FieldInfo
    from sphinx.application import Sphinx


class Message(Directive):
    """The directive ``message``."""

    required_arguments = 1
    has_content = False
    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {}

    def run(self) -> list[nodes.Node]:
        """Give the message's first sentence, its table, and the tables of its parts."""
        message = MESSAGES[self.arguments[0]]
        found: list[nodes.Node] = []
        for path, part in _parts(message, ""):
            sentence = (part.__doc__ or "").strip().splitlines()[0]
            where = [nodes.literal(text=path), nodes.Text(": ")] if path else []
            found += [nodes.paragraph("", "", *where, nodes.Text(sentence)), _table(part)]
        return found


def _parts(model: type[WireModel], path: str) -> Iterator[tuple[str, type[WireModel]]]:
    yield path, model
    for name, field in model.model_fields.items():
        part, is_list = _part_of(field.annotation)
        if part:
            wire = field.alias or name
            yield from _parts(part, f"{path}.{wire}".lstrip(".") + ("[]" if is_list else ""))


def _part_of(annotation: object) -> tuple[type[WireModel] | None, bool]:
    for candidate in (annotation, *get_args(annotation)):
        if isinstance(candidate, type) and issubclass(candidate, WireModel):
            return candidate, get_origin(annotation) is tuple
        if get_origin(candidate) is tuple:
            return _part_of(get_args(candidate)[0])[0], True
    return None, False


def _table(model: type[WireModel]) -> nodes.table:
    group = nodes.tgroup(cols=3)
    group += [nodes.colspec(colwidth=width) for width in (30, 14, 56)]
    group += nodes.thead("", _row("field", "required", "value"))
    group += nodes.tbody(
        "", *(_row(f.alias or n, _required(f), _value(f)) for n, f in model.model_fields.items())
    )
    return nodes.table("", group)


def _row(name: str, required: str, value: str) -> nodes.row:
    cells = (
        nodes.literal(text=name) if name != "field" else nodes.Text(name),
        nodes.Text(required),
        nodes.Text(value),
    )
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in cells))


def _required(field: FieldInfo) -> str:
    return "yes" if field.is_required() else ""


def _value(field: FieldInfo) -> str:
    part, is_list = _part_of(field.annotation)
    if part:
        return "list of objects, below" if is_list else "object, below"
    for candidate in (field.annotation, *get_args(field.annotation)):
        if get_origin(candidate) is Literal:
            return "one of " + ", ".join(str(value) for value in get_args(candidate))
        if isinstance(candidate, type) and issubclass(candidate, enum.Enum):
            return "one of " + ", ".join(str(member.value) for member in candidate)
    whole_number = int in (field.annotation, *get_args(field.annotation))
    return "whole number" if whole_number or "int" in str(field.annotation) else "text"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("message", Message)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
