"""Where the documentation describes a check, an error code or a finding, for those who installed the package.

`scripts/prepare-release` writes the published address of a release's pages into this module. Without one,
messages name the pages' files: in a wheel they lie in this package, in a checkout beside it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

ADDRESS: str = ""
"""Of published pages, such as `https://forge.example/owner/name/blob/v1.2.3/docs/{page}.md#{anchor}`."""

_PACKAGE: Final = Path(__file__).resolve().parent
FOLDER: Final = next(filter(Path.is_dir, (_PACKAGE / "docs", _PACKAGE.parent / "docs")), _PACKAGE / "docs")
"""The pages that came with this installation."""


def address_of(page: str, anchor: str) -> str:
    """Return the address of a code on a page: `reference/errors` and `nothing_sent`."""
    if ADDRESS:
        return ADDRESS.format(page=page, anchor=anchor)
    return f"{(FOLDER / page).as_uri()}.md#{anchor}"
