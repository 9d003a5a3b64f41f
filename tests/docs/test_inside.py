"""The guides and the reference, run block by block against a sandbox."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from cryptography.fernet import Fernet

from tests.docs.inside import SANDBOX, SHOP, Session, calls_the_shop
from tests.docs.pages import pages_run, steps

if TYPE_CHECKING:
    from pathlib import Path

    from django.test import Client
    from pytest_django.fixtures import Settings

    from wallet_gateway.testing.sandbox import SandboxControl


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("page", pages_run("in the test project"))
def test_every_block_runs_on(
    page: str,
    tmp_path: Path,
    settings: Settings,
    client: Client,
    wallet_sandbox: SandboxControl,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (template_settings,) = settings.TEMPLATES
    settings.TEMPLATES = [{**template_settings, "DIRS": [tmp_path / "templates"]}]
    for name in ("ACCOUNT_KEYS", "NEW_ACCOUNT_KEY"):
        monkeypatch.setenv(name, Fernet.generate_key().decode())
    known = set(sys.modules)
    names = {"sandbox": wallet_sandbox, "client": client, "__name__": "shop_session"}
    origins = {SANDBOX: wallet_sandbox.base_url}
    if calls_the_shop(page):
        origins[SHOP] = request.getfixturevalue("live_server").url
    session = Session(tmp_path, settings, names=names, origins=origins)
    try:
        for step in steps(page):
            session.follow(step)
    finally:
        session.remove_apps()
    for name in set(sys.modules) - known:
        if getattr(sys.modules[name], "__file__", None) and str(tmp_path) in str(sys.modules[name].__file__):
            del sys.modules[name]
