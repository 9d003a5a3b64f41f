"""A browser's tab of somebody of the staff, and the policy under which no page may break."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.test import Client

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from pytest_django.live_server_helper import LiveServer

NOTHING_INLINE = {
    "default-src": ["'none'"],
    "img-src": ["'self'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "connect-src": ["'self'"],
    "form-action": ["'self'"],
}


@contextmanager
def staff_tab(browser: Browser, live_server: LiveServer, staff: Client, **options: Any) -> Iterator[Page]:
    """Open a tab in which the user of a client is signed in, before any page is open.

    `options` are those of Playwright's `new_context`; addresses may be relative to the server.
    """
    session = {"name": "sessionid", "value": staff.cookies["sessionid"].value, "url": live_server.url}
    with browser.new_context(base_url=live_server.url, reduced_motion="reduce", **options) as context:
        context.add_cookies([session])  # type: ignore[list-item]
        page = context.new_page()
        page.route("**/favicon.ico", lambda route: route.fulfill(status=204))
        yield page
