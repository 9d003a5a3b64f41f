"""What the client's tests share: transports that are closed again, and one good certificate."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import pytest

from tests.client.certificates import Certificate, make_certificate
from wallet_gateway.client.transport import HttpTransport, Limits, tls_context

Connect = Callable[..., HttpTransport]

IMPATIENT = {"connect": 0.3, "read": 0.3, "total": 1.5}
"""For tests in which time runs out; the others, and all that comes before, have what a busy machine needs."""


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Makes transports, and closes them."""
    with contextlib.ExitStack() as made:

        def make(base_url: str, **changes: Any) -> HttpTransport:
            limits: dict[str, Any] = {"connect": 60, "read": 60, "total": 60}
            limits |= {each.name: changes.pop(each.name) for each in fields(Limits) if each.name in changes}
            files = changes.pop("ca_file", None), changes.pop("client_cert", None)
            if any(files):
                changes["ssl_context"] = tls_context(*files)
            transport = HttpTransport(base_url=base_url, limits=Limits(**limits), **changes)
            made.callback(transport.close)
            return transport

        yield make


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("certificates"))
