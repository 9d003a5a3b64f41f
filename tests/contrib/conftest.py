"""Follows a guide in the shop that the guide's lines have made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.docs.inside import SANDBOX, Session
from tests.docs.pages import steps

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_django.fixtures import Settings

    from wallet_gateway.testing.control import SandboxControl


@pytest.fixture
def follow(tmp_path: Path, settings: Settings, wallet_sandbox: SandboxControl) -> Callable[..., None]:
    """Follow a page in the shop that its lines have made, beginning with some names."""

    def run(page: str, **names: Any) -> None:
        origins = {SANDBOX: wallet_sandbox.base_url}
        session = Session(tmp_path, settings, names={"__name__": "shop", **names}, origins=origins)
        for step in steps(page):
            if not {"append", "file"} & set(step.directives):
                session.follow(step)

    return run
