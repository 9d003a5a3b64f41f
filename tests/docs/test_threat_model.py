"""The threat model is whole, and every test that it calls evidence is there."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT
from tests.tables import every

PAGE = ROOT / "docs" / "threat-model.md"
TEXT = PAGE.read_text(encoding="utf-8")
TESTS = ROOT / "tests"
EVIDENCE = re.compile(r"`([\w/]+\.py)(?:::(\w+))?`")
STRIDE = ["S", "T", "R", "I", "D", "E"]
BOUNDARIES = re.split(r"^### \d+\. ", TEXT.partition("## PCI DSS")[0], flags=re.MULTILINE)[1:]


def _rows(text: str) -> list[list[str]]:
    """Return the cells of a table's rows, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def _of(heading: str) -> list[list[str]]:
    _, _, rest = TEXT.partition(f"\n## {heading}\n")
    return _rows(rest.partition("\n## ")[0])


def test_every_test_that_is_named_is_there() -> None:
    named = EVIDENCE.findall(TEXT)
    gone = [f"{file}::{name}" if name else file for file, name in named if not _is_there(file, name)]
    assert len(named) > 100
    assert not gone, "a test was renamed or moved: change docs/threat-model.md"


def _is_there(file: str, name: str) -> bool:
    path = TESTS / file
    if not path.is_file():
        return False
    text = path.read_text(encoding="utf-8")
    return not name or re.search(rf"^ *def {name}\(", text, flags=re.MULTILINE) is not None


def test_ten_boundaries_are_looked_at() -> None:
    assert len(BOUNDARIES) == 10
    drawing = TEXT.partition("```text")[2].partition("```")[0]
    assert {int(number) for number in re.findall(r"(?<![\w.])\d+(?![\w.])", drawing)} == set(range(1, 11))


@every("boundary", BOUNDARIES, ids=[boundary.partition("\n")[0] for boundary in BOUNDARIES])
def test_each_boundary_has_every_kind_of_threat_and_says_what_holds_it_and_what_remains(
    boundary: str,
) -> None:
    rows = _rows(boundary)
    assert list(dict.fromkeys(row[0] for row in rows)) == STRIDE
    for kind, threat, holds, evidence, remains in rows:
        assert all((kind, threat, holds, evidence, remains))
        assert EVIDENCE.search(evidence), f"no evidence: {threat}"


def test_each_requirement_says_what_the_plugin_and_what_the_shop_does() -> None:
    rows = _of("PCI DSS 4.0.1")
    assert len(rows) > 12
    for requirement, does, evidence, shop in rows:
        assert re.match(r"\d", requirement)
        assert all((does, evidence, shop))


def test_all_chapters_of_the_standard_are_answered() -> None:
    rows = _of("ASVS 5.0")
    assert [row[0].partition(" ")[0] for row in rows] == [f"V{number}" for number in range(1, 18)]
    for chapter, applies, _, evidence, _ in rows:
        assert applies in {"yes", "part", "no"}, chapter
        assert bool(EVIDENCE.search(evidence)) == (applies != "no"), chapter


def test_sections_that_are_named_belong_to_their_chapter() -> None:
    for chapter, *cells in _of("ASVS 5.0"):
        number = chapter.partition(" ")[0].removeprefix("V")
        named = re.findall(r"\((\d+)\.\d+(?:, (\d+)\.\d+)*\)", " ".join(cells))
        assert {part for found in named for part in found if part} <= {number}, chapter


def test_the_policy_of_the_source_leads_here_and_is_led_to() -> None:
    policy = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert "docs/threat-model.md" in policy
    for page in ("README.md", "docs/security.md", "docs/threat-model.md"):
        assert "SECURITY.md" in (ROOT / page).read_text(encoding="utf-8"), page
