"""The reference page lists every operation of both documents, those of a shop with what they can answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tests.openapi.documents import API, SANDBOX, operations, read

PAGE = ROOT / "docs" / "reference" / "openapi.md"


def rows(path: Path) -> list[str]:
    """The table of a document's operations, in its order; the answers of the sandbox are in its document."""
    return [
        f"| `{method.upper()} {address}` | {operation['summary']} |"
        + (f" {' '.join(operation['responses'])} |" if path == API else "")
        for address, method, operation in operations(read(path))
    ]


@pytest.mark.parametrize("path", [API, SANDBOX], ids=["api", "sandbox"])
def test_the_page_has_the_operations_of_a_document(path: Path) -> None:
    assert "\n".join(rows(path)) in PAGE.read_text(encoding="utf-8")
