"""The browser's fixture without Playwright, in a file of its own: the fixture lasts as long as a file."""

from __future__ import annotations

import sys

import pytest


def test_without_playwright_a_browser_test_fails_and_says_what_to_install(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)
    with pytest.raises(pytest.fail.Exception, match="python -m pip install playwright"):
        request.getfixturevalue("wallet_browser")
