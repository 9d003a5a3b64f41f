"""A browser is started only where there is one; paying in it is in test_plugin."""

from __future__ import annotations

import sys
from typing import NoReturn

import pytest
from playwright.sync_api import BrowserType, Error

from wallet_gateway.testing.wallet_sheet import INSTALL, NoBrowser, browser


def test_without_playwright_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)
    with pytest.raises(NoBrowser, match=INSTALL), browser({}):
        pass


@pytest.mark.browser
def test_without_a_browser_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **options: object) -> NoReturn:
        raise Error("no executable")

    monkeypatch.setattr(BrowserType, "launch", fail)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NoBrowser, match="no executable"), browser({}):
        pass
