"""The shop's pages for what goes wrong, under axe-core; those of a purchase are looked at in the journeys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.template.loader import get_template
from django.utils import translation

from tests.axe import violations
from tests.exhaustive import one_of
from tests.still_pages import show

if TYPE_CHECKING:
    from django.test import Client
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.django_db]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("language", "scheme", "width"), one_of([("ar", "dark", 390), ("en", "light", 1280)])
)
def test_axe_finds_nothing_where_something_is_missing_or_broken(
    client: Client, browser: Browser, language: str, scheme: str, width: int
) -> None:
    found = []
    with browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 844}) as context:  # type: ignore[arg-type]
        page = context.new_page()
        answer = client.get("/nowhere/", headers={"accept-language": language})
        show(page, answer.content.decode())
        found += violations(page)
        with translation.override(language):
            show(page, get_template("500.html").render())
        found += violations(page)
        assert page.locator("html").get_attribute("lang") == language
    assert found == []
