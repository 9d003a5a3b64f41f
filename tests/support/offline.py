"""`--offline`: the tests that open no socket, no browser and no process, for every save.

Tests that ask for a server are left out by their fixtures, those that start one by themselves by the mark
`wire`. A test that speaks all the same fails.
"""

from __future__ import annotations

import socket
import subprocess
from typing import TYPE_CHECKING, NoReturn

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

SERVERS = {"browser", "live_server", "wallet_sandbox_server"}
"""Fixtures that start one."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--offline", action="store_true", help="leave out what needs a socket or a process")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("offline"):
        return
    left_out = [item for item in items if _speaks(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not _speaks(item)]


def _speaks(item: pytest.Item) -> bool:
    asks = set(getattr(item, "fixturenames", ())) & SERVERS
    return bool(asks) or any(map(item.get_closest_marker, ("slow", "wire")))


@pytest.fixture(autouse=True)
def _offline(request: pytest.FixtureRequest) -> Iterator[None]:
    if not request.config.getoption("offline"):
        yield
        return

    def refuse(*arguments: object, **options: object) -> NoReturn:
        pytest.fail("a test that runs offline opens no socket and starts no process")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(socket.socket, "bind", refuse)
        patch.setattr(subprocess.Popen, "__init__", refuse)
        yield
