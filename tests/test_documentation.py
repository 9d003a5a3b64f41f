"""The address of the documentation that messages print: it leads to a page, published or installed."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from wallet_gateway import documentation, findings
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.payments.errors import InvalidState


def page_at(address: str) -> str:
    """The text of the page at a file's address."""
    parts = urlsplit(address)
    assert parts.scheme == "file"
    return Path(unquote(parts.path)).read_text(encoding="utf-8")


def test_without_a_published_address_every_error_names_a_file_that_is_there() -> None:
    for code in ErrorCode:
        assert f"`{code}`" in page_at(documentation.address_of("reference/errors", code)), code


def test_so_does_every_check_and_every_finding_that_wants_a_person() -> None:
    named = 0
    for code in findings.Code:
        finding = findings.error(code, "settings", **dict.fromkeys(_NAMES, 1))
        for address in re.findall(r"file:\S+", f"{finding.advice} {finding.docs}"):
            page, anchor = page_at(address), urlsplit(address).fragment
            known = (f'id="{anchor}"', f"`{anchor}`", "## Collectors of errors")
            assert any(mark in page for mark in known), code
            named += 1
    assert named > 35


_NAMES = re.findall(r"%\((\w+)\)", Path(findings.__file__).read_text(encoding="utf-8"))


def test_a_release_names_the_published_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documentation, "ADDRESS", "https://docs.example/{page}.html#{anchor}")
    error = InvalidState("Nothing is captured.", ErrorCode.NOTHING_LEFT)
    assert error.docs == "https://docs.example/reference/errors.html#nothing_left"
    advice = findings.error(findings.Code.CONTRADICTIONS, "work").advice
    assert advice == "See https://docs.example/runbook.html#contradictions"
