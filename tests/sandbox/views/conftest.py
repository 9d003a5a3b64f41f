"""A sandbox as new for every test of its pages, and somebody to visit them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.sandbox.views.looks import complaints
from tests.sandbox.views.visitor import Visitor
from wallet_gateway.testing.sandbox import SandboxServer


@pytest.fixture
def visitor(wallet_sandbox_server: SandboxServer) -> Visitor:
    wallet_sandbox_server.control.reset()
    return Visitor(wallet_sandbox_server.base_url)


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a page in a browser as new, and listens to what the browser says of it."""
    contexts = []

    def open_(url: str, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": 1280, "height": 844}, **options)
        contexts.append(context)
        page = context.new_page()
        complaints[page] = []
        page.on("console", lambda message: complaints[page].append(message.text))
        page.on("pageerror", lambda error: complaints[page].append(str(error)))
        page.goto(url)
        return page

    yield open_
    complaints.clear()
    for context in contexts:
        context.close()
