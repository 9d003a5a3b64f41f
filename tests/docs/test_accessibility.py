"""The statement on accessibility: every test that it calls evidence is there, and so is every criterion."""

from __future__ import annotations

import re
from datetime import timedelta

from tests.docs.pages import ROOT
from wallet_gateway import return_tokens
from wallet_gateway.conf.gateway_rules import OPTIONAL
from wallet_gateway.sandbox.wallet import three_d_secure

TEXT = (ROOT / "docs" / "accessibility.md").read_text(encoding="utf-8")
EVIDENCE = re.compile(r"`([\w/]+\.(?:py|test\.js))(?:::(\w+))?`")
CRITERION = re.compile(r"\b[1-4]\.[1-5]\.\d{1,2}\b")
# Levels A and AA of WCAG 2.2 that say nothing about a page without sound, video, gestures, captchas or help.
WITHOUT_SUBJECT = {
    *(f"1.2.{number}" for number in (1, 2, 3, 4, 5)),
    *("1.4.2", "2.1.4", "2.5.1", "2.5.4", "2.5.7", "3.2.6"),
}
LEVEL_AA = {
    *(f"1.{number}" for number in ("1.1", "3.1", "3.2", "3.3", "3.4", "3.5", "4.1", "4.3", "4.4", "4.5")),
    *(f"1.4.{number}" for number in (10, 11, 12, 13)),
    *(f"2.{number}" for number in ("1.1", "1.2", "2.1", "2.2", "3.1", "4.1", "4.2", "4.3", "4.4", "4.5")),
    *(f"2.{number}" for number in ("4.6", "4.7", "4.11", "5.2", "5.3", "5.8")),
    *(f"3.{number}" for number in ("1.1", "1.2", "2.1", "2.2", "2.3", "2.4", "3.1", "3.2", "3.3", "3.4")),
    *("3.3.7", "3.3.8", "4.1.2", "4.1.3"),
}


def test_every_test_that_is_named_is_there() -> None:
    named = [(file, name) for file, name in EVIDENCE.findall(TEXT) if file != "tests/axe.py"]
    gone = [f"{file}::{name}" if name else file for file, name in named if not _is_there(file, name)]
    assert len(named) > 40
    assert not gone, "a test was renamed or moved: change docs/accessibility.md"


def _is_there(file: str, name: str) -> bool:
    path = ROOT / "tests" / file
    if not path.is_file():
        return False
    text = path.read_text(encoding="utf-8")
    return not name or re.search(rf"^ *def {name}\(", text, flags=re.MULTILINE) is not None


def test_every_criterion_that_applies_has_its_row() -> None:
    table = TEXT.partition("## Criteria")[2].partition("## Time limits")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| ")]
    found = {criterion for row in rows for criterion in CRITERION.findall(row)}
    assert found == LEVEL_AA
    assert len(LEVEL_AA | WITHOUT_SUBJECT) == 55, "WCAG 2.2 has 31 criteria of level A and 24 of level AA"


def test_the_time_limits_are_those_of_the_code() -> None:
    limits = TEXT.partition("## Time limits")[2]
    assert OPTIONAL["REDIRECT_URL_TIMEOUT"].default == 900
    assert "900 seconds" in limits
    assert timedelta(minutes=15) == three_d_secure.LIFETIME
    assert "3-D Secure: fifteen minutes" in limits
    assert timedelta(days=1, minutes=15) == return_tokens.MAX_AGE
    assert "a day and fifteen minutes" in limits
