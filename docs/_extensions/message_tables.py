"""Draws the table of a wire message from its class, so that the reference cannot differ from the code.

In a page it is a fence with the directive ``message`` and the class name; parts of a message get their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive
from message_rows import Row, parts_of, rows_of

from wallet_gateway.protocol.endpoints import MESSAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sphinx.application import Sphinx

_HEAD: Row = ("field", "required", "value")


class Message(Directive):
    """The directive ``message``."""

    required_arguments = 1
    has_content = False
    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {}

    def run(self) -> list[nodes.Node]:
        """Give the message's first sentence, its table, and the tables of its parts."""
        found: list[nodes.Node] = []
        for part in parts_of(MESSAGES[self.arguments[0]]):
            sentence = (part.model.__doc__ or "").strip().splitlines()[0]
            where = [nodes.literal(text=part.path), nodes.Text(": ")] if part.path else []
            found += [nodes.paragraph("", "", *where, *_written(sentence)), _table(rows_of(part.model))]
        return found


def _written(sentence: str) -> Iterator[nodes.Node]:
    """Yield a sentence with what stands between double backticks as code."""
    for index, part in enumerate(sentence.split("``")):
        if part:
            yield nodes.literal(text=part) if index % 2 else nodes.Text(part)


def _table(rows: Iterator[Row]) -> nodes.table:
    group = nodes.tgroup(cols=3)
    group += [nodes.colspec(colwidth=width) for width in (30, 20, 50)]
    group += nodes.thead("", _row(*map(nodes.Text, _HEAD)))
    body = (_row(nodes.literal(text=name), nodes.Text(when), nodes.Text(value)) for name, when, value in rows)
    group += nodes.tbody("", *body)
    return nodes.table("", group)


def _row(*cells: nodes.Node) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in cells))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("message", Message)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
