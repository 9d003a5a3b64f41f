"""The wallet's page with static files on another host: with CORS the button pays, without it the form."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.staticfiles.storage import ManifestStaticFilesStorage, StaticFilesStorage
from django.core.files.storage import FileSystemStorage
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django import Settings

from tests.exhaustive import one_of
from tests.static_host import RewritingStorage, StaticHost, collect, delete_plain_names
from tests.web.test_wallet_page import (
    FORM,
    MakeOrder,
    approve,
    complaints,
    context,
    open_sheet,
    page,
    pay_page,
    shop,
)
from wallet_gateway.testing.control import SandboxControl

__all__ = ["complaints", "context", "page", "shop"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def files_on(host: StaticHost, folder: Path, settings: Settings, storage: type[FileSystemStorage]) -> None:
    """Have every page of the shop name its static files there."""
    collect(folder, storage)
    options = {"location": folder, "base_url": host.url}
    backend = f"{storage.__module__}.{storage.__name__}"
    settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": backend, "OPTIONS": options}}


@pytest.fixture
def silent_host(tmp_path: Path, settings: Settings) -> Iterator[StaticHost]:
    """A host of static files that says nothing of pages of other origins."""
    with StaticHost(tmp_path, allows_all=False) as host:
        files_on(host, tmp_path, settings, StaticFilesStorage)
        yield host


@pytest.mark.parametrize(
    "storage", one_of([ManifestStaticFilesStorage, StaticFilesStorage, RewritingStorage])
)
def test_the_button_pays_with_static_files_on_a_host_that_allows_cors(
    page: Page,
    shop: str,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
    settings: Settings,
    complaints: list[str],
    tmp_path: Path,
    storage: type[FileSystemStorage],
) -> None:
    with StaticHost(tmp_path, allows_all=True) as host:
        files_on(host, tmp_path, settings, storage)
        if storage is RewritingStorage:
            delete_plain_names(tmp_path)
        page.goto(pay_page(shop, make_order()))
        expect(page.locator(f"script[src^='{host.url}']")).to_have_count(1)
        open_sheet(page)
        approve(page, wallet_sandbox)
        expect(page.locator("h1")).to_have_text("Your payment went through")
    assert complaints == []


def test_without_cors_the_form_pays_and_the_console_names_the_header_once_for_each_script(
    page: Page, context: BrowserContext, shop: str, make_order: MakeOrder, silent_host: StaticHost
) -> None:
    said: list[str] = []
    context.on("console", lambda message: said.append(message.text))
    page.goto(pay_page(shop, make_order()))
    page.get_by_role("button", name=FORM).click()
    page.locator("button[name=outcome][value=success]").click()

    for script in ("page.js", "page/pay_button.js", "wallet/main.js"):
        [words] = [line for line in said if f"{silent_host.url}wallet_gateway/{script}" in line]
        assert "blocked by CORS policy: No 'Access-Control-Allow-Origin' header" in words
