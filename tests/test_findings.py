"""Findings, and the address that they print: it leads to a page, published or installed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from django.utils import translation

from wallet_gateway import findings
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.findings import Code, Level
from wallet_gateway.payments.errors import InvalidState

ANY = dict.fromkeys(re.findall(r"%\((\w+)\)", Path(findings.__file__).read_text(encoding="utf-8")), 1)
"""Each parameter, as a number, which fits every template."""


def page_at(address: str) -> str:
    """Return the text of the page at a file's address."""
    parts = urlsplit(address)
    assert parts.scheme == "file"
    return Path(unquote(parts.path)).read_text(encoding="utf-8")


def test_every_finding_has_its_message_and_every_page_that_one_names_is_there() -> None:
    """Without a published address the pages are files."""
    named = 0
    for code in set(Code) - {Code.IN_ORDER}:
        found = findings.Finding(level=Level.ERROR, code=code, subject="sweep", params=ANY)
        assert found.text, code
        for address in re.findall(r"file:\S+", f"{found.advice} {found.docs}"):
            page, anchor = page_at(address), urlsplit(address).fragment
            known = (f'id="{anchor}"', f"`{anchor}`", "## Collectors of errors")
            assert any(mark in page for mark in known), code
            named += 1
    assert named > 35
    for error_code in ErrorCode:
        assert f"`{error_code}`" in page_at(InvalidState("No.", error_code).docs), error_code


def test_a_finding_says_the_same_to_programs_in_every_language() -> None:
    assert findings.ok("sweep", "within %(minutes)d minutes", minutes=5).text == "within 5 minutes"
    for language in ("en", "de", "fr", "es", "ar"):
        with translation.override(language):
            found = json.loads(
                json.dumps(findings.error(Code.NEVER_SWEPT, "sweep", gateway="shop-a").as_dict())
            )
        assert (found["level"], found["code"]) == (Level.ERROR, "never_swept")
        assert found["params"] == {"gateway": "shop-a"}
        assert "shop-a" in found["text"]
        assert (found["text"] == "shop-a was never swept") is (language == "en")


def test_a_parameter_stands_in_the_advice_too_and_is_not_taken_for_a_template() -> None:
    found = findings.warning(Code.MODULES_DELETED, "settings", storage="Storage")
    assert found.level is Level.WARNING
    assert "Derive from Storage and set" in found.advice
    assert findings.error(Code.WRONG_SETTING, "x", setting="100 %", expected="%(x)s").text == "100 %: %(x)s"
