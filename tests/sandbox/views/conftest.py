"""A sandbox as new for every test of its pages, and somebody to visit them."""

from __future__ import annotations

import pytest

from tests.sandbox.views.visitor import Visitor
from wallet_gateway.testing.sandbox import SandboxServer


@pytest.fixture
def visitor(wallet_sandbox_server: SandboxServer) -> Visitor:
    wallet_sandbox_server.control.reset()
    return Visitor(wallet_sandbox_server.base_url)
