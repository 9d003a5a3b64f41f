"""A glossary term is a link where a page uses it first, in running text and nowhere else."""

from __future__ import annotations

import runpy
from typing import Any

from docutils import core, nodes
from myst_parser.parsers.docutils_ import Parser

from tests.docs.pages import ROOT

EXTENSION: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "_extensions" / "glossary_links.py"))


def page_of(text: str) -> Any:  # noqa: ANN401 - docutils has no types
    quiet = {"report_level": 5, "halt_level": 5, "myst_suppress_warnings": ["myst"]}
    return core.publish_doctree(text, parser=Parser(), settings_overrides=quiet)


def linked(text: str, terms: list[str]) -> list[str]:
    page = page_of(text)
    for found in list(EXTENSION["first_uses"](page, terms)):
        EXTENSION["link"](found[0], found[1], f"glossary#{EXTENSION['anchor_of'](found[2])}")
    return [
        f"{reference.astext()} -> {reference['refuri']}"
        for reference in page.findall(nodes.reference)
        if reference["refuri"].startswith("glossary")
    ]


def test_the_first_use_in_running_text_is_a_link() -> None:
    text = "# The sweep\n\nThe `sweep` is run by [a sweep](x.md).\n\nTwo sweeps, and a sweep; late payments."
    assert linked(text, ["late payment", "sweep"]) == ["late payments -> glossary#term-late-payment"]
    assert linked(text, ["sweep"]) == ["sweeps -> glossary#term-sweep"]


def test_code_headings_and_links_stay_as_they_are() -> None:
    assert linked("# The sweep\n\n`sweep` and [a sweep](x.md)\n\n```text\nsweep\n```\n", ["sweep"]) == []


def test_words_of_the_glossary_have_anchors_and_names_in_code_have_none() -> None:
    page = page_of((ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"))
    terms = EXTENSION["give_anchors"](page)
    anchors = {name for row in page.findall(nodes.row) for name in row["ids"]}
    assert {EXTENSION["anchor_of"](term) for term in terms} <= anchors
    assert {"sweep", "status query", "late payment", "gateway"} - set(terms) == {"gateway"}
    assert not [term for term in terms if term.isupper()]
