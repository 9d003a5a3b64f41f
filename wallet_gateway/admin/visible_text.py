"""Text of others as a person may safely read it: cut, and without characters that hide or turn around text.

HTML is escaped by the templates; here a right-to-left override and its like become visible, so that neither a
gateway nor a customer can make a page of the admin read otherwise than it is.
"""

from __future__ import annotations

import re
import unicodedata

LONGEST = 500
"""Characters shown of one text."""
LONGEST_BODY = 20_000
"""Characters shown of one body of a message."""

# Controls, formatting (bidi overrides, joiners, the byte order mark), private and unassigned, separators.
_HIDING = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
_JSON_PART = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\],:]|[^\s"{}\[\],:]++')
_INDENT = "  "


def visible(text: object, *, longest: int = LONGEST) -> str:
    """Return a text on one line, at most `longest` of its characters, all of them to be seen."""
    return _escaped(str(text), longest)


def visible_body(text: str) -> str:
    """Return the body of a message laid out in lines, all its characters to be seen."""
    shown = _escaped(text, LONGEST_BODY)
    return _laid_out(shown) if shown[:1] in {"{", "["} else shown


def _escaped(text: str, longest: int) -> str:
    shown = "".join(_escape(c) if _hides(c) else c for c in text[:longest])
    return shown + "…" if len(text) > longest else shown


def _hides(character: str) -> bool:
    if character.isascii():
        return not character.isprintable()
    return unicodedata.category(character) in _HIDING


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _laid_out(text: str) -> str:
    """Break JSON into lines without reading it: what is shown is what was sent, blanks aside."""
    written: list[str] = []
    depth = 0
    for part in _JSON_PART.findall(text):
        if part in "}]":
            depth = max(depth - 1, 0)
            written.append("\n" + _INDENT * depth)
        written.append(part)
        if part in "{[":
            depth += 1
        if part in "{[,":
            written.append("\n" + _INDENT * depth)
        elif part == ":":
            written.append(" ")
    return "".join(written)
