"""Where the documentation describes a check or an error code.

The owner of the published documentation replaces `ADDRESS`; until then it names files of the repository.
"""

from __future__ import annotations

from typing import Final

ADDRESS: Final = "docs/{page}.md#{anchor}"
"""For pages on the web, for example `https://shop.example/docs/{page}.html#{anchor}`."""


def address_of(page: str, anchor: str) -> str:
    """Return the address of a code on a page: `reference/errors` and `nothing_sent`."""
    return ADDRESS.format(page=page, anchor=anchor)
