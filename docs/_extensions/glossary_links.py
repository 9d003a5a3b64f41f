"""Links the words of this project to the glossary, where a page uses one for the first time.

A reader of one page has not read the others. So each term of the glossary that is a word and no name in code
is a link at its first use in the running text of a page; headings, code and links are left as they are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from docutils import nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx

GLOSSARY = "glossary"
WITHOUT = frozenset({GLOSSARY, "gallery", "changelog", "index"})
"""The glossary itself, and pages without running text of their own."""
EVERYBODYS = frozenset(
    {"3-D Secure", "checkout", "claim", "event", "gateway", "metadata", "order", "outcome", "pause", "portal"}
    | {"reference", "resolve", "watch"}
)
"""Words that mean something to every reader, though the glossary says what exactly they mean here."""
_NOT_IN = (nodes.reference, nodes.literal, nodes.title, nodes.Inline, nodes.FixedTextElement)


def anchor_of(term: str) -> str:
    """Return the id of a term's row in the glossary."""
    return "term-" + re.sub(r"[^a-z0-9]+", "-", term.lower()).strip("-")


def words_of(page: nodes.document) -> dict[str, nodes.row]:
    """Return the rows of the glossary whose term is a word and no name in code."""
    rows = {row[0].astext(): row for row in page.findall(nodes.row) if not row[0].next_node(nodes.literal)}
    return {term: row for term, row in rows.items() if term != "term"}


def give_anchors(page: nodes.document) -> list[str]:
    """Give each row of a word its id; return the words."""
    rows = words_of(page)
    for term, row in rows.items():
        row["ids"].append(anchor_of(term))
    return sorted(set(rows) - EVERYBODYS, key=len, reverse=True)


def first_uses(page: nodes.document, terms: list[str]) -> Iterator[tuple[nodes.Text, re.Match[str], str]]:
    """Yield each term's first use in running text: the text, where in it, and the term."""
    texts = [text for text in page.findall(nodes.Text) if _is_running(text)]
    taken: set[int] = set()
    for term in terms:
        wanted = re.compile(rf"\b(?<!database[ \n]){re.escape(term)}(?:s|es)?\b", re.IGNORECASE)
        for text in texts:
            found = wanted.search(text.astext())
            if found and id(text) not in taken:
                # One link in each piece of text: a second one would be looked for in what is no more there.
                taken.add(id(text))
                yield text, found, term
                break


def _is_running(text: nodes.Text) -> bool:
    above, node = [], text.parent
    while node is not None:
        above.append(node)
        node = node.parent
    return any(isinstance(node, nodes.paragraph) for node in above) and not any(
        isinstance(node, _NOT_IN) for node in above
    )


def link(text: nodes.Text, found: re.Match[str], address: str) -> None:
    """Put a link in place of the words that were found."""
    said = text.astext()
    reference = nodes.reference("", found[0], refuri=address, internal=True, classes=["glossary-term"])
    parts = [nodes.Text(said[: found.start()]), reference, nodes.Text(said[found.end() :])]
    text.parent.replace(text, [part for part in parts if part.astext()])


def _on_page_read(app: Sphinx, page: nodes.document) -> None:
    if app.env.docname == GLOSSARY:
        app.env.glossary_terms = give_anchors(page)  # type: ignore[attr-defined]


def _on_page_resolved(app: Sphinx, page: nodes.document, docname: str) -> None:
    if docname in WITHOUT:
        return
    target = app.builder.get_relative_uri(docname, GLOSSARY)
    for text, found, term in list(first_uses(page, getattr(app.env, "glossary_terms", []))):
        link(text, found, f"{target}#{anchor_of(term)}")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what is done to each page."""
    app.connect("doctree-read", _on_page_read)
    app.connect("doctree-resolved", _on_page_resolved)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
