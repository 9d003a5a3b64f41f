"""The codes of problem details and their HTTP status, as the reference tells shops."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "errors.md"
_CHAPTER = _PAGE.read_text(encoding="utf-8").partition("\n## In JSON\n")[2]
CONTENT_TYPE: Final = "application/problem+json"
PROBLEMS: Final = {
    code: int(status) for code, status in re.findall(r"^\| `(\w+)` \| (\d{3}) \|", _CHAPTER, re.MULTILINE)
}
