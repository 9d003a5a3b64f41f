"""Every check and every error code has an anchor of its own, to which its message leads."""

from __future__ import annotations

import runpy
from typing import Any

import pytest
from docutils import core, nodes
from myst_parser.parsers.docutils_ import Parser

from tests.docs.pages import ROOT
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.findings import Code, error
from wallet_gateway.operations.errors import OperationError

EXTENSION: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "_extensions" / "code_anchors.py"))
QUIET = {"report_level": 5, "halt_level": 5, "myst_suppress_warnings": ["myst"]}


def anchors(page: str) -> list[str]:
    """Return the anchors of the rows of a page, as the documentation is built."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    doctree = core.publish_doctree(text, parser=Parser(), settings_overrides=QUIET)
    EXTENSION["give_anchors"](doctree)
    return [name for row in doctree.findall(nodes.row) for name in row["ids"]]


def led_to(address: str, page: str) -> str:
    """Return the anchor in an address of the documentation."""
    file, _, anchor = address.partition("#")
    assert file.endswith(f"/docs/{page}.md")
    return anchor


def test_each_error_code_leads_to_its_row() -> None:
    found = anchors("reference/errors")
    assert {led_to(OperationError("No.", code).docs, "reference/errors") for code in ErrorCode} <= set(found)
    assert len(found) == len(set(found))


def test_each_check_leads_to_its_row() -> None:
    checks = [code for code in Code if code.startswith("wallet_gateway.")]
    found = anchors("reference/checks")
    # The checks of a bridge are not among the findings.
    of_bridges = {name for name in found if not name.startswith("wallet_gateway.")}
    assert of_bridges == {
        *(f"wallet_oscar.E00{number}" for number in (1, 2, 3)),
        "wallet_own_order.W001",
    }
    assert {led_to(error(code, "settings").docs, "reference/checks") for code in checks} == {
        *found
    } - of_bridges
    assert len(found) == len(set(found))


@pytest.mark.parametrize("code", [Code.SWEEP_LATE, Code.NOT_CONFIGURED])
def test_what_is_no_check_leads_to_no_row(code: Code) -> None:
    assert error(code, "sweep").docs == ""


def test_the_pages_are_those_of_the_extension() -> None:
    assert EXTENSION["PAGES"] == {"reference/errors", "reference/checks"}
    conf = (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")
    assert '"code_anchors"' in conf


def test_a_code_that_a_function_raises_leads_to_its_row_and_the_same_word_elsewhere_does_not() -> None:
    page = core.publish_doctree(
        "``not_unsent``\n\n:raises E: ``not_unsent``, ``other``.\n", settings_overrides=QUIET
    )
    EXTENSION["link_codes"](page, "errors.html", {"not_unsent"})
    assert [link["refuri"] for link in page.findall(nodes.reference)] == ["errors.html#not_unsent"]
    assert [text.astext() for text in page.findall(nodes.literal)] == ["not_unsent", "not_unsent", "other"]
