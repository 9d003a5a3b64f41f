"""Pages as templates render them, shown in a browser without a server and without their scripts."""

from __future__ import annotations

import mimetypes
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.contrib.staticfiles import finders

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

ADDRESS = "http://shop.example/"


def show(page: Page, html: str) -> None:
    """Put a rendered page into a tab, with the stylesheets and pictures that it names."""
    page.unroute_all()
    page.route("**/*", lambda route: _answer(route, html))
    page.goto(ADDRESS)


def _answer(route: Route, html: str) -> None:
    path = urlsplit(route.request.url).path
    file = finders.find(path.removeprefix("/static/")) if path.startswith("/static/") else None
    if route.request.resource_type == "document":
        route.fulfill(content_type="text/html; charset=utf-8", body=html)
    elif file is None or path.endswith(".js"):
        route.fulfill(status=204)
    else:
        route.fulfill(path=str(file), content_type=mimetypes.guess_type(path)[0])
