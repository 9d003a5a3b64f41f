"""Gives each row that describes a code an anchor of that name, so that a log line or a hint can lead to it.

`reference/errors.html#nothing_sent` is the row of the code `nothing_sent`. Where a page has two rows of one
name, the first one has the anchor: errors stand before the problems of the JSON interface.

In the Python reference, each code that a function raises is a link to its row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes

from wallet_gateway.domain.error_codes import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Collection

    from sphinx.application import Sphinx

PAGES = frozenset({"reference/checks", "reference/errors"})


def give_anchors(page: nodes.document) -> None:
    """Set the id of each row whose first cell is one code and nothing else."""
    known = set(page.ids)
    for row in page.findall(nodes.row):
        name = _code_of(row)
        if name and name not in known:
            known.add(name)
            row["ids"].append(name)


def link_codes(page: nodes.document, address: str, codes: Collection[str]) -> None:
    """Let each code in the lists of errors lead to its row on the page at an address."""
    for literal in list(page.findall(nodes.literal)):
        code = literal.astext()
        is_linked = isinstance(literal.parent, nodes.reference)
        if code in codes and not is_linked and _is_in_field(literal):
            link = nodes.reference("", "", refuri=f"{address}#{code}", internal=True)
            literal.parent.replace(literal, link)
            link += literal


def _is_in_field(node: nodes.Node) -> bool:
    while node is not None and not isinstance(node, nodes.field_body):
        node = node.parent
    return node is not None


def _code_of(row: nodes.row) -> str:
    first = row[0]
    cell = first[0] if len(first) == 1 else None
    is_code = isinstance(cell, nodes.paragraph) and len(cell) == 1 and isinstance(cell[0], nodes.literal)
    return cell.astext() if cell is not None and is_code else ""


def _on_page_read(app: Sphinx, page: nodes.document) -> None:
    if app.env.docname in PAGES:
        give_anchors(page)


def _on_page_resolved(app: Sphinx, page: nodes.document, docname: str) -> None:
    if docname == "reference/python":
        address = app.builder.get_relative_uri(docname, "reference/errors")
        link_codes(page, address, frozenset(code.value for code in ErrorCode))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what is done to each page."""
    app.connect("doctree-read", _on_page_read)
    app.connect("doctree-resolved", _on_page_resolved)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
