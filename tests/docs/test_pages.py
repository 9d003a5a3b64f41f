"""Every page says how it is run, and nothing that could be run is left unrun."""

from __future__ import annotations

from tests.docs.pages import PAGES, RUNNABLE, steps, way_of
from tests.support.tables import every

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
