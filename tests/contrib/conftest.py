"""Follows a guide in the shop that the guide's lines have made, and lets time pass for shop and gateway."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.docs.inside import SANDBOX, Session
from tests.docs.pages import steps
from tests.support.shop import MovedClock
from wallet_gateway import gateways, payments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
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


@pytest.fixture
def pass_time(wallet_sandbox: SandboxControl) -> Iterator[Callable[..., None]]:
    """Move the clocks of shop and gateway forward; then a sweep comes by, and one more for what it found."""
    before, moved = gateways.clock(), MovedClock()
    gateways.use_clock(moved)

    def run(*, minutes: int) -> None:
        wallet_sandbox.advance_clock(60 * minutes)
        moved.by += timedelta(minutes=minutes)
        for _ in range(2):
            payments.sweep()

    yield run
    gateways.use_clock(before)
