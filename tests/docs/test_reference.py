"""The reference and the code must agree: what is public is named, and nothing else is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import ModuleType

import wallet_gateway
from tests.docs.pages import ROOT
from wallet_gateway import payments
from wallet_gateway.conf.fields import Section, section_of, settings_in
from wallet_gateway.conf.model import GatewaySettings, Settings
from wallet_gateway.domain.error_codes import ErrorCode


def _page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_the_python_reference_names_all_of_payments_and_nothing_else() -> None:
    page = _page("reference/python.md")
    documented = set(re.findall(r":: wallet_gateway\.payments\.([\w.]+)", page))
    top = set(payments.__all__)
    modules = {name for name in top if isinstance(getattr(payments, name), ModuleType)}
    inner = {f"{name}.{public}" for name in modules for public in getattr(payments, name).__all__}
    at_the_top = {name for name in inner if name.partition(".")[2] in top}
    assert documented == (top - modules) | (inner - at_the_top) - {"errors.ErrorCode"}


def _sections(section: type[Section]) -> Iterator[type[Section]]:
    """Give a section and all sections in it."""
    yield section
    for field in settings_in(section).values():
        if inner := section_of(field.annotation):
            yield from _sections(inner)


def test_the_settings_reference_names_every_setting_and_no_other() -> None:
    known = {
        name
        for section in (*_sections(Settings), *_sections(GatewaySettings))
        for name in settings_in(section)
    }
    page = _page("reference/settings.md")
    documented = {
        name
        for line in page.splitlines()
        if line.startswith(("| `", "`"))
        for name in re.findall(r"`([A-Z][A-Z_]+)`", line.split(" | ")[0])
    }
    assert documented == known


def test_the_commands_and_their_options_are_all_described() -> None:
    sections = dict(
        re.findall(
            r"^## `manage\.py (wallet_\w+)`\n(.*?)(?=^## |\Z)",
            _page("reference/commands.md"),
            flags=re.MULTILINE | re.DOTALL,
        )
    )
    described = {name: set(re.findall(r"`(--[a-z-]+)", text)) for name, text in sections.items()}
    commands = (ROOT / "wallet_gateway" / "management" / "commands").glob("wallet_*.py")
    taken = {path.stem: set(re.findall(r'"(--[a-z-]+)"', path.read_text("utf-8"))) for path in commands}
    assert described == taken


def test_the_changelog_has_an_entry_for_this_version() -> None:
    assert f"## [{wallet_gateway.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_codes_of_errors_are_all_described_under_the_class_that_carries_them() -> None:
    row = re.compile(r"^\| `(\w+)` \| (\d+) \| `(\w+)` \| .+ \|$", re.MULTILINE)
    described = {
        code: (int(status), name) for code, status, name in row.findall(_page("reference/errors.md"))
    }
    assert set(described) == {code.value for code in ErrorCode}
    classes = {name: getattr(payments.errors, name) for _, name in described.values()}
    assert {kind.code for kind in classes.values()} <= set(described)
    for code, (status, name) in described.items():
        assert name == "AwaitingApproval" or classes[name]("No.", ErrorCode(code)).status == status, code


def _rows(text: str) -> list[str]:
    """What the rows of a text's tables are about, by section."""
    found, section = [], ""
    for line in text.splitlines():
        if line.startswith("#"):
            section = line.strip("# ")
        cells = [cell.strip() for cell in line.split("|")[1:-1]] if line.startswith("|") else []
        if len(cells) > 1 and cells[0].strip("-") and cells[0] not in {"row", "criterion"}:
            letter = f"{cells[0]}: {cells[1]}" if cells[0] in set("STRIDE") else cells[0]
            found.append(f"{section}: {letter}")
    return found


def test_every_row_of_threats_and_criteria_has_its_tests_and_they_are_there() -> None:
    evidence = (ROOT / "tests" / "evidence.md").read_text(encoding="utf-8")
    threats, _, criteria = evidence.partition("## Accessibility")
    heads = {"PCI DSS 4.0.1: requirement", "ASVS 5.0: chapter"}
    assert [row for row in _rows(_page("threat-model.md")) if row not in heads] == _rows(threats)
    seen = [row.partition(": ")[2] for row in _rows(_page("accessibility.md"))]
    assert ["axe", *seen] == [row.partition(": ")[2] for row in _rows(criteria)]
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", evidence)
    assert len(named) > 100
    for place, test in named:
        assert f"def {test}(" in (ROOT / "tests" / place).read_text(encoding="utf-8"), test
