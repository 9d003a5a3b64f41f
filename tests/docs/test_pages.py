"""Every page says how it is run, and nothing that could be run is left unrun."""

from __future__ import annotations

from tests.docs.fresh import commands
from tests.docs.pages import PAGES, ROOT, RUNNABLE, Step, matches, steps, way_of
from tests.tables import every

WAYS = {
    "in a fresh project",
    "in the tutorial's shop",
    "in the test project",
    # Each in a shop of its own, by tests/contrib/test_bridges.
    "in an oscar shop",
    "in a django-payments shop",
    "in a salesman shop",
    "in a shop with its own orders",
}


@every("page", PAGES)
def test_a_page_says_how_it_is_run(page: str) -> None:
    way = way_of(page)
    assert way in WAYS or way.startswith("nothing, because "), f"{page}: {way}"


@every("page", [page for page in PAGES if way_of(page) not in WAYS])
def test_a_page_that_is_not_run_has_nothing_to_run(page: str) -> None:
    assert not [step.where for step in steps(page) if step.kind in RUNNABLE]


@every("page", [page for page in PAGES if way_of(page) in WAYS])
def test_a_page_that_is_run_has_something_to_run(page: str) -> None:
    assert [step.where for step in steps(page) if step.kind in RUNNABLE]


@every("page", PAGES)
def test_a_page_is_linked_from_another(page: str) -> None:
    if page in {"README.md", "docs/index.md"}:
        return
    name = page.removeprefix("docs/").removesuffix(".md")
    texts = [(ROOT / other).read_text(encoding="utf-8") for other in PAGES if other != page]
    assert any(name in text or name.rsplit("/", 1)[-1] in text for text in texts)


@every(
    ("expected", "printed", "same"),
    [
        ("paid", "paid\n", True),
        ("paid", "unpaid", False),
        ("a ... c", "a b c", True),
        ("a\n...\nz", "a\nb\nc\nz\n", True),
        ("a\n...\nz", "a\nb\nc\n", False),
        ("1.00", "1x00", False),
    ],
    ids=["same", "other", "gap", "lines", "end-missing", "period-is-a-period"],
)
def test_dots_stand_for_anything_and_all_else_for_itself(expected: str, printed: str, same: bool) -> None:
    assert matches(expected, printed) is same


@every(
    ("kind", "text", "found"),
    [
        ("console", "$ a\n$ b \\\n  c\nprinted\n", [("a", ""), ("b \\\n  c", "printed\n")]),
        ("sh", "a\nb \\\n  c\nd\n", [("a", ""), ("b \\\n  c", ""), ("d", "")]),
    ],
    ids=["with-prompt", "without"],
)
def test_a_block_of_commands_has_prompts_or_one_on_each_line(
    kind: str, text: str, found: list[tuple[str, str]]
) -> None:
    assert commands(Step(page="page.md", line=1, kind=kind, text=text)) == found
