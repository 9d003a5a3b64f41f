"""Bodies of messages as a person may safely read them in the admin: laid out, and nothing in them hidden."""

from __future__ import annotations

import re

from wallet_gateway.protocol.text import visible

MAX_BODY_LENGTH = 20_000
"""Characters shown of one body of a message."""

_JSON_PART = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\],:]|[^\s"{}\[\],:]++')
_INDENT = "  "


def visible_body(text: str) -> str:
    """Return the body of a message laid out in lines, with invisible characters escaped."""
    shown = visible(text, max_length=MAX_BODY_LENGTH)
    return _laid_out(shown) if shown[:1] in {"{", "["} else shown


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
