"""The shop's pages for what goes wrong, under axe-core; those of a purchase are looked at in the journeys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.template.loader import get_template
from django.test import Client
from django.utils import translation

from tests.axe import violations_in_every_look
from tests.exhaustive import LANGUAGES
from tests.still_pages import show

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.django_db]


@pytest.mark.exhaustive
@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing_where_something_is_missing_or_broken(
    client: Client, browser: Browser, language: str
) -> None:
    headers = {"accept-language": language}
    missing = client.get("/nowhere/", headers=headers).content.decode()
    refused = Client(enforce_csrf_checks=True).post("/", headers=headers)
    assert refused.status_code == 403
    with translation.override(language):
        broken = get_template("500.html").render()
    pages = {"missing": missing, "broken": broken, "refused": refused.content.decode()}
    found = []
    with browser.new_context() as context:
        page = context.new_page()
        for name, text in pages.items():
            show(page, text)
            assert page.locator("html").get_attribute("lang") == language
            found += [f"{name}, {fault}" for fault in violations_in_every_look(page)]
    assert found == []
