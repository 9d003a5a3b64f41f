"""The page of an order in a real Chromium: a reference is copied with one press, and nothing sticks out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.test import Client
from pytest_django import Settings

from tests.admin.conftest import order_url
from tests.admin.scenery import Scenery
from tests.admin.test_dashboard_in_browser import NOTHING_INLINE
from tests.axe import violations

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from pytest_django.live_server_helper import LiveServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture
def desk(
    browser: Browser, live_server: LiveServer, superuser: Client, permissions: None, settings: Settings
) -> Iterator[Page]:
    """Root's tab under a policy that forbids everything inline; it may write to the clipboard."""
    settings.SECURE_CSP = NOTHING_INLINE
    middleware = "example_project.shop.middleware.ContentSecurityPolicyMiddleware"
    settings.MIDDLEWARE = [middleware, *settings.MIDDLEWARE]
    context = browser.new_context(base_url=live_server.url, reduced_motion="reduce")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    session = {"name": "sessionid", "value": superuser.cookies["sessionid"].value, "url": live_server.url}
    context.add_cookies([session])  # type: ignore[list-item]
    page = context.new_page()
    page.route("**/favicon.ico", lambda route: route.fulfill(status=204))
    yield page
    context.close()


def test_pictures(desk):
    scenery = Scenery()
    for scheme in ("light", "dark"):
        desk.emulate_media(color_scheme=scheme)
        for width in (390,):
            desk.set_viewport_size({"width": width, "height": 900})
            for name, order in (("busy", scenery.paid), ("frozen", scenery.waiting), ("closed", scenery.closed)):
                desk.goto(order_url(order))
                desk.screenshot(path=f"/tmp/x/{name}-{scheme}-{width}.png", full_page=True)
                print(name, scheme, width, desk.evaluate(SIDEWAYS), violations(desk))
