"""What the client's tests share: transports that are closed again, and one good certificate."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.client.certificates import Certificate, make_certificate
from wallet_gateway.client.transport import HttpTransport

Connect = Callable[..., HttpTransport]

IMPATIENT = {"connect_timeout": 0.3, "read_timeout": 0.3, "total_timeout": 1.5}
"""For tests in which time runs out; the others, and all that comes before, have what a busy machine needs."""


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Makes transports, and closes them."""
    with contextlib.ExitStack() as made:

        def make(base_url: str, **changes: object) -> HttpTransport:
            settings: dict[str, Any] = {"connect_timeout": 60, "read_timeout": 60, "total_timeout": 60}
            transport = HttpTransport(base_url=base_url, **(settings | changes))
            made.callback(transport.close)
            return transport

        yield make


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("certificates"))
