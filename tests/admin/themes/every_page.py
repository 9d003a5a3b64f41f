"""What `tests.admin.test_themes` runs under the settings of a theme, each in a process of its own.

Django reads the templates and the admin site of `INSTALLED_APPS` once, so a theme cannot come and go within
one process. No file here is collected by itself.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.conf import settings as given
from django.contrib import admin
from django.test import Client
from django.utils.module_loading import import_string

from tests.admin.scenery import Scenery
from tests.admin.staff_tab import SIDEWAYS, staff_tab
from tests.axe import SCRIPT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page
    from pytest_django.live_server_helper import LiveServer

THEME = given.INSTALLED_APPS[0]
FAINT = """
async () => {
  const {violations} = await axe.run("#content-main", {runOnly: ["color-contrast", "link-in-text-block"]})
  return violations.flatMap(({id, nodes}) =>
    nodes.map(({target, failureSummary}) => `${id} ${target} ${failureSummary}`))
}
"""
LISTS = ("list of", "empty list", "history")
"""Pages that are the theme's own, around our rows."""


def test_the_theme_is_there() -> None:
    assert THEME in {"unfold", "jazzmin"}
    if THEME == "unfold":
        assert isinstance(admin.site, import_string("unfold.sites.UnfoldAdminSite"))


@pytest.mark.django_db
@pytest.mark.usefixtures("permissions")
def test_every_page_opens(superuser: Client) -> None:
    for name, url in Scenery().pages():
        answer = superuser.get(url)
        assert answer.status_code == 200, name
        page = answer.content.decode()
        assert f"{THEME}/" in page, f"{name} is not drawn by the theme"
        if name != "history":
            assert "wallet-admin" in page, name
            assert "wallet_gateway/admin/wallet.css" in page, name
        if name == "list of paymentorder":
            assert 'name="action"' in page, "the actions cannot be chosen"


@pytest.fixture
def page(browser: Browser, live_server: LiveServer, superuser: Client, permissions: None) -> Iterator[Page]:
    """Root's tab, before any page is open."""
    with staff_tab(browser, live_server, superuser) as page:
        yield page


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_every_page_fits_and_its_text_stands_out(page: Page, scheme: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    # Where each of them keeps which colours a person has chosen.
    page.add_init_script(
        f"localStorage.setItem('jazzmin-theme-mode', '{scheme}');"
        f"localStorage.setItem('adminTheme', '\"{scheme}\"')"
    )
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    for name, url in Scenery().pages():
        page.goto(url)
        take_picture(page, f"{THEME} {name} {scheme}")
        if not name.startswith(LISTS):
            faults += [f"{name} is wider than its window"] * (page.evaluate(SIDEWAYS) > 0)
    assert not faults, "\n".join(faults)


def faint_texts(page: Page) -> list[str]:
    """Return the faults in the contrast of our own text; the rest of a page is the theme's."""
    if not SCRIPT.exists():
        pytest.skip("axe-core is not installed: run npm ci in tests/js")
    page.evaluate(SCRIPT.read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(FAINT)
    return found


def take_picture(page: Page, name: str) -> None:
    if folder := os.environ.get("PICTURES"):
        page.screenshot(path=Path(folder) / f"{name.replace(' ', '-')}.png", full_page=True)
